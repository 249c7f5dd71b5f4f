import { type Clock, nextTurn } from './clock.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from './json.ts';

/** About as many characters take a quarter of a millisecond: no need to think of slices. */
const SMALL = 64 * 1024;
/** After so many milliseconds of work others have their turn. A piece may overrun it by what it takes itself. */
const SLICE_MS = 3;
const MAX_PIECE = 128 * 1024;
const SMALLEST_PIECE = 4 * 1024;

/**
 * Exactly what `JSON.stringify` gives, without keeping others waiting for more than a few milliseconds at a time. Only
 * an object with hundreds of thousands of members of its own takes longer, for as long as naming them all does.
 */
export async function slicedJson(value: Json, clock: Clock): Promise<string> {
  let started = clock.now();
  if (weigh(value, SMALL) <= SMALL) return JSON.stringify(value);
  const pace: TimeSlice = { piece: SMALL };
  const pieces: string[] = [];
  let last = started;
  for (const piece of piecesOf(value, pace)) {
    pieces.push(piece);
    const now = clock.now();
    // Values differ in what a character of them costs, and machines do.
    if (now - last >= SLICE_MS / 2) pace.piece = Math.max(SMALLEST_PIECE, pace.piece / 2);
    else if (now === last) pace.piece = Math.min(MAX_PIECE, pace.piece * 2);
    last = now;
    if (now - started < SLICE_MS) continue;
    await nextTurn(clock);
    started = last = clock.now();
  }
  return pieces.join('');
}

interface TimeSlice {
  /** Characters, roughly, that are written at once. */
  piece: number;
}

/** Of a value that is more than one piece. */
function* piecesOf(value: Json, pace: TimeSlice): Generator<string, void, undefined> {
  if (typeof value === 'string') yield* piecesOfText(value, pace);
  else if (isJsonArray(value)) yield* piecesOfArray(value, pace);
  else if (isJsonObject(value)) yield* piecesOfObject(value, pace);
}

function* piecesOfText(text: string, pace: TimeSlice): Generator<string, void, undefined> {
  yield '"';
  for (let from = 0; from < text.length;) {
    let to = from + pace.piece;
    // Half of a pair would be written as an escape.
    if (/[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(to - 1, to + 1))) to++;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield '"';
}

function* piecesOfArray(items: readonly Json[], pace: TimeSlice): Generator<string, void, undefined> {
  let separator = '[';
  for (let from = 0; from < items.length;) {
    const to = endOfRun(items, from, pace.piece);
    if (to === from) {
      yield separator;
      yield* piecesOf(items[from] ?? null, pace);
      from++;
    } else {
      yield separator + JSON.stringify(items.slice(from, to)).slice(1, -1);
      from = to;
    }
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** The end of the items that can be written together with the one at `from`; `from` if that one alone is too large. */
function endOfRun(items: readonly Json[], from: number, limit: number): number {
  let left = limit;
  let to = from;
  while (to < items.length) {
    left -= weigh(items[to], left);
    if (left < 0) break;
    to++;
  }
  return to;
}

function* piecesOfObject(members: JsonObject, pace: TimeSlice): Generator<string, void, undefined> {
  // The language names all members at once, and takes a while for a hundred thousand: others have their turn before.
  yield '{';
  // Joined as they are yielded: to put together a text out of a million would be the work of one long moment in the end.
  let texts: string[] = [];
  let length = 0;
  let separator = '';
  for (const key of Object.keys(members)) {
    const member = members[key];
    if (member === undefined) continue;
    const name = `${separator}${JSON.stringify(key)}:`;
    separator = ',';
    const isSmall = weigh(member, pace.piece) <= pace.piece;
    const text = isSmall ? name + JSON.stringify(member) : name;
    texts.push(text);
    length += text.length;
    if (isSmall && length < pace.piece) continue;
    yield texts.join('');
    texts = [];
    length = 0;
    if (!isSmall) yield* piecesOf(member, pace);
  }
  texts.push('}');
  yield texts.join('');
}

/** What a value takes besides its texts: a bracket or a number, a comma, and the time to look at it. */
const EACH = 8;

/** Approximate characters as JSON; stops above `limit`. */
export function weigh(value: Json | undefined, limit: number): number {
  if (typeof value === 'string') return value.length + EACH;
  if (typeof value !== 'object' || value === null) return EACH;
  let weight = EACH;
  if (isJsonArray(value)) {
    for (const item of value) {
      weight += weigh(item, limit - weight);
      if (weight > limit) return weight;
    }
  } else if (isJsonObject(value)) {
    for (const key in value) {
      weight += key.length + weigh(value[key], limit - weight);
      if (weight > limit) return weight;
    }
  }
  return weight;
}
