import { lazy } from './lazy.ts';

/**
 * Characters that are invisible, or that change how others are shown. Models read them, so a text can say something to
 * a model that users do not see. Emoji, ideographs, joiners of Persian and Indic scripts, and paired direction marks
 * need some of them and keep them.
 */

/** Only above U+00FF: the search ends at once in texts with one byte per character, which are most texts. */
const HINT =
  /[\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\uD80D\uD82F\uD834\uDB40-\uDB43]/;
const SOFT_HYPHEN = '\u00AD';

/**
 * The flags of England, Scotland and Wales, which are the only emoji with tag characters. Matched first, so that they
 * stay unchanged.
 */
const FLAG =
  '\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}';
const HIDDEN =
  '[\\p{Default_Ignorable_Code_Point}\\u{FFF0}-\\u{FFFB}\\u{13430}-\\u{1343F}\\u{1D173}-\\u{1D17A}\\u{1BCA0}-\\u{1BCA3}]';
// `lazy`, because Unicode character classes take up to a millisecond to build and most texts need none.
const flagOrHidden = lazy(() => new RegExp(`${FLAG}|${HIDDEN}`, 'gu'));
const oneHidden = lazy(() => new RegExp(`^${HIDDEN}$`, 'u'));

/** Writes such characters as `\u{…}`, so that models see what users do not see. */
export function showHidden(text: string): string {
  return mayHide(text) ? replaceHidden(text, escaped) : text;
}

/** Removes such characters, for names, descriptions and instructions. */
export function withoutHidden(text: string): string {
  if (!mayHide(text)) return text;
  // Repeated, because removing characters joins others.
  for (let before = text; ;) {
    const after = replaceHidden(before, () => '');
    if (after === before) return after;
    before = after;
  }
}

/** Whether the character is hidden, regardless of its context. */
export function isHidden(character: string): boolean {
  return oneHidden().test(character);
}

function mayHide(text: string): boolean {
  return HINT.test(text) || text.includes(SOFT_HYPHEN);
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function replaceHidden(text: string, replace: (character: string) => string): string {
  let paired: ReadonlySet<number> | undefined;
  return text.replace(flagOrHidden(), (found: string, at: number) => {
    // A flag.
    if (found.length > 2) return found;
    const isAllowed = BIDI.test(found) ? (paired ??= pairedMarks(text)).has(at) : belongs(text, at, found);
    return isAllowed ? found : replace(found);
  });
}

const emoji = lazy(() => /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator})$/u);
const ideograph = lazy(() => /^(?:\p{Unified_Ideograph}|\p{Ideographic})$/u);
const FREE_VARIATION = /^[\u180B-\u180D\u180F]$/;
const mongolian = lazy(() => /^\p{Script=Mongolian}$/u);
/** Scripts whose joiners decide how letters are connected. */
const joining = lazy(
  () =>
    /^(?:\p{scx=Arab}|\p{scx=Syrc}|\p{scx=Nkoo}|\p{scx=Mong}|\p{scx=Adlm}|\p{scx=Rohg}|\p{scx=Deva}|\p{scx=Beng}|\p{scx=Guru}|\p{scx=Gujr}|\p{scx=Orya}|\p{scx=Taml}|\p{scx=Telu}|\p{scx=Knda}|\p{scx=Mlym}|\p{scx=Sinh}|\p{scx=Khmr}|\p{scx=Mymr}|\p{scx=Tibt}|\p{scx=Java}|\p{scx=Bali})$/u,
);
const letter = lazy(() => /^[\p{L}\p{M}]$/u);

/** Whether the character has a visible effect at this position. */
function belongs(text: string, at: number, character: string): boolean {
  const before = characterBefore(text, at);
  switch (character) {
    case '\u200C':
    case '\u200D': {
      const after = characterAt(text, at + 1);
      if (isHidden(before) && before !== '\uFE0F') return false;
      return isJoining(before) || isJoining(after) || joinsEmoji(text, at, character);
    }
    case '\uFE0E':
    case '\uFE0F':
      return emoji().test(before) || (/^[\d#*]$/.test(before) && text.charAt(at + 1) === '\u20E3');
    default:
      if (isVariation(character)) return ideograph().test(before);
      return FREE_VARIATION.test(character) && mongolian().test(before) && !isHidden(before);
  }
}

function isJoining(character: string): boolean {
  return letter().test(character) && joining().test(character) && !isHidden(character);
}

/** Variation selectors of ideographs: three standard ones, and those of the ideographic variation database. */
function isVariation(character: string): boolean {
  return /^[\uFE00-\uFE02\u{E0100}-\u{E01EF}]$/u.test(character);
}

/** Between two emoji. The first may have a skin tone or an emoji selector. */
function joinsEmoji(text: string, at: number, character: string): boolean {
  if (character !== '\u200D' || !/^\p{Extended_Pictographic}$/u.test(characterAt(text, at + 1))) return false;
  const before = characterBefore(text, at);
  return emoji().test(before === '\uFE0F' ? characterBefore(text, at - 1) : before);
}

const BIDI = /^[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]$/;
const EMBEDDING = /^[\u202A\u202B\u202D\u202E]$/;
const ISOLATE = /^[\u2066-\u2068]$/;
const BIDI_OR_OTHER = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]|[\n\r\u0085\u001C-\u001E\u2029]|[^]/gu;
const rightToLeft = lazy(
  () =>
    /[\p{scx=Arab}\p{scx=Hebr}\p{scx=Syrc}\p{scx=Thaa}\p{scx=Nkoo}\p{scx=Adlm}\p{scx=Samr}\p{scx=Mand}\p{scx=Rohg}]/u,
);

interface Opened {
  readonly at: number;
  readonly isIsolate: boolean;
  hasText: boolean;
}

/** One line of a text. Directions end with the line. */
class Line {
  readonly #paired: Set<number>;
  readonly #marks: number[] = [];
  readonly #opened: Opened[] = [];
  #hasRightToLeft = false;
  #lastMark = -1;

  constructor(paired: Set<number>) {
    this.#paired = paired;
  }

  take(character: string, at: number): void {
    if (EMBEDDING.test(character)) this.#opened.push({ at, isIsolate: false, hasText: false });
    else if (ISOLATE.test(character)) this.#opened.push({ at, isIsolate: true, hasText: false });
    else if (character === '\u202C') this.#close(at, false);
    else if (character === '\u2069') this.#close(at, true);
    else if (BIDI.test(character)) this.#mark(at);
    else this.#text(character);
  }

  /** Direction marks only have an effect next to letters that are written from right to left. */
  end(): void {
    if (this.#hasRightToLeft) for (const at of this.#marks) this.#paired.add(at);
  }

  #close(at: number, isIsolate: boolean): void {
    const opened = this.#opened.at(-1);
    if (opened === undefined || opened.isIsolate !== isIsolate) return;
    this.#opened.pop();
    // A pair without text has no visible effect.
    if (!opened.hasText) return;
    this.#paired.add(opened.at).add(at);
    const outer = this.#opened.at(-1);
    if (outer !== undefined) outer.hasText = true;
  }

  /** A repeated mark has no further effect. */
  #mark(at: number): void {
    if (this.#lastMark !== at - 1) this.#marks.push(at);
    this.#lastMark = at;
  }

  #text(character: string): void {
    if (isHidden(character)) {
      if (this.#lastMark !== -1) this.#lastMark++;
      return;
    }
    const innermost = this.#opened.at(-1);
    if (innermost !== undefined && !/^\s$/.test(character)) innermost.hasText = true;
    this.#hasRightToLeft ||= rightToLeft().test(character) && letter().test(character);
  }
}

/** Positions of direction marks that are paired around text, or next to letters that need them. */
function pairedMarks(text: string): ReadonlySet<number> {
  const paired = new Set<number>();
  let line = new Line(paired);
  for (const { 0: character, index } of text.matchAll(BIDI_OR_OTHER)) {
    if (/^[\n\r\u0085\u001C-\u001E\u2029]$/.test(character)) {
      line.end();
      line = new Line(paired);
    } else line.take(character, index);
  }
  line.end();
  return paired;
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

function characterBefore(text: string, at: number): string {
  if (at <= 0) return '';
  const isPair = /[\uDC00-\uDFFF]/.test(text.charAt(at - 1)) && /[\uD800-\uDBFF]/.test(text.charAt(at - 2));
  return text.slice(at - (isPair ? 2 : 1), at);
}
