/** `bytes[start, end)` as text. Invalid UTF-8 becomes U+FFFD. */
export type DecodeUtf8 = (bytes: Uint8Array, start: number, end: number) => string;

export function decodeWithTextDecoder(): DecodeUtf8 {
  // A byte order mark is removed where lines are parsed, since a decoder would do it only at the start of each call.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return (bytes, start, end) => decoder.decode(bytes.subarray(start, end));
}
