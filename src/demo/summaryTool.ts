import { setTimeout as wait } from 'node:timers/promises';
import { NOTES_EDIT } from './featureSets.ts';
import type { Note, NoteBook } from './notes.ts';
import { closed } from './schema.ts';
import { type DemoTool, READS } from './tool.ts';

const MIN_STEPS = 4;

/** A slow tool, to try progress and cancellation. */
export function summaryTool(notes: NoteBook): DemoTool {
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
