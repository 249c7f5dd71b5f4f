/** A part of a request to a model that can be left out, and what it takes. */
export interface Piece {
  readonly tokens: number;
  /**
   * `turn`: an earlier turn, whole; they come in order. `reference`: something that the person attached. `result`: what a
   * tool gave in this turn. `kept`: the person's own words, and all without which the rest makes no sense.
   */
  readonly kind: 'turn' | 'reference' | 'result' | 'kept';
}

/**
 * Which pieces to leave out so that the rest fits, by their index: the oldest turns first, then the largest reference,
 * then the largest result. `undefined` where what must stay is too much by itself.
 */
export function leftOut(pieces: readonly Piece[], limit: number): ReadonlySet<number> | undefined {
  const out = new Set<number>();
  let total = pieces.reduce((sum, { tokens }) => sum + tokens, 0);
  for (const index of inOrder(pieces)) {
    if (total <= limit) return out;
    out.add(index);
    total -= pieces[index]?.tokens ?? 0;
  }
  return total <= limit ? out : undefined;
}

function inOrder(pieces: readonly Piece[]): readonly number[] {
  const of = (kind: Piece['kind']): number[] => pieces.flatMap((piece, index) => (piece.kind === kind ? [index] : []));
  const largest = (indices: number[]): number[] =>
    indices.sort((a, b) => (pieces[b]?.tokens ?? 0) - (pieces[a]?.tokens ?? 0));
  return [...of('turn'), ...largest(of('reference')), ...largest(of('result'))];
}

/** The model's answer has to fit as well: an eighth, and no more than an answer ever takes. */
export function roomFor(maxInputTokens: number): number {
  return maxInputTokens - Math.min(4_096, Math.floor(maxInputTokens / 8));
}
