import { setImmediate } from 'node:timers/promises';
import { type LiftedMessage, LONG_MESSAGE, type MemberPath, ValueLifter } from '../../core/index.ts';

/** Work per slice, after which other extensions get their turn. */
const SLICE_MS = 4;
const PIECE = 64 * 1024;

/** Whether to extract values from a message of this length. */
export function isLong(length: number, unread: readonly MemberPath[]): boolean {
  return length >= LONG_MESSAGE && unread.length > 0;
}

/** Extracts the values at some paths from a complete message. Yields to the event loop in between. */
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

/** The synchronous version, which takes up to 50 ms for 10 MB. For callers that must decide as a message arrives. */
export function lifted(text: string, unread: readonly MemberPath[]): LiftedMessage {
  if (!isLong(text.length, unread)) return { text, values: [] };
  const lifter = new ValueLifter(unread, decode);
  const bytes = Buffer.from(text);
  lifter.take(bytes, 0, bytes.length);
  return lifter.finish();
}

/** For short texts, which are most, `toString` is faster than a `TextDecoder`. */
export function decode(bytes: Uint8Array, start: number, end: number): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('utf8', start, end);
}
