import { setImmediate } from 'node:timers/promises';
import { type LiftedMessage, LONG_MESSAGE, type MemberPath, ValueLifter } from '../../core/index.ts';

/** After this much work the editor's other extensions get their turn. */
const SLICE_MS = 4;
const PIECE = 64 * 1024;

/** Whether values are to be taken out of a message of that length. */
export function isLong(length: number, unread: readonly MemberPath[]): boolean {
  return length >= LONG_MESSAGE && unread.length > 0;
}

/** A message that is there as a whole, with the values at some places taken out; others have their turn meanwhile. */
export async function liftedInSlices(bytes: Uint8Array, unread: readonly MemberPath[]): Promise<LiftedMessage> {
  const lifter = new ValueLifter(unread, decode);
  let began = performance.now();
  for (let at = 0; at < bytes.length; at += PIECE) {
    lifter.take(bytes, at, Math.min(bytes.length, at + PIECE));
    if (performance.now() - began < SLICE_MS) continue;
    await setImmediate();
    began = performance.now();
  }
  return lifter.finish();
}

/** The same at once, which of 10 MB takes up to 50 ms: where what follows from a message is decided as it arrives. */
export function lifted(text: string, unread: readonly MemberPath[]): LiftedMessage {
  if (!isLong(text.length, unread)) return { text, values: [] };
  const lifter = new ValueLifter(unread, decode);
  const bytes = Buffer.from(text);
  lifter.take(bytes, 0, bytes.length);
  return lifter.finish();
}

/** `toString` decodes a short text faster than a `TextDecoder`, and most messages are short. */
export function decode(bytes: Uint8Array, start: number, end: number): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('utf8', start, end);
}
