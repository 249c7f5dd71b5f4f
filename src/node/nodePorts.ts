import { createHash, randomFillSync } from 'node:crypto';
import { type Clock, type Ids, toDisposable } from '../core/index.ts';

/** Node fires longer timeouts at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export const nodeClock: Clock = {
  now: () => Date.now(),
  delay: (ms, callback) => {
    let timer: NodeJS.Timeout;
    const arm = (left: number): void => {
      timer = setTimeout(
        () => (left > MAX_TIMEOUT_MS ? arm(left - MAX_TIMEOUT_MS) : fire()),
        Math.min(left, MAX_TIMEOUT_MS),
      );
    };
    const fire = (): void => {
      // Releases the resources of a timer that fired.
      pending.dispose();
      callback();
    };
    arm(ms);
    const pending = toDisposable(() => clearTimeout(timer));
    return pending;
  },
};

const DIGITS = Buffer.from('0123456789abcdef');
const DASH = 0x2d;
const BYTES = 16;
const random = Buffer.alloc(BYTES * 256);
const written = Buffer.alloc(36);
let used = random.length;

/**
 * A UUID (version 4) as a flat string. Node concatenates its own from two-character pieces, and V8 keeps all pieces
 * until the string is flattened: ten times the memory for each stored event and call.
 */
function uuid(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  let to = 0;
  for (let i = 0; i < BYTES; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) written[to++] = DASH;
    const byte = random[used + i] ?? 0;
    const marked = i === 6 ? 0x40 | (byte & 0x0f) : i === 8 ? 0x80 | (byte & 0x3f) : byte;
    written[to++] = DIGITS[marked >> 4] ?? 0;
    written[to++] = DIGITS[marked & 0x0f] ?? 0;
  }
  used += BYTES;
  return written.toString('latin1');
}

export const nodeIds: Ids = {
  uuid,
  random: () => Math.random(),
  sha256: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
};
