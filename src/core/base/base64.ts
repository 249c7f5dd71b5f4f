const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Encodes the UTF-8 bytes of a text. */
export function base64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let out = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(i, i + 3);
    const bits = (a << 16) | (b << 8) | c;
    const digits = [18, 12, 6, 0].map((shift) => DIGITS.charAt((bits >> shift) & 63));
    out += digits.slice(0, Math.min(3, bytes.length - i) + 1).join('');
  }
  return out.padEnd(Math.ceil(out.length / 4) * 4, '=');
}

/** Decodes base64 with either alphabet. Returns an empty text for invalid input. */
export function unbase64(encoded: string): string {
  const bytes: number[] = [];
  let bits = 0;
  let count = 0;
  for (const digit of encoded.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/')) {
    const value = DIGITS.indexOf(digit);
    if (value < 0) return '';
    bits = ((bits << 6) | value) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push((bits >> count) & 255);
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
