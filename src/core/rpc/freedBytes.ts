/** In the language since ES2024. In older runtimes, the collector frees the bytes later. */
interface Transferable {
  transfer?(length: number): unknown;
}

/**
 * Frees the memory of unused bytes at once. Uncollected garbage counts as used memory: for an endless message, half as
 * much again.
 */
export function freeBytes(bytes: Uint8Array): void {
  const buffer: ArrayBufferLike & Transferable = bytes.buffer;
  // Other views may share the buffer, so keep it.
  if (bytes.byteLength > 0 && bytes.byteLength === buffer.byteLength) buffer.transfer?.(0);
}
