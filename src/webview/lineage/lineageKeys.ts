import { type ListView, rowAfterKey } from '../shared/listWindow.ts';

/** The action of a key in the checkpoint list. */
type ListKey =
  | { readonly kind: 'go'; readonly position: number }
  | { readonly kind: 'open' | 'mark' | 'compare' }
  /** Starts a search with this character: the key event goes to the search box. */
  | { readonly kind: 'type' };

export interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

export function listKey(pressed: PressedKey, current: number | undefined, view: ListView): ListKey | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = pressed;
  if (ctrlKey || metaKey || altKey) return undefined;
  if (key === 'Enter') return { kind: shiftKey ? 'compare' : 'open' };
  if (key === ' ') return { kind: 'mark' };
  const position = rowAfterKey(key, current, view);
  if (position !== undefined) return { kind: 'go', position };
  return isTyped(key) ? { kind: 'type' } : undefined;
}

/** Keys that type a character have it as their name; other names are longer. */
function isTyped(key: string): boolean {
  return [...key].length === 1;
}

/** The marks after toggling one. Keeps at most the last two. */
export function withMark(marked: readonly number[], rowId: number): readonly number[] {
  return marked.includes(rowId) ? marked.filter((each) => each !== rowId) : [...marked.slice(-1), rowId];
}

/** The checkpoints to compare, older first: two marked ones, or a marked and the selected one. */
export function comparison(
  marked: readonly number[],
  selected: number | undefined,
): readonly [number, number] | undefined {
  const [first, second = selected] = marked;
  if (first === undefined || second === undefined || first === second) return undefined;
  return first < second ? [first, second] : [second, first];
}
