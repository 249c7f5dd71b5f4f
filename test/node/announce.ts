import { writeSync } from 'node:fs';

const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes a line to standard output synchronously, so that a kill right afterwards cannot lose it. The pipe does not
 * block: if it is full because its reader is busy, writing fails with EAGAIN and is tried again.
 */
export function announce(line: string): void {
  let rest = Buffer.from(`${line}\n`);
  while (rest.length > 0)
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(pause, 0, 0, 1);
    }
}
