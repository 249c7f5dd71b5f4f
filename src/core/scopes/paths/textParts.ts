import { MAX_TEXT } from './pathText.ts';

/** A part of a text that a program may treat as a path or a name. */
interface TextPart {
  readonly text: string;
  /** Whether a path can begin here, so that an absolute one must be allowed. Other parts can only deny. */
  readonly own: Own;
}

export type Own = 'yes' | 'ifThere' | 'no';

const MAX_PARTS = 128;
/** Characters before a part: lists, `a=b`, `REV:path`, `{a,b}`, `user@host`, `!negated`. */
const STARTS = /[\s,;|=:<>("'`[{)\]}!?&#@+^]/g;
/** After these characters, a part may be a separate path. */
const OWN_STARTS = new Set([...' ,;|=:("\'`[{\t']);
const ENDS = /[\s,;|"'`<>]/;
/** Suffixes that programs cut off: a line, a fragment, a revision. */
const TAILS = ['@', '#', '?', '!', ':', '(', '=', '^', '&', '}', ')', ']', '..'];
/** An option with its value: `-I/usr/include`, `-Csecrets`. */
const GLUED = /^-{1,2}[A-Za-z](?=.)/;
const SCHEME_BEFORE = /(?:^|[\s,;|=<>("'`[])[a-z][a-z\d+-]*:$/i;
const LEADING = /^[-+!^@#&%$*:?.,;=]+(?=.)/;
/** Placeholders, aliases and repository roots: `{root}/x`, `@/x`, `:/x`, `workspace:///x`. */
const ROOTED = /(?:[}>)\]`%@]|(?<!\bhttps?|\bwss?):(?:\/\/)?)\/(?=[^/])|^[a-z][\w+-]*(?<!\bhttps?|\bwss?):\/{2,}/gi;
const MAX_UNESCAPINGS = 2;
/** Escapes in JSON and program code: `\u002f`, `\x2f`. */
const ESCAPED = /\\(?:u([\da-f]{4})|u\{([\da-f]{1,6})\}|x([\da-f]{2}))/gi;

/** The parts of a text without the text itself; `undefined` if there are too many to check. */
export function partsOf(text: string, unescapings = 0): readonly TextPart[] | undefined {
  const parts = new Parts(text);
  if (!parts.addUnescaped(unescapings)) return undefined;
  for (const found of text.matchAll(ROOTED)) parts.addFrom(found.index + found[0].length, 'no');
  // The start of a text leads outside only if the whole does. With `..`, the whole may lead back in.
  parts.addFrom(0, text.includes('..') ? 'yes' : 'no');
  for (const { index } of text.matchAll(STARTS)) {
    if (parts.found.size > MAX_PARTS) return undefined;
    // Also adds the whole rest, because names may contain spaces.
    if (index > 0 && text[index] !== ' ') parts.add(text.slice(index + 1).trim(), 'no');
    parts.addFrom(index + 1, ownAfter(text, index));
  }
  for (const strip of [GLUED, LEADING]) {
    const start = strip.exec(text)?.[0].length ?? 0;
    if (start > 0) parts.addFrom(start, strip === GLUED ? 'yes' : 'ifThere');
  }
  return parts.found.size > MAX_PARTS ? undefined : [...parts.found].map(([part, own]) => ({ text: part, own }));
}

function unescaped(text: string): string {
  return text.replace(ESCAPED, (whole, ...codes: (string | undefined)[]) => {
    const code = Number.parseInt(codes.slice(0, 3).find((digits) => digits !== undefined) ?? '', 16);
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}

/** A path after a scheme without a host (`sqlite:////x`). A `file:` URI is read as a whole. */
function isPathOfScheme(text: string, start: number): boolean {
  const before = text.slice(0, start);
  return /^\/{3}/.test(text.slice(start)) && SCHEME_BEFORE.test(before) && !/\b(?:file|vscode-remote):$/i.test(before);
}

function ownAfter(text: string, index: number): Own {
  // A closing tag, or a redirected file.
  if (text[index] === '<') return 'ifThere';
  // Between spaces, `/` is a division.
  if (text[index] === ' ' && /^\/\s/.test(text.slice(index + 1))) return 'no';
  if (text[index] === ':' && isPathOfScheme(text, index + 1)) return 'ifThere';
  const isDrive = text[index] === ':' && /(?:^|[^A-Za-z])[A-Za-z]$/.test(text.slice(0, index));
  return !isDrive && OWN_STARTS.has(text[index] ?? '') ? 'yes' : 'no';
}

class Parts {
  readonly found = new Map<string, Own>();
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  add(part: string, own: Own): void {
    if (part === '' || part === this.#text || !/[^\d.]/.test(part)) return;
    if (own !== 'no' || !this.found.has(part)) this.found.set(part, own);
  }

  /** Returns false if there are too many parts. */
  addUnescaped(before: number): boolean {
    const plain = unescaped(this.#text);
    if (plain === this.#text || before >= MAX_UNESCAPINGS) return true;
    this.add(plain, 'yes');
    const inside = partsOf(plain, before + 1);
    for (const { text, own } of inside ?? []) this.add(text, own);
    return inside !== undefined;
  }

  addFrom(start: number, own: Own): void {
    const rest = this.#text.slice(start);
    const end = rest.search(ENDS);
    const part = end < 0 ? rest : rest.slice(0, end);
    // The text after the colon of a scheme belongs to the scheme.
    const isAuthority =
      part.startsWith('//') && SCHEME_BEFORE.test(this.#text.slice(0, start)) && !isPathOfScheme(this.#text, start);
    const canBe = isAuthority ? 'no' : own;
    this.add(part, canBe);
    for (const tail of TAILS) {
      const at = part.indexOf(tail, 1);
      if (at > 0) this.add(part.slice(0, at), tail === '..' ? 'no' : canBe);
    }
  }
}

const PATH_LIKE = /[\\/]|%(?:25)*(?:2f|5c)|^\.|\w\.\w|^(?:[#@\uFF03\uFF20]|%23|%40)\w/i;
const MAX_WORDS = 2;

/** Prose has more plain words than path-like ones. A list of paths has few or none. */
export function isProse(text: string, isSaid: boolean): boolean {
  if (!/\s/.test(text)) return false;
  const words = text.split(/\s+/).filter((word) => word !== '');
  const plain = words.filter((word) => !PATH_LIKE.test(word.replace(/[.!?:,;)]+$/, '')));
  // Members for prose need only one plain word.
  return isSaid ? plain.length > 0 : plain.length > MAX_WORDS && plain.length * 2 > words.length;
}

/** The text as one line, or `undefined` if it is too long or has several lines. */
export function lineOf(text: string): string | undefined {
  if (text.length > MAX_TEXT * 2) return undefined;
  const line = text.trim().replaceAll('\t', ' ');
  return line === '' || line.length > MAX_TEXT || /[\r\n\v\f\u0085\u2028\u2029]/.test(line) ? undefined : line;
}

/** Numbers, times and flags are not names. */
const VALUE = /^(?:[\d.,:+\-TZ/]+|true|false|null|none|yes|no)$/i;

/** A single word that may name a channel, a person or a file. */
export function isWord(text: string): boolean {
  return !/\s/.test(text) && !VALUE.test(text);
}
