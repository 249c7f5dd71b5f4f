import { MAX_DEPTH } from '../base/json.ts';

/** The last token passed. */
type JsonMark =
  | 'none'
  /** A name in the watched object starts after its opening quotation mark. */
  | 'nameBegins'
  | 'nameEnds'
  /** The first byte of a member's value: an object, an array or a text. */
  | 'objectBegins'
  | 'valueBegins'
  | 'valueEnds'
  /** The watched container has ended. */
  | 'left';

// States of the parser. 0 is invalid JSON (RFC 8259) and final.
const BAD = 0;
const [VALUE, FIRST_ITEM, FIRST_NAME, NAME, COLON, NEXT, STRING, ESCAPE, HEX1, HEX2, HEX3, HEX4] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
] as const;
const [MINUS, ZERO, WHOLE, POINT, FRACTION, EXPONENT, SIGNED, POWER] = [13, 14, 15, 16, 17, 18, 19, 20] as const;
const FIRST_LETTER = 21;
const STATES = 32;
// Actions, which determine the next state.
const [OPEN_OBJECT, OPEN_ARRAY, CLOSE_OBJECT, CLOSE_ARRAY, COMMA, OPEN_NAME, OPEN_TEXT, CLOSE_TEXT] = [
  64, 65, 66, 67, 68, 69, 70, 71,
] as const;

const BLANKS = ' \t\r\n';
const DIGITS = '0123456789';
const OBJECT = 1;
const ARRAY = 2;
const BACKSLASH = 0x5c;
const QUOTE = 0x22;

/** The next state or action, by state and byte. */
const TABLE = table();

function table(): Uint8Array {
  const made = new Uint8Array(STATES * 256);
  const on = (state: number, chars: string, next: number): void => {
    for (const char of chars) made[state * 256 + char.charCodeAt(0)] = next;
  };
  for (const state of [VALUE, FIRST_ITEM, FIRST_NAME, NAME, COLON, NEXT]) on(state, BLANKS, state);
  let letter = FIRST_LETTER;
  for (const word of ['true', 'false', 'null']) {
    on(VALUE, word.charAt(0), letter);
    on(FIRST_ITEM, word.charAt(0), letter);
    for (let i = 1; i < word.length; i++) on(letter, word.charAt(i), i === word.length - 1 ? NEXT : ++letter);
    letter++;
  }
  for (const state of [VALUE, FIRST_ITEM]) {
    on(state, '{', OPEN_OBJECT);
    on(state, '[', OPEN_ARRAY);
    on(state, '"', OPEN_TEXT);
    on(state, '-', MINUS);
    on(state, '0', ZERO);
    on(state, '123456789', WHOLE);
  }
  on(FIRST_ITEM, ']', CLOSE_ARRAY);
  on(FIRST_NAME, '}', CLOSE_OBJECT);
  for (const state of [FIRST_NAME, NAME]) on(state, '"', OPEN_NAME);
  on(COLON, ':', VALUE);
  for (const state of [NEXT, ZERO, WHOLE, FRACTION, POWER]) {
    on(state, BLANKS, NEXT);
    on(state, ',', COMMA);
    on(state, '}', CLOSE_OBJECT);
    on(state, ']', CLOSE_ARRAY);
  }
  on(MINUS, '0', ZERO);
  on(MINUS, '123456789', WHOLE);
  on(WHOLE, DIGITS, WHOLE);
  for (const state of [ZERO, WHOLE]) on(state, '.', POINT);
  for (const state of [POINT, FRACTION]) on(state, DIGITS, FRACTION);
  for (const state of [ZERO, WHOLE, FRACTION]) on(state, 'eE', EXPONENT);
  on(EXPONENT, '+-', SIGNED);
  for (const state of [EXPONENT, SIGNED, POWER]) on(state, DIGITS, POWER);
  // Includes bytes of non-ASCII characters. Invalid UTF-8 becomes U+FFFD when decoded.
  for (let byte = 0x20; byte < 256; byte++) made[STRING * 256 + byte] = STRING;
  on(STRING, '"', CLOSE_TEXT);
  on(STRING, '\\', ESCAPE);
  on(ESCAPE, '"\\/bfnrt', STRING);
  on(ESCAPE, 'u', HEX1);
  for (const state of [HEX1, HEX2, HEX3, HEX4]) on(state, `${DIGITS}abcdefABCDEF`, state === HEX4 ? STRING : state + 1);
  return made;
}

/**
 * Parses JSON byte by byte, in pieces of any size, and validates it: accepts exactly what `JSON.parse` does, up to the
 * nesting limit for servers. Only stops at tokens directly in the watched container, given by its depth; 0 is outside
 * everything.
 */
export class JsonMachine {
  watched = 0;
  #mark: JsonMark = 'none';
  #state: number = VALUE;
  #depth = 0;
  readonly #kinds = new Uint8Array(MAX_DEPTH + 1);
  #isInName = false;

  get mark(): JsonMark {
    return this.#mark;
  }

  get isBad(): boolean {
    return this.#state === BAD;
  }

  /** The outermost object or array has ended. */
  get isComplete(): boolean {
    return this.#depth === 0 && this.#state === NEXT;
  }

  /** Reads `bytes[from, end)` up to the next mark. Returns the position after it, or `end`. */
  run(bytes: Uint8Array, from: number, end: number): number {
    this.#mark = 'none';
    let state = this.#state;
    let at = from;
    while (at < end) {
      if (state === STRING) {
        at = endOfPlain(bytes, at, end);
        if (at === end) break;
      }
      const next = TABLE[(state << 8) | (bytes[at++] ?? 0)] ?? BAD;
      if (next < OPEN_OBJECT) {
        state = next;
        continue;
      }
      state = this.#act(next);
      if (this.#mark !== 'none') break;
    }
    this.#state = state;
    return at;
  }

  #act(action: number): number {
    switch (action) {
      case OPEN_OBJECT:
        return this.#open(OBJECT, FIRST_NAME);
      case OPEN_ARRAY:
        return this.#open(ARRAY, FIRST_ITEM);
      case CLOSE_OBJECT:
        return this.#close(OBJECT);
      case CLOSE_ARRAY:
        return this.#close(ARRAY);
      case COMMA: {
        const kind = this.#kinds[this.#depth];
        return kind === OBJECT ? NAME : kind === ARRAY ? VALUE : BAD;
      }
      case OPEN_NAME:
        return this.#openText(true, 'nameBegins');
      case OPEN_TEXT:
        return this.#openText(false, 'valueBegins');
      default:
        return this.#closeText();
    }
  }

  #open(kind: typeof OBJECT | typeof ARRAY, state: number): number {
    if (this.#depth === this.watched) this.#mark = kind === OBJECT ? 'objectBegins' : 'valueBegins';
    if (this.#depth === MAX_DEPTH) return BAD;
    this.#kinds[++this.#depth] = kind;
    return state;
  }

  #close(kind: typeof OBJECT | typeof ARRAY): number {
    if (this.#kinds[this.#depth] !== kind) return BAD;
    this.#depth--;
    if (this.#depth === this.watched) this.#mark = 'valueEnds';
    else if (this.#depth < this.watched) this.#mark = 'left';
    return NEXT;
  }

  #openText(isName: boolean, mark: JsonMark): number {
    this.#isInName = isName;
    if (this.#depth === this.watched) this.#mark = mark;
    return STRING;
  }

  #closeText(): number {
    if (this.#depth === this.watched) this.#mark = this.#isInName ? 'nameEnds' : 'valueEnds';
    return this.#isInName ? COLON : NEXT;
  }
}

/** Skips the inside of texts, which is most of a long message. */
function endOfPlain(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  for (; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE || byte === BACKSLASH || byte < 0x20) break;
  }
  return at;
}
