/** A part of a model request that can be dropped, with its token count. */
export interface Piece {
  readonly tokens: number;
  /**
   * `turn`: a complete earlier turn, in order. `reference`: an attachment. `result`: a tool result of this turn.
   * `kept`: the user's words, and parts that must stay.
   */
  readonly kind: 'turn' | 'reference' | 'result' | 'kept';
}

/**
 * Selects the parts to drop, by index: oldest turns first, then the largest reference, then the largest result.
 * `undefined` if the parts that must stay are too large.
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

/** Leaves room for the answer: an eighth, up to the usual length of an answer. */
export function roomFor(maxInputTokens: number): number {
  return maxInputTokens - Math.min(4_096, Math.floor(maxInputTokens / 8));
}
