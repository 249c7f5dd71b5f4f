/** Decodes `bytes[start, end)`. Invalid UTF-8 becomes U+FFFD. */
export type DecodeUtf8 = (bytes: Uint8Array, start: number, end: number) => string;

export function decodeWithTextDecoder(): DecodeUtf8 {
  // The line parser removes the byte order mark, because a decoder only does so at the start of each call.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return (bytes, start, end) => decoder.decode(bytes.subarray(start, end));
}
