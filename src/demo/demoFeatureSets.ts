import type { Fields } from './schema.ts';

/** The servers in this process. Each can be started alone, so that a host sees several. */
export const PARTS = ['notes', 'memory', 'compliance', 'files', 'state'] as const;
export type Part = (typeof PARTS)[number];

interface FeatureSet {
  readonly description: string;
  readonly uses: readonly string[];
  /** The host must approve each access (MCPL §7). */
  readonly scoped?: true;
  /** The host can roll it back to a checkpoint (MCPL §8.1). */
  readonly rollback?: true;
  /** True if the host keeps the state, false if this server does. */
  readonly hostState?: boolean;
}

export const NOTES_EDIT = 'notes.edit';
export const RETRIEVAL = 'memory.retrieval';
export const EXTRACTION = 'memory.extraction';
export const CONSOLIDATION = 'memory.consolidation';
export const PROACTIVE = 'memory.proactive';
export const REDACTION = 'compliance.redaction';
export const FILES_EDIT = 'files.edit';
export const BOOK = 'state.book';
export const LEDGER = 'state.ledger';

/** MCPL §6.1: the feature sets that the user can switch, and the capabilities that each one uses. */
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
  [BOOK]: {
    description: 'Lets models write a book whose pages the host keeps, so that you can go back to any page of its past',
    uses: ['tools'],
    rollback: true,
    hostState: true,
  },
  [LEDGER]: {
    description:
      'Lets models keep accounts that the server keeps: it goes back a few entries, and not behind what was sent',
    uses: ['tools'],
    rollback: true,
    hostState: false,
  },
};

/** The part that also works for hosts without MCPL. Only one of the two kinds of notes is offered. */
export function plainPartOf(parts: readonly Part[]): Part | undefined {
  return (['notes', 'state'] as const).find((part) => parts.includes(part));
}

export function isOfPart(featureSet: string, part: Part): boolean {
  return featureSet.startsWith(`${part}.`);
}

/** Parses the parts named on the command line. No names means all parts. */
export function partsOf(words: readonly string[]): { readonly parts: readonly Part[]; readonly unknown: string[] } {
  const named = PARTS.filter((part) => words.includes(part));
  const unknown = words.filter((word) => !PARTS.some((part) => part === word));
  return { parts: named.length === 0 ? PARTS : named, unknown };
}

export function setNamesOf(parts: readonly Part[]): readonly string[] {
  return setsOf(parts).map(([name]) => name);
}

function setsOf(parts: readonly Part[]): readonly (readonly [string, FeatureSet])[] {
  return Object.entries(FEATURE_SETS).filter(([name]) => parts.some((part) => isOfPart(name, part)));
}

/** The value of `experimental.mcpl` in the answer to `initialize` (MCPL §5.1). */
export function mcplAdvert(parts: readonly Part[]): Fields {
  const has = (part: Part): boolean => parts.includes(part);
  // Learning only observes answers; redacting blocks them. A server that does both declares the blocking hook.
  const after = has('memory') || has('compliance') ? { afterInference: { blocking: has('compliance') } } : {};
  const hooks = { ...(has('memory') ? { beforeInference: true } : {}), ...after };
  return {
    version: '0.2',
    ...(has('memory') ? { pushEvents: true, inferenceRequest: { streaming: true }, modelInfo: true } : {}),
    ...(Object.keys(hooks).length > 0 ? { contextHooks: hooks } : {}),
    featureSets: Object.fromEntries(setsOf(parts)),
  };
}
