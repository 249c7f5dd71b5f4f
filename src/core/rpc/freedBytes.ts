/** Part of the language since ES2024; older runtimes collect the bytes some time later. */
interface Transferable {
  transfer?(length: number): unknown;
}

/**
 * Gives the memory of bytes back at once that nobody looks at any more. What a collector has not yet come to counts
 * like what is held: of a message that does not end there would be half as much again.
 */
export function freeBytes(bytes: Uint8Array): void {
  const buffer: ArrayBufferLike & Transferable = bytes.buffer;
  // Of a buffer that others have a part in nothing is known.
  if (bytes.byteLength > 0 && bytes.byteLength === buffer.byteLength) buffer.transfer?.(0);
}
