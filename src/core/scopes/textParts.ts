import { LONGEST_TEXT } from './pathText.ts';

/** What a text contains that a program may take for a path or a name of its own. */
export interface TextPart {
  readonly text: string;
  /** Begins where programs let a path begin: what is absolute there is meant to be. The others only deny. */
  readonly isOwn: boolean;
}

const MOST_PARTS = 128;
/** Before a part, each with what follows: lists, `a=b`, `REV:path`, `{a,b}`, `user@host`, `!negated`. */
const STARTS = /[\s,;|=:<>("'`[{)\]}!?&#@+^]/g;
/** After these a part may be a path of its own. */
const OWN_STARTS = new Set([...' ,;|=:<("\'`[{\t']);
const ENDS = /[\s,;|"'`<>]/;
/** Programs cut off what follows: a line, a fragment, a revision. */
const TAILS = ['@', '#', '?', '!', ':', '(', '=', '^', '&', '}', ')', ']', '..'];
/** An option with its value: `-I/usr/include`, `-Csecrets`. */
const GLUED = /^-{1,2}[A-Za-z](?=.)/;
const LEADING = /^[-+!^@#&%$*:?.,;=]+(?=.)/;

/** The parts of a text without the text itself; `undefined` where there are too many to look at. */
export function partsOf(text: string): readonly TextPart[] | undefined {
  const found = new Map<string, boolean>();
  const add = (part: string, isOwn: boolean): void => {
    if (part !== '' && part !== text && /[^\d.]/.test(part)) found.set(part, isOwn || found.get(part) === true);
  };
  const addFrom = (start: number, isOwn: boolean): void => {
    const rest = text.slice(start);
    const end = rest.search(ENDS);
    const part = end < 0 ? rest : rest.slice(0, end);
    // What follows the colon of a scheme belongs to it.
    const isAuthority = part.startsWith('//') && text[start - 1] === ':';
    const canBeOwn = isOwn && !isAuthority;
    add(part, canBeOwn);
    for (const tail of TAILS) {
      const at = part.indexOf(tail, 1);
      if (at > 0) add(part.slice(0, at), canBeOwn && tail !== '..');
    }
  };
  // What it begins with leads out only with the whole, unless that leads back again.
  addFrom(0, text.includes('..'));
  for (const { index } of text.matchAll(STARTS)) {
    if (found.size > MOST_PARTS) return undefined;
    // Whole rests too: names have spaces in them.
    if (index > 0 && text[index] !== ' ') add(text.slice(index + 1).trim(), false);
    addFrom(index + 1, OWN_STARTS.has(text[index] ?? ''));
  }
  for (const strip of [GLUED, LEADING]) {
    const start = strip.exec(text)?.[0].length ?? 0;
    if (start > 0) addFrom(start, strip === GLUED);
  }
  return found.size > MOST_PARTS ? undefined : [...found].map(([part, isOwn]) => ({ text: part, isOwn }));
}

const PATH_LIKE = /[\\/]|%(?:25)*(?:2f|5c)|^\.|\w\.\w/i;
const MOST_WORDS = 2;

/** Sentences: more words than anything that looks like a path. A list of paths has none, or few. */
export function isProse(text: string): boolean {
  if (!/\s/.test(text)) return false;
  const words = text.split(/\s+/).filter((word) => word !== '');
  const plain = words.filter((word) => !PATH_LIKE.test(word.replace(/[.!?:,;)]+$/, '')));
  return plain.length > MOST_WORDS && plain.length * 2 > words.length;
}

/** The one line that a text is, or `undefined` where it is longer or has several. */
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
