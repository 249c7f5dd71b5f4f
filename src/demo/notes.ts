export const PRIORITIES = ['low', 'normal', 'high'] as const;
export type Priority = (typeof PRIORITIES)[number];

export interface Reminder {
  readonly date: string;
  readonly daysBefore: number;
}

export interface Note {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly priority: Priority;
  readonly importance: number;
  readonly pinned: boolean;
  readonly createdAt: string;
  readonly reminder?: Reminder;
}

export type NoteDraft = Omit<Note, 'id' | 'createdAt'>;
export type SortOrder = 'newest' | 'oldest' | 'title';
export type SearchField = 'title' | 'text' | 'tags';

/** The notes of one server process. They are lost when it ends. */
export class NoteBook {
  readonly #notes = new Map<string, Note>();
  readonly #now: () => Date;
  #lastId = 0;

  constructor(now: () => Date) {
    this.#now = now;
  }

  get size(): number {
    return this.#notes.size;
  }

  add(draft: NoteDraft): Note {
    const note: Note = { id: `note-${++this.#lastId}`, ...draft, createdAt: this.#now().toISOString() };
    this.#notes.set(note.id, note);
    return note;
  }

  delete(id: string): Note | undefined {
    const note = this.#notes.get(id);
    this.#notes.delete(id);
    return note;
  }

  all(sort: SortOrder = 'oldest'): readonly Note[] {
    const notes = [...this.#notes.values()];
    if (sort === 'newest') notes.reverse();
    if (sort === 'title') notes.sort((a, b) => a.title.localeCompare(b.title, 'en'));
    return [...notes.filter((note) => note.pinned), ...notes.filter((note) => !note.pinned)];
  }

  search(query: string, fields: readonly SearchField[], isCaseSensitive: boolean): readonly Note[] {
    const fold = (text: string): string => (isCaseSensitive ? text : text.toLowerCase());
    const wanted = fold(query);
    return this.all('newest').filter((note) =>
      fields.some((field) => [note[field]].flat().some((text) => fold(text).includes(wanted))),
    );
  }
}
