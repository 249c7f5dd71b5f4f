import type { Fields } from './schema.ts';

/** The servers in this one. Each can be started alone, so that a host sees several. */
export const PARTS = ['notes', 'memory', 'compliance', 'files'] as const;
export type Part = (typeof PARTS)[number];

interface FeatureSet {
  readonly description: string;
  readonly uses: readonly string[];
  /** What it touches has to be approved by the host (MCPL §7). */
  readonly scoped?: true;
}

export const NOTES_EDIT = 'notes.edit';
export const RETRIEVAL = 'memory.retrieval';
export const EXTRACTION = 'memory.extraction';
export const CONSOLIDATION = 'memory.consolidation';
export const PROACTIVE = 'memory.proactive';
export const REDACTION = 'compliance.redaction';
export const FILES_EDIT = 'files.edit';

/** MCPL §6.1: what a person can switch on and off, and what each of it uses. */
const FEATURE_SETS: Readonly<Record<string, FeatureSet>> = {
  [NOTES_EDIT]: { description: 'Lets models read and write notes', uses: ['tools'] },
  [RETRIEVAL]: {
    description: 'Adds what it remembers to what you ask a model',
    uses: ['contextHooks.beforeInference', 'tools'],
  },
  [EXTRACTION]: {
    description: 'Learns from what you tell a model: your name, what you prefer, what it shall remember',
    uses: ['contextHooks.afterInference'],
  },
  [CONSOLIDATION]: {
    description: 'Has a model summarize what it remembers, when there is enough of it',
    uses: ['inferenceRequest', 'tools'],
  },
  [PROACTIVE]: {
    description: 'Reminds you at the time that you said',
    uses: ['pushEvents', 'tools'],
  },
  [REDACTION]: {
    description: 'Takes keys, tokens and e-mail addresses out of answers before you see them',
    uses: ['contextHooks.afterInference'],
  },
  [FILES_EDIT]: {
    description: 'Lets models read, move and add lines to the files that you approve',
    uses: ['tools'],
    scoped: true,
  },
};

/** Which parts the words of the command line name; without any, all of them. */
export function partsOf(words: readonly string[]): { readonly parts: readonly Part[]; readonly unknown: string[] } {
  const named = PARTS.filter((part) => words.includes(part));
  const unknown = words.filter((word) => !PARTS.some((part) => part === word));
  return { parts: named.length === 0 ? PARTS : named, unknown };
}

export function setNamesOf(parts: readonly Part[]): readonly string[] {
  return setsOf(parts).map(([name]) => name);
}

function setsOf(parts: readonly Part[]): readonly (readonly [string, FeatureSet])[] {
  return Object.entries(FEATURE_SETS).filter(([name]) => parts.some((part) => name.startsWith(`${part}.`)));
}

/** What stands under `experimental.mcpl` in the answer to `initialize` (MCPL §5.1). */
export function mcplAdvert(parts: readonly Part[]): Fields {
  const has = (part: Part): boolean => parts.includes(part);
  // Learning needs to hear of an answer, redacting to hold it: whoever does both asks for the stronger.
  const after = has('memory') || has('compliance') ? { afterInference: { blocking: has('compliance') } } : {};
  const hooks = { ...(has('memory') ? { beforeInference: true } : {}), ...after };
  return {
    version: '0.2',
    ...(has('memory') ? { pushEvents: true, inferenceRequest: { streaming: true }, modelInfo: true } : {}),
    ...(Object.keys(hooks).length > 0 ? { contextHooks: hooks } : {}),
    featureSets: Object.fromEntries(setsOf(parts)),
  };
}
