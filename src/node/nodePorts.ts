import { createHash, randomUUID } from 'node:crypto';
import { type Clock, type Ids, toDisposable } from '../core/index.ts';

/** Node fires at once what should wait longer. */
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
      // One that went off holds nothing any more.
      pending.dispose();
      callback();
    };
    arm(ms);
    const pending = toDisposable(() => clearTimeout(timer));
    return pending;
  },
};

const UUID = Buffer.alloc(36);

/**
 * In one piece. Node puts its ids together of two characters at a time, and such a text keeps every piece for as long
 * as nobody compares it: ten times the memory, for each event and each call that is kept.
 */
function uuid(): string {
  UUID.write(randomUUID(), 'latin1');
  return UUID.toString('latin1');
}

export const nodeIds: Ids = {
  uuid,
  random: () => Math.random(),
  sha256: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
};
