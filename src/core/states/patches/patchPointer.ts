import { cleanLine } from '../../base/cleanText.ts';

/** The tokens of a JSON Pointer (RFC 6901). The first is always empty and means the whole document. */
export type Tokens = readonly string[];

const BAD_ESCAPE = /~(?![01])/;

/** Returns `undefined` for invalid text. */
export function parsePointer(pointer: string): Tokens | undefined {
  const tokens = pointer.split('/');
  if (tokens[0] !== '') return undefined;
  if (!pointer.includes('~')) return tokens;
  // The order matters: `~01` means `~1`, not a slash.
  return BAD_ESCAPE.test(pointer)
    ? undefined
    : tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const ZERO = 48;
const NINE = 57;
/** More digits than any list index needs. */
const MAX_DIGITS = 9;

/** Parses an array index (RFC 6901 §4: digits only, no leading zeros). Returns -1 if it is invalid. */
export function indexIn(token: string): number {
  const { length } = token;
  if (length === 0 || length > MAX_DIGITS || (length > 1 && token.charCodeAt(0) === ZERO)) return -1;
  let index = 0;
  for (let i = 0; i < length; i++) {
    const code = token.charCodeAt(i);
    if (code < ZERO || code > NINE) return -1;
    index = index * 10 + code - ZERO;
  }
  return index;
}

const MAX_SHOWN = 200;

/** A pointer formatted for display. */
export function quotedPointer(pointer: string): string {
  return `"${cleanLine(pointer, MAX_SHOWN)}"`;
}
