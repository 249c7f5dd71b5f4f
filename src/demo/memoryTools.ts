import type { Consolidation } from './consolidation.ts';
import { CONSOLIDATION, PROACTIVE, RETRIEVAL } from './demoFeatureSets.ts';
import type { MemoryBook } from './memoryBook.ts';
import { MAX_SECONDS, type Reminders } from './reminders.ts';
import { closed } from './schema.ts';
import { ADDS, type DemoTool, READS } from './tool.ts';

interface Needs {
  readonly book: MemoryBook;
  readonly reminders: Reminders;
  readonly consolidation: Pick<Consolidation, 'run'>;
}

const MAX_SHOWN = 160;

/** Manual versions of the automatic features. All of them need a host with MCPL. */
export function memoryTools({ book, reminders, consolidation }: Needs): readonly DemoTool[] {
  return [listMemories(book), remindMe(reminders), consolidateMemories(consolidation)];
}

function listMemories(book: MemoryBook): DemoTool {
  return {
    name: 'list_memories',
    title: 'List Memories',
    description: 'Lists what is remembered about the person.',
    featureSet: RETRIEVAL,
    annotations: READS,
    inputSchema: closed({}),
    run: () => {
      const memories = book.all().map(({ id, kind, text }) => ({ id, kind, text }));
      const lines = memories.map(({ id, text }) => `${id}: ${text}`);
      const text = lines.length === 0 ? 'Nothing is remembered yet. Tell @mcpl your name.' : lines.join('\n');
      return { text, structured: { memories } };
    },
  };
}

function remindMe(reminders: Reminders): DemoTool {
  return {
    name: 'remind_me',
    title: 'Remind Me',
    description: 'Sends an event with a text after some time.',
    featureSet: PROACTIVE,
    annotations: ADDS,
    inputSchema: closed(
      {
        text: { type: 'string', title: 'Text', description: 'What to be reminded of.', minLength: 1, maxLength: 500 },
        seconds: { type: 'integer', title: 'Seconds', minimum: 1, maximum: MAX_SECONDS, default: 10 },
      },
      'text',
    ),
    run: ({ text, seconds }) => {
      const added = reminders.add(String(text), Number(seconds));
      if (typeof added === 'string') return { text: added, isError: true };
      return { text: `The reminder "${added.text}" comes in ${String(seconds)} s.` };
    },
  };
}

function consolidateMemories(consolidation: Pick<Consolidation, 'run'>): DemoTool {
  return {
    name: 'consolidate_memories',
    title: 'Consolidate Memories',
    description: "Has the host's language model summarize what is remembered, and keeps the summary.",
    featureSet: CONSOLIDATION,
    annotations: ADDS,
    inputSchema: closed({}),
    run: async (_args, { progress, signal }) => {
      let chunks = 0;
      let text = '';
      const onChunk = (delta: string): void => {
        text = `${text}${delta}`.slice(-MAX_SHOWN);
        progress(++chunks, undefined, text);
      };
      const result = await consolidation.run({ signal, onChunk });
      if (result.kind === 'failed') return { text: result.why, isError: true };
      if (result.kind === 'nothing')
        return { text: 'There is nothing to summarize yet. Tell @mcpl something to remember.', isError: true };
      const { summary, count, model } = result;
      return { text: `${summary.text}\n\n(${count === 1 ? '1 memory' : `${count} memories`}, summarized by ${model})` };
    },
  };
}
