import type { Consolidation } from './consolidation.ts';
import { EXTRACTION, PROACTIVE, REDACTION, RETRIEVAL } from './demoFeatureSets.ts';
import { hear } from './listeners.ts';
import type { MemoryBook } from './memoryBook.ts';
import { redact } from './redaction.ts';
import type { Reminders } from './reminders.ts';
import type { Fields } from './schema.ts';

interface HooksOptions {
  readonly book: MemoryBook;
  readonly reminders: Reminders;
  readonly consolidation: Pick<Consolidation, 'consider'>;
  readonly isOn: (name: string) => boolean;
  readonly log: (line: string) => void;
}

/** MCPL §10: takes part before and after an inference. A feature set that is off does nothing. */
export class Hooks {
  readonly #options: HooksOptions;

  constructor(options: HooksOptions) {
    this.#options = options;
  }

  /** `context/beforeInference` */
  before({ userMessage }: Fields): Fields {
    const { book, isOn } = this.#options;
    if (!isOn(RETRIEVAL)) return {};
    const memories = typeof userMessage === 'string' ? book.fitting(userMessage) : [];
    if (memories.length === 0) return { featureSet: RETRIEVAL, contextInjections: [] };
    const list = memories.map(({ text }) => `- ${text}`).join('\n');
    const injection = {
      namespace: 'memory',
      position: 'beforeUser',
      content: [{ type: 'text', text: `<memories>\n${list}\n</memories>` }],
      metadata: { memoryIds: memories.map(({ id }) => id) },
    };
    return { featureSet: RETRIEVAL, contextInjections: [injection] };
  }

  /** `context/afterInference`, as a blocking request or as a notification. */
  after({ userMessage, assistantMessage }: Fields): Fields {
    const { isOn } = this.#options;
    if (isOn(EXTRACTION) && typeof userMessage === 'string') this.#learn(userMessage);
    if (!isOn(REDACTION)) return isOn(EXTRACTION) ? { featureSet: EXTRACTION } : {};
    const { text, redactions } = redact(typeof assistantMessage === 'string' ? assistantMessage : '');
    if (redactions.length === 0) return { featureSet: REDACTION };
    return { featureSet: REDACTION, modifiedResponse: text, metadata: { redactions } };
  }

  #learn(message: string): void {
    const { book, reminders, consolidation, isOn, log } = this.#options;
    const heard = hear(message);
    for (const draft of heard.memories) {
      const memory = book.add(draft);
      if (memory !== undefined) log(`Learnt ${memory.id}: ${memory.text}`);
    }
    for (const { text, seconds } of isOn(PROACTIVE) ? heard.reminders : []) {
      const added = reminders.add(text, seconds);
      log(typeof added === 'string' ? added : `Will remind of "${added.text}" in ${seconds} s.`);
    }
    if (heard.memories.length > 0) consolidation.consider();
  }
}
