import { cleanLine } from '../../base/cleanText.ts';

/** A parsed JSON Pointer (RFC 6901). The first is always empty: it stands for the whole document. */
export type Tokens = readonly string[];

const BAD_ESCAPE = /~(?![01])/;

/** `undefined` where the text is no pointer. */
export function parsePointer(pointer: string): Tokens | undefined {
  const tokens = pointer.split('/');
  if (tokens[0] !== '') return undefined;
  if (!pointer.includes('~')) return tokens;
  // In this order: `~01` is `~1` and no slash.
  return BAD_ESCAPE.test(pointer)
    ? undefined
    : tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const ZERO = 48;
const NINE = 57;
/** More digits than any list has elements. */
const MOST_DIGITS = 9;

/** The number that an array index says (RFC 6901 §4: digits only, no leading zeros), or -1. */
export function indexIn(token: string): number {
  const { length } = token;
  if (length === 0 || length > MOST_DIGITS || (length > 1 && token.charCodeAt(0) === ZERO)) return -1;
  let index = 0;
  for (let i = 0; i < length; i++) {
    const code = token.charCodeAt(i);
    if (code < ZERO || code > NINE) return -1;
    index = index * 10 + code - ZERO;
  }
  return index;
}

const LONGEST_SHOWN = 200;

/** A pointer as it is shown to a person. */
export function quoted(pointer: string): string {
  return `"${cleanLine(pointer, LONGEST_SHOWN)}"`;
}
