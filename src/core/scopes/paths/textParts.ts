import { LONGEST_TEXT } from './pathText.ts';

/** What a text contains that a program may take for a path or a name of its own. */
export interface TextPart {
  readonly text: string;
  /** Whether programs let a path begin there, so that what is absolute is meant to be; all others only deny. */
  readonly own: Own;
}

export type Own = 'yes' | 'ifThere' | 'no';

const MOST_PARTS = 128;
/** Before a part, each with what follows: lists, `a=b`, `REV:path`, `{a,b}`, `user@host`, `!negated`. */
const STARTS = /[\s,;|=:<>("'`[{)\]}!?&#@+^]/g;
/** After these a part may be a path of its own. */
const OWN_STARTS = new Set([...' ,;|=:("\'`[{\t']);
const ENDS = /[\s,;|"'`<>]/;
/** Programs cut off what follows: a line, a fragment, a revision. */
const TAILS = ['@', '#', '?', '!', ':', '(', '=', '^', '&', '}', ')', ']', '..'];
/** An option with its value: `-I/usr/include`, `-Csecrets`. */
const GLUED = /^-{1,2}[A-Za-z](?=.)/;
const SCHEME_BEFORE = /(?:^|[\s,;|=<>("'`[])[a-z][a-z\d+-]*:$/i;
const LEADING = /^[-+!^@#&%$*:?.,;=]+(?=.)/;
/** Placeholders, aliases, and what begins at the top of a repository: `{root}/x`, `@/x`, `:/x`, `workspace:///x`. */
const ROOTED = /(?:[}>)\]`%@]|(?<!\bhttps?|\bwss?):(?:\/\/)?)\/(?=[^/])|^[a-z][\w+-]*(?<!\bhttps?|\bwss?):\/{2,}/gi;
const MOST_UNESCAPINGS = 2;
/** In JSON and in the texts of programs: `\u002f`, `\x2f`. */
const ESCAPED = /\\(?:u([\da-f]{4})|u\{([\da-f]{1,6})\}|x([\da-f]{2}))/gi;

/** The parts of a text without the text itself; `undefined` if there are too many to check. */
export function partsOf(text: string, unescapings = 0): readonly TextPart[] | undefined {
  const parts = new Parts(text);
  if (!parts.addUnescaped(unescapings)) return undefined;
  for (const found of text.matchAll(ROOTED)) parts.addFrom(found.index + found[0].length, 'no');
  // What it begins with leads out only with the whole, unless that leads back again.
  parts.addFrom(0, text.includes('..') ? 'yes' : 'no');
  for (const { index } of text.matchAll(STARTS)) {
    if (parts.found.size > MOST_PARTS) return undefined;
    // Whole rests too: names have spaces in them.
    if (index > 0 && text[index] !== ' ') parts.add(text.slice(index + 1).trim(), 'no');
    parts.addFrom(index + 1, ownAfter(text, index));
  }
  for (const strip of [GLUED, LEADING]) {
    const start = strip.exec(text)?.[0].length ?? 0;
    if (start > 0) parts.addFrom(start, strip === GLUED ? 'yes' : 'ifThere');
  }
  return parts.found.size > MOST_PARTS ? undefined : [...parts.found].map(([part, own]) => ({ text: part, own }));
}

function unescaped(text: string): string {
  return text.replace(ESCAPED, (whole, ...codes: (string | undefined)[]) => {
    const code = Number.parseInt(codes.slice(0, 3).find((digits) => digits !== undefined) ?? '', 16);
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}

/** Of a scheme without a host (`sqlite:////x`). A `file:` URI is read as a whole. */
function isPathOfScheme(text: string, start: number): boolean {
  const before = text.slice(0, start);
  return /^\/{3}/.test(text.slice(start)) && SCHEME_BEFORE.test(before) && !/\b(?:file|vscode-remote):$/i.test(before);
}

function ownAfter(text: string, index: number): Own {
  // A closing tag, or a file that is redirected.
  if (text[index] === '<') return 'ifThere';
  // Between spaces it divides.
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

  /** False where there are too many. */
  addUnescaped(before: number): boolean {
    const plain = unescaped(this.#text);
    if (plain === this.#text || before >= MOST_UNESCAPINGS) return true;
    this.add(plain, 'yes');
    const inside = partsOf(plain, before + 1);
    for (const { text, own } of inside ?? []) this.add(text, own);
    return inside !== undefined;
  }

  addFrom(start: number, own: Own): void {
    const rest = this.#text.slice(start);
    const end = rest.search(ENDS);
    const part = end < 0 ? rest : rest.slice(0, end);
    // What follows the colon of a scheme belongs to it.
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
const MOST_WORDS = 2;

/** Sentences: more words than anything that looks like a path. A list of paths has none, or few. */
export function isProse(text: string, isSaid: boolean): boolean {
  if (!/\s/.test(text)) return false;
  const words = text.split(/\s+/).filter((word) => word !== '');
  const plain = words.filter((word) => !PATH_LIKE.test(word.replace(/[.!?:,;)]+$/, '')));
  // Where sentences are expected, any word makes one.
  return isSaid ? plain.length > 0 : plain.length > MOST_WORDS && plain.length * 2 > words.length;
}

/** The text as one line, or `undefined` if it is too long or has several lines. */
export function lineOf(text: string): string | undefined {
  if (text.length > LONGEST_TEXT * 2) return undefined;
  const line = text.trim().replaceAll('\t', ' ');
  return line === '' || line.length > LONGEST_TEXT || /[\r\n\v\f\u0085\u2028\u2029]/.test(line) ? undefined : line;
}

/** Numbers, times and flags name nothing. */
const VALUE = /^(?:[\d.,:+\-TZ/]+|true|false|null|none|yes|no)$/i;

/** One word that could be the name of a channel, a person or a file. */
export function isWord(text: string): boolean {
  return !/\s/.test(text) && !VALUE.test(text);
}
