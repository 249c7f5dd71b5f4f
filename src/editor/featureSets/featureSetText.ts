import {
  type Capability,
  cleanLine,
  type FeatureSetView,
  isRunning,
  type McplDialect,
  type ServerSnapshot,
} from '../../core/index.ts';

/** Short words for rows. */
const WORDS: Readonly<Record<Capability, string>> = {
  pushEvents: 'events',
  'contextHooks.beforeInference': 'reads prompts',
  'contextHooks.afterInference': 'reads answers',
  inferenceRequest: 'uses models',
  'inferenceRequest.streaming': 'streams from models',
  modelInfo: 'reads model facts',
  tools: 'tools',
};

/** What each capability means for the user. */
const MEANINGS: Readonly<Record<Capability, string>> = {
  pushEvents: 'sends events',
  'contextHooks.beforeInference': 'may read what you write to a model, and add to it',
  'contextHooks.afterInference': "may read a model's answer, and change it",
  inferenceRequest: 'may use a language model',
  'inferenceRequest.streaming': 'may use a language model, and read the answer while it is written',
  modelInfo: 'may read the name and limits of your language model',
  tools: 'has tools',
};

/** What the sets of a server ask for, as verbs. Streaming counts as using models. */
const PERMISSIONS: Readonly<Record<Capability, string>> = {
  'contextHooks.beforeInference': 'read your prompts',
  'contextHooks.afterInference': 'read answers',
  inferenceRequest: 'use models',
  'inferenceRequest.streaming': 'use models',
  modelInfo: "see your model's name",
  pushEvents: 'send events',
  tools: 'offer tools',
};

const MAX_USE = 60;
const MAX_USES = 8;

/** Sets that can be switched on. */
export function usableSets(server: ServerSnapshot | undefined): readonly FeatureSetView[] {
  return server?.mcpl?.sets.filter(({ state }) => state !== 'invalid') ?? [];
}

export function isOn({ state }: FeatureSetView): boolean {
  return state === 'enabled';
}

/** `2 of 4 on` */
export function onText(views: readonly FeatureSetView[]): string {
  return `${views.filter(isOn).length} of ${views.length} on`;
}

/** The declared capabilities in one line. */
export function usesText({ set }: FeatureSetView): string {
  const names = set.uses.slice(0, MAX_USES).map((use) => (isKnown(use) ? WORDS[use] : cleanLine(use, MAX_USE)));
  return [...names, ...restOf(set.uses)].join(', ');
}

/** The declared capabilities, one line each: `pushEvents: sends events`. */
export function usesLines({ set }: FeatureSetView): readonly string[] {
  const lines = set.uses.slice(0, MAX_USES).map((use) => {
    const meaning = isKnown(use) ? MEANINGS[use] : 'unknown here, and without effect';
    return `• ${cleanLine(use, MAX_USE)}: ${meaning}`;
  });
  return [...lines, ...restOf(set.uses)];
}

/** `pushEvents refused: not declared`. `undefined` if all used capabilities are declared or allowed. */
export function undeclaredText({ undeclared, alsoEvents }: FeatureSetView): string | undefined {
  const refused = undeclared.filter((use) => use !== 'pushEvents' || alsoEvents !== 'allowed');
  return refused.length === 0 ? undefined : `${refused.join(', ')} refused: not declared`;
}

/** Whether the host accepts its events. */
export function pushes({ set, alsoEvents }: FeatureSetView): boolean {
  return set.uses.includes('pushEvents') || alsoEvents === 'allowed';
}

/** Whether its events arrive without notifications. */
export function isMuted(view: FeatureSetView): boolean {
  return pushes(view) && (view.push === 'ignore' || view.push === 'inbox');
}

/** MCPL facts for a server's row. */
export function mcplWords(server: ServerSnapshot): readonly string[] {
  if (server.mcpl === undefined || !isRunning(server.state)) return [];
  const usable = usableSets(server);
  const count = usable.length === 0 ? [] : [`${usable.filter(isOn).length} of ${usable.length} sets on`];
  return [`MCPL ${server.mcpl.dialect.version}`, ...count];
}

/** MCPL facts for a server's tooltip, including remarks. */
export function mcplLines(server: ServerSnapshot): readonly string[] {
  if (server.mcpl === undefined) return [];
  const { version, claimed, remarks } = server.mcpl.dialect;
  const says = claimed === version || claimed === '' ? '' : ` (the server says ${cleanLine(claimed, 40)})`;
  const sets = server.mcpl.sets.length === 0 ? 'none declared' : onText(usableSets(server));
  return [`MCPL: ${version}${says}`, `Feature sets: ${sets}`, ...remarks.map((remark) => cleanLine(remark, 300))];
}

/**
 * The distinct permissions that sets ask for together, the most sensitive first. An unknown use has no effect. `scoped`
 * and `rollback` give the user control, so they are no permissions.
 */
export function permissionsOf(
  views: readonly Pick<FeatureSetView, 'set' | 'tools'>[],
  after: McplDialect['after'] | undefined,
): readonly string[] {
  // In MCPL 0.2 a set with tools does not declare them.
  const uses = new Set(views.flatMap(({ set, tools }) => [...set.uses, ...(tools.length > 0 ? ['tools'] : [])]));
  const named = Object.entries(PERMISSIONS)
    .filter(([use]) => uses.has(use))
    .map(([use, words]) =>
      use === 'contextHooks.afterInference' && after === 'blocking' ? 'read and change answers' : words,
    );
  const stored = views.some(({ set }) => set.hostState) ? ['store its state here'] : [];
  return [...new Set([...named, ...stored])];
}

function restOf(uses: readonly string[]): readonly string[] {
  return uses.length > MAX_USES ? [`and ${uses.length - MAX_USES} more`] : [];
}

function isKnown(use: string): use is Capability {
  return Object.hasOwn(MEANINGS, use);
}
