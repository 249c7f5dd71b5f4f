/** The search compares four bytes at once, as one number. */
const GRAM = 4;
/** A gram may start at any of four bytes of a word, and only aligned words are read. */
const SHORTEST = 2 * GRAM - 1;
/** Longer texts are found by their first bytes, because a larger step gains nothing. */
const MAX_WINDOW = 64;
/** Characters per chunk, whose bytes fit into a processor's cache. */
const CHUNK = 16_384;
const MAX_BYTES = 3;
/** With this many slots per gram, few grams of other texts collide with a wanted one. */
const SLOTS_PER_GRAM = 64;

interface Wanted {
  readonly bytes: Uint8Array;
  /** Offset of the gram in these bytes. */
  readonly offset: number;
}

const encoder = new TextEncoder();
/** Shared by all searches, because a search ends before the next one begins. */
let bytes = new Uint8Array(0);
let words = new Int32Array(0);

/**
 * Creates a function that checks whether a text contains any of the given ones. Every result is searched for every
 * secret, so this must be fast: for a secret of 16 characters, it reads one word in twelve of the text's bytes.
 */
export function textFinder(wanted: readonly string[]): (text: string) => boolean {
  const texts = [...new Set(wanted)];
  const all = texts.map((text) => encoder.encode(text));
  const shortest = Math.min(MAX_WINDOW, ...all.map(({ length }) => length));
  // A lone surrogate cannot be encoded.
  if (shortest < SHORTEST || texts.some((text) => /\p{Surrogate}/u.test(text)))
    return (text) => texts.some((each) => text.includes(each));
  const last = shortest - GRAM;
  const step = Math.floor((last + 1) / GRAM);
  const bits = Math.min(20, Math.ceil(Math.log2(all.length * (last + 1) * SLOTS_PER_GRAM)));
  const shift = 32 - bits;
  const mayBe = new Uint8Array(2 ** bits);
  const byGram = new Map<number, Wanted[]>();
  for (const each of all)
    for (let offset = 0; offset <= last; offset++) {
      const gram = gramAt(each, offset);
      mayBe[slotOf(gram, bits)] = 1;
      byGram.set(gram, [...(byGram.get(gram) ?? []), { bytes: each, offset }]);
    }
  const overlap = Math.max(...texts.map(({ length }) => length)) + 1;
  return (text) => {
    for (let start = 0; start < text.length; start += CHUNK) {
      const chunk = text.length <= CHUNK ? text : text.slice(start, start + CHUNK + overlap);
      reserve(chunk.length * MAX_BYTES);
      const { written } = encoder.encodeInto(chunk, bytes);
      if (contains(written)) return true;
    }
    return false;
  };

  function contains(length: number): boolean {
    const end = length >> 2;
    for (let word = next(0, end); word < end; word = next(word + step, end)) {
      const found = byGram.get(words[word] ?? 0);
      if (found?.some((each) => isAt(each, word * GRAM, length)) === true) return true;
    }
    return false;
  }

  /** The next word that may be a gram. Calls no functions, which makes it three times as fast. */
  function next(from: number, end: number): number {
    const [view, slots, by, down] = [words, mayBe, step, shift];
    let word = from;
    while (word < end && slots[Math.imul(view[word] ?? 0, FACTOR) >>> down] === 0) word += by;
    return word;
  }
}

/** Odd and without a bit pattern, so that products of similar numbers differ in their upper bits. */
const FACTOR = 0x9e3779b1 | 0;

function slotOf(gram: number, bits: number): number {
  return Math.imul(gram, FACTOR) >>> (32 - bits);
}

function gramAt(text: Uint8Array, offset: number): number {
  return new Int32Array(text.slice(offset, offset + GRAM).buffer)[0] ?? 0;
}

function isAt({ bytes: wanted, offset }: Wanted, at: number, length: number): boolean {
  const start = at - offset;
  return start >= 0 && start + wanted.length <= length && wanted.every((byte, index) => bytes[start + index] === byte);
}

function reserve(length: number): void {
  if (bytes.length >= length) return;
  bytes = new Uint8Array(Math.ceil(length / GRAM) * GRAM);
  words = new Int32Array(bytes.buffer);
}
