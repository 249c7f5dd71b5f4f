import { type Clock, nextTurn } from './clock.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from './json.ts';

/** This many characters take a quarter of a millisecond, which needs no slices. */
const SMALL = 64 * 1024;
/** Work per slice, in milliseconds. A single piece may take longer. */
const SLICE_MS = 3;
const MAX_PIECE = 128 * 1024;
const SMALLEST_PIECE = 4 * 1024;

/**
 * The same text as `JSON.stringify`, but yields to the event loop every few milliseconds. Only an object with hundreds
 * of thousands of own members blocks longer, because listing their names is one step.
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
    // Adapts to the speed of the machine and the kind of values.
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
  /** Approximate number of characters to write at once. */
  piece: number;
}

/** The pieces of a value that is too large for one piece. */
function* piecesOf(value: Json, pace: TimeSlice): Generator<string, void, undefined> {
  if (typeof value === 'string') yield* piecesOfText(value, pace);
  else if (isJsonArray(value)) yield* piecesOfArray(value, pace);
  else if (isJsonObject(value)) yield* piecesOfObject(value, pace);
}

function* piecesOfText(text: string, pace: TimeSlice): Generator<string, void, undefined> {
  yield '"';
  for (let from = 0; from < text.length;) {
    let to = from + pace.piece;
    // A lone surrogate would be written as an escape.
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

/**
 * The end of the items that can be written together, starting at `from`. Returns `from` if that item alone is too
 * large.
 */
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
  // Yields first, because listing the names of a hundred thousand members is one long step.
  yield '{';
  // Joined in parts, because joining a million texts at the end would be one long step.
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

/** Cost of a value besides its texts: a bracket or a number, a comma, and the time to visit it. */
const EACH = 8;

/** Approximate number of characters as JSON. Stops counting above `limit`. */
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
