import { type ListView, rowAfterKey } from '../shared/listWindow.ts';

/** What a key means to the list of checkpoints. */
export type ListKey =
  | { readonly kind: 'go'; readonly position: number }
  | { readonly kind: 'open' | 'mark' | 'compare' }
  /** It is part of what is to be searched for: the key itself goes to the search. */
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

/** Keys that write something have it as their name, and no other key has a name of one character. */
function isTyped(key: string): boolean {
  return [...key].length === 1;
}

/** The two checkpoints that are to be compared, the older first: of several marks those that were set last. */
export function withMark(marked: readonly number[], place: number): readonly number[] {
  return marked.includes(place) ? marked.filter((each) => each !== place) : [...marked.slice(-1), place];
}

/** What would be compared: what is marked, or the one that is and the one that is selected. */
export function comparison(
  marked: readonly number[],
  selected: number | undefined,
): readonly [number, number] | undefined {
  const [first, second = selected] = marked;
  if (first === undefined || second === undefined || first === second) return undefined;
  return first < second ? [first, second] : [second, first];
}
