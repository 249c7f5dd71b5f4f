import { setTimeout as wait } from 'node:timers/promises';
import { NOTES_EDIT } from './demoFeatureSets.ts';
import { closed, type Fields, isFields, type Schema } from './schema.ts';
import { ADDS, type DemoTool, READS, type ToolOutcome } from './tool.ts';

const PRIORITIES = ['low', 'normal', 'high'] as const;
type Priority = (typeof PRIORITIES)[number];

interface Reminder {
  readonly date: string;
  readonly daysBefore: number;
}

interface Note {
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

type NoteDraft = Omit<Note, 'id' | 'createdAt'>;
type SortOrder = 'newest' | 'oldest' | 'title';
type SearchField = 'title' | 'text' | 'tags';

/** The notes of one server process. They are lost when it ends. */
class NoteBook {
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

const NOTE: Schema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    title: { type: 'string' },
    text: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
    priority: { type: 'string', enum: PRIORITIES },
    importance: { type: 'integer', minimum: 1, maximum: 5 },
    pinned: { type: 'boolean' },
    createdAt: { type: 'string', format: 'date-time' },
    reminder: {
      type: 'object',
      properties: { date: { type: 'string', format: 'date' }, daysBefore: { type: 'integer' } },
      required: ['date', 'daysBefore'],
    },
  },
  required: ['id', 'title', 'text', 'tags', 'priority', 'importance', 'pinned', 'createdAt'],
};

const NOTE_LIST: Schema = {
  type: 'object',
  properties: {
    notes: { type: 'array', items: NOTE },
    total: { type: 'integer', description: 'How many there are, beyond the limit too.' },
  },
  required: ['notes', 'total'],
};

const LIMIT: Schema = {
  type: 'integer',
  title: 'Limit',
  description: 'How many notes to give at most.',
  minimum: 1,
  maximum: 100,
  default: 20,
};

function noteTools(notes: NoteBook): readonly DemoTool[] {
  return [addNote(notes), listNotes(notes), searchNotes(notes), deleteNote(notes)];
}

function addNote(notes: NoteBook): DemoTool {
  return {
    name: 'add_note',
    title: 'Add Note',
    description: 'Writes down a note. It is kept in the memory of this server until the server stops.',
    featureSet: NOTES_EDIT,
    annotations: ADDS,
    inputSchema: closed(
      {
        title: { type: 'string', title: 'Title', minLength: 1, maxLength: 200 },
        text: { type: 'string', title: 'Text', description: 'The note itself.', maxLength: 20_000, default: '' },
        tags: {
          type: 'array',
          title: 'Tags',
          description: 'Words to find the note by.',
          items: { type: 'string', minLength: 1, maxLength: 50 },
          maxItems: 20,
          default: [],
        },
        priority: { type: 'string', title: 'Priority', enum: PRIORITIES, default: 'normal' },
        importance: {
          type: 'integer',
          title: 'Importance',
          description: 'From 1 (trifle) to 5 (vital).',
          minimum: 1,
          maximum: 5,
          default: 3,
        },
        pinned: {
          type: 'boolean',
          title: 'Pinned',
          description: 'Whether it stands above the others.',
          default: false,
        },
        reminder: {
          type: 'object',
          title: 'Reminder',
          description: 'When to be reminded. Leave it out for none.',
          properties: {
            date: { type: 'string', title: 'Date', description: 'Such as 2026-01-31.', format: 'date' },
            daysBefore: { type: 'integer', title: 'Days Before', minimum: 0, maximum: 30, default: 0 },
          },
          required: ['date'],
          additionalProperties: false,
        },
      },
      'title',
    ),
    outputSchema: { type: 'object', properties: { note: NOTE }, required: ['note'] },
    run: (args) => {
      const note = notes.add(draftOf(args));
      return { text: `Added ${line(note)}`, structured: { note } };
    },
  };
}

function listNotes(notes: NoteBook): DemoTool {
  return {
    name: 'list_notes',
    title: 'List Notes',
    description: 'Lists the notes, pinned ones first.',
    featureSet: NOTES_EDIT,
    annotations: READS,
    inputSchema: closed({
      tag: { type: 'string', title: 'Tag', description: 'Only notes with this tag.' },
      priority: { type: 'string', title: 'Priority', description: 'Only notes of this priority.', enum: PRIORITIES },
      pinnedOnly: { type: 'boolean', title: 'Pinned Only', default: false },
      sort: { type: 'string', title: 'Order', enum: ['newest', 'oldest', 'title'], default: 'newest' },
      limit: LIMIT,
    }),
    outputSchema: NOTE_LIST,
    run: ({ tag, priority, pinnedOnly, sort, limit }) => {
      const order = sort === 'oldest' || sort === 'title' ? sort : 'newest';
      const found = notes
        .all(order)
        .filter((note) => typeof tag !== 'string' || note.tags.includes(tag))
        .filter((note) => priority === undefined || note.priority === priority)
        .filter((note) => pinnedOnly !== true || note.pinned);
      return listOutcome(found, Number(limit), 'There are no such notes.');
    },
  };
}

function searchNotes(notes: NoteBook): DemoTool {
  return {
    name: 'search_notes',
    title: 'Search Notes',
    description: 'Finds the notes that contain a text, newest first.',
    featureSet: NOTES_EDIT,
    annotations: READS,
    inputSchema: closed(
      {
        query: { type: 'string', title: 'Text', description: 'What to look for.', minLength: 1, maxLength: 200 },
        fields: {
          type: 'array',
          title: 'Where',
          description: 'The parts of a note to look in.',
          items: { type: 'string', enum: ['title', 'text', 'tags'] },
          default: ['title', 'text', 'tags'],
        },
        caseSensitive: { type: 'boolean', title: 'Match Case', default: false },
        limit: LIMIT,
      },
      'query',
    ),
    outputSchema: NOTE_LIST,
    run: ({ query, fields, caseSensitive, limit }) => {
      const found = notes.search(String(query), strings(fields).filter(isSearchField), caseSensitive === true);
      return listOutcome(found, Number(limit), `No note contains "${String(query)}".`);
    },
  };
}

function deleteNote(notes: NoteBook): DemoTool {
  return {
    name: 'delete_note',
    title: 'Delete Note',
    description: 'Deletes one note for good.',
    featureSet: NOTES_EDIT,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    inputSchema: closed(
      { id: { type: 'string', title: 'Note', description: 'Its id, such as note-1.', minLength: 1 } },
      'id',
    ),
    outputSchema: { type: 'object', properties: { deleted: NOTE }, required: ['deleted'] },
    run: ({ id }) => {
      const deleted = notes.delete(String(id));
      if (deleted === undefined)
        return { text: `There is no note "${String(id)}". List the notes to see their ids.`, isError: true };
      return { text: `Deleted ${line(deleted)}`, structured: { deleted } };
    },
  };
}

function draftOf(args: Fields): NoteDraft {
  const reminder = reminderOf(args['reminder']);
  return {
    title: String(args['title']),
    text: String(args['text']),
    tags: strings(args['tags']),
    priority: PRIORITIES.find((each) => each === args['priority']) ?? 'normal',
    importance: Number(args['importance']),
    pinned: args['pinned'] === true,
    ...(reminder === undefined ? {} : { reminder }),
  };
}

function reminderOf(value: unknown): Reminder | undefined {
  if (!isFields(value)) return undefined;
  return { date: String(value['date']), daysBefore: Number(value['daysBefore'] ?? 0) };
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function isSearchField(value: string): value is SearchField {
  return value === 'title' || value === 'text' || value === 'tags';
}

function listOutcome(found: readonly Note[], limit: number, none: string): ToolOutcome {
  const notes = found.slice(0, limit);
  const more = found.length > notes.length ? [`… and ${found.length - notes.length} more`] : [];
  const text = found.length === 0 ? none : [...notes.map(line), ...more].join('\n');
  return { text, structured: { notes, total: found.length } };
}

function line(note: Note): string {
  const tags = note.tags.map((tag) => ` #${tag}`).join('');
  return `${note.id}: ${note.title}${note.pinned ? ' (pinned)' : ''}${tags}`;
}

const MIN_STEPS = 4;

/** A slow tool, to try progress and cancellation. */
function summaryTool(notes: NoteBook): DemoTool {
  return {
    name: 'summarize_notes',
    title: 'Summarize Notes',
    description:
      'Reads all notes one after the other and writes an overview. Reports its progress and can be cancelled.',
    featureSet: NOTES_EDIT,
    annotations: READS,
    inputSchema: closed({
      style: { type: 'string', title: 'Style', enum: ['bullets', 'paragraph'], default: 'bullets' },
      maxWords: {
        type: 'integer',
        title: 'Words per Note',
        description: 'How much of each note to take over.',
        minimum: 1,
        maximum: 200,
        default: 12,
      },
      secondsPerStep: {
        type: 'number',
        title: 'Seconds per Step',
        description: 'How long it dwells on each note.',
        minimum: 0,
        maximum: 10,
        default: 0.2,
      },
    }),
    outputSchema: {
      type: 'object',
      properties: { summary: { type: 'string' }, notes: { type: 'integer' }, words: { type: 'integer' } },
      required: ['summary', 'notes', 'words'],
    },
    run: async ({ style, maxWords, secondsPerStep }, { progress, signal }) => {
      const all = notes.all();
      const steps = Math.max(all.length, MIN_STEPS);
      for (let step = 0; step < steps; step++) {
        const note = all[step];
        progress(step, steps, note === undefined ? 'Sorting' : `Reading "${note.title}"`);
        await wait(Number(secondsPerStep) * 1_000, undefined, { signal });
      }
      progress(steps, steps, 'Done');
      const summary = summarize(all, style === 'paragraph', Number(maxWords));
      const words = all.reduce((sum, note) => sum + wordsOf(note).length, 0);
      return { text: summary, structured: { summary, notes: all.length, words } };
    },
  };
}

function summarize(notes: readonly Note[], asParagraph: boolean, maxWords: number): string {
  if (notes.length === 0) return 'There are no notes yet. Add one first.';
  const parts = notes.map((note) => {
    const words = wordsOf(note);
    const gist = words.slice(0, maxWords).join(' ');
    return `${note.title}${gist === '' ? '' : `: ${gist}`}${words.length > maxWords ? '…' : ''}`;
  });
  return asParagraph ? parts.map((part) => `${part}.`).join(' ') : parts.map((part) => `- ${part}`).join('\n');
}

function wordsOf(note: Note): readonly string[] {
  return note.text.split(/\s+/).filter((word) => word !== '');
}

export function notesTools(now: () => Date = () => new Date()): readonly DemoTool[] {
  const notes = new NoteBook(now);
  return [...noteTools(notes), summaryTool(notes)];
}
