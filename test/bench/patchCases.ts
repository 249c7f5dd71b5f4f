import type { Operation } from 'rfc6902';

/** A typical state of an agent: a list that grows at its end, a wide table, and a few numbers. */
export interface NoteState {
  readonly notes: Note[];
  readonly index: Record<string, { readonly at: number; readonly words: number }>;
  readonly settings: Record<string, string | number>;
}

interface Note {
  readonly id: number;
  readonly text: string;
  readonly tags: readonly string[];
}

export type NotePatch = readonly Operation[];

export const SIZES: Readonly<Record<string, number>> = { '1 KB': 1_000, '100 KB': 100_000, '10 MB': 10_000_000 };

const WORDS = ['tomorrow', 'buy', 'milk', 'the', 'letter', 'answer', 'garden', 'call', 'before', 'noon', 'ask', 'Anna'];

const pick = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() * items.length)] as T;

const sentence = (words: number, random: () => number): string =>
  Array.from({ length: words }, () => pick(WORDS, random)).join(' ');

const note = (id: number, random: () => number): Note => ({
  id,
  text: sentence(18, random),
  tags: [pick(WORDS, random), pick(WORDS, random)],
});

/** Size of one note, including its row of the table. */
const EACH = 230;

export const stateOf = (characters: number, random: () => number): NoteState => {
  const count = Math.max(3, Math.floor(characters / EACH));
  const ids = Array.from({ length: count }, (_, id) => id);
  return {
    notes: ids.map((id) => note(id, random)),
    index: Object.fromEntries(ids.map((id) => [`note-${id}`, { at: 1_700_000_000 + id, words: 14 }])),
    settings: { sort: 'date', page: 1, next: count },
  };
};

type Edit = () => Operation;

/** Consecutive patches of one to three operations that keep the size of the state. */
export const patchesFor = (state: NoteState, count: number, random: () => number): readonly NotePatch[] => {
  const size = state.notes.length;
  const keys = Object.keys(state.index);
  let notes = size;
  let next = size;
  const place = (): string => `/notes/${Math.floor(random() * notes)}`;
  const addNote: Edit = () => {
    notes++;
    return { op: 'add', path: '/notes/-', value: note(next++, random) };
  };
  const removeNote: Edit = () => {
    const path = place();
    notes--;
    return { op: 'remove', path };
  };
  const addLine: Edit = () => {
    const key = `note-${next++}`;
    keys.push(key);
    return { op: 'add', path: `/index/${key}`, value: { at: next, words: 9 } };
  };
  const removeLine: Edit = () => {
    const at = Math.floor(random() * keys.length);
    const [key] = keys.splice(at, 1, keys.at(-1) as string);
    keys.pop();
    return { op: 'remove', path: `/index/${key}` };
  };
  const edits: readonly Edit[] = [
    () => ({ op: 'replace', path: `${place()}/text`, value: sentence(18, random) }),
    () => ({ op: 'replace', path: `${place()}/tags`, value: [pick(WORDS, random), pick(WORDS, random)] }),
    () => ({ op: 'add', path: `${place()}/tags/-`, value: pick(WORDS, random) }),
    () => ({ op: 'replace', path: `/index/${pick(keys, random)}/words`, value: Math.floor(random() * 100) }),
    () => ({ op: 'replace', path: '/settings/next', value: next }),
    () => ({ op: 'test', path: '/settings/sort', value: 'date' }),
    () => (notes <= size ? addNote : removeNote)(),
    () => (notes <= size ? addNote : removeNote)(),
    () => (keys.length <= size ? addLine : removeLine)(),
    () => (keys.length <= size ? addLine : removeLine)(),
  ];
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(edits, random)()),
  );
};
