type MemoryKind = 'name' | 'preference' | 'fact' | 'summary';

export interface MemoryDraft {
  readonly kind: MemoryKind;
  readonly text: string;
}

export interface Memory extends MemoryDraft {
  readonly id: string;
  readonly words: ReadonlySet<string>;
}

const MOST = 200;
const LONGEST = 500;
const MAX_SUMMARY = 2_000;
const MAX_FITTING = 8;

/** Questions that ask for all memories. */
const ASKS_ALL = /\b(?:know|remember)(?:ed|s)? (?:about|of) me\b|\bwho am i\b|\bwhat (?:do|did|can) you remember\b/i;
/** Extra words by which a memory of this kind is found. */
const ALSO_FOUND_BY: Readonly<Record<MemoryKind, string>> = {
  name: 'name called hello',
  preference: 'prefer like favorite recommend',
  fact: '',
  summary: '',
};
const TOO_COMMON: ReadonlySet<string> = new Set(
  'the and for are was were will with that this there here what when where which who whose how why you your yours not but its his her they them then than have has had does did can could would should about into from user say tell please remember'.split(
    ' ',
  ),
);

/** Facts about the user, kept in memory only. If the book is full, the oldest are dropped. */
export class MemoryBook {
  readonly #memories = new Map<string, Memory>();
  #lastId = 0;
  #fresh = 0;

  /** Number of memories that no summary covers yet. */
  get fresh(): number {
    return this.#fresh;
  }

  all(): readonly Memory[] {
    return [...this.#memories.values()];
  }

  facts(): readonly Memory[] {
    return this.all().filter(({ kind }) => kind !== 'summary');
  }

  /** Returns `undefined` if the memory exists already. */
  add({ kind, text }: MemoryDraft): Memory | undefined {
    const line = text.replace(/\s+/g, ' ').trim().slice(0, LONGEST);
    if (line === '' || this.all().some((each) => each.text.toLowerCase() === line.toLowerCase())) return undefined;
    // A person has one name, so a new one replaces the old.
    if (kind === 'name') this.#drop((memory) => memory.kind === 'name');
    const memory = this.#keep({ kind, text: line });
    this.#fresh++;
    if (this.#memories.size > MOST) this.#drop((each) => each.kind !== 'summary', 1);
    return memory;
  }

  /** Keeps one summary, which covers the memories that existed when it was requested. */
  summarize(text: string, seen: number): Memory {
    this.#drop(({ kind }) => kind === 'summary');
    this.#fresh = Math.max(0, this.#fresh - seen);
    return this.#keep({ kind: 'summary', text: text.trim().slice(0, MAX_SUMMARY) });
  }

  /** Memories that share words with a message, best match first. */
  fitting(message: string): readonly Memory[] {
    if (ASKS_ALL.test(message)) return this.all().slice(-MAX_FITTING);
    const wanted = wordsOf(message);
    return this.all()
      .map((memory) => ({ memory, shared: [...memory.words].filter((word) => wanted.has(word)).length }))
      .filter(({ shared }) => shared > 0)
      .sort((a, b) => b.shared - a.shared)
      .slice(0, MAX_FITTING)
      .map(({ memory }) => memory);
  }

  #keep({ kind, text }: MemoryDraft): Memory {
    const memory = { id: `mem_${++this.#lastId}`, kind, text, words: wordsOf(`${text} ${ALSO_FOUND_BY[kind]}`) };
    this.#memories.set(memory.id, memory);
    return memory;
  }

  #drop(isMeant: (memory: Memory) => boolean, most: number = Number.POSITIVE_INFINITY): void {
    for (const { id } of this.all().filter(isMeant).slice(0, most)) this.#memories.delete(id);
  }
}

/** The significant words, stemmed: "Teas" matches "tea", and "prefers" matches "prefer". */
function wordsOf(text: string): ReadonlySet<string> {
  const words =
    text
      .toLowerCase()
      .replaceAll('favourite', 'favorite')
      .match(/[\p{L}\p{N}]{3,40}/gu) ?? [];
  return new Set(
    words.filter((word) => !TOO_COMMON.has(word)).map((word) => word.replace(/(?<=.{3})(?:ing|ed|s)$/, '')),
  );
}
