import type { SamplingRequest } from '../../core/index.ts';

type ModelPreferences = SamplingRequest['preferences'];

/** The facts by which a model is selected. */
export interface ModelCandidate {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly vendor: string;
  readonly maxInputTokens?: number;
}

/** Criteria for a model, in order of priority. */
export interface PreferredModels {
  readonly preferences: ModelPreferences;
  /** Part of a name, from the server's settings. */
  readonly model?: string | undefined;
}

/** Words in names of small, cheap and fast models. */
const SMALL = new Set(['mini', 'nano', 'lite', 'flash', 'haiku', 'small', 'tiny', 'micro', 'fast', 'instant', 'turbo']);
/** Words in names of large models. */
const LARGE = new Set(['opus', 'pro', 'ultra', 'large', 'max', 'big', 'xl', 'plus', 'thinking', 'reasoning', 'deep']);
/** Billions of parameters in a name: `qwen-7b`. */
const PARAMETERS = /^(\d+(?:\.\d+)?)b$/;
const FEW = 15;
const MANY = 70;

/**
 * Selects the model for a request (MCP "Sampling", model preferences): by its hints, else by settings, else by its
 * priorities, else the first one.
 */
export function preferredModel(models: readonly ModelCandidate[], { preferences, model }: PreferredModels): number {
  for (const wanted of [...preferences.hints, model ?? '']) {
    const found = models.findIndex((candidate) => isCalled(candidate, wanted));
    if (found >= 0) return found;
  }
  return byPriorities(models, preferences);
}

function isCalled({ id, name, family, vendor }: ModelCandidate, wanted: string): boolean {
  const part = wanted.trim().toLowerCase();
  return part !== '' && [id, name, family, `${vendor}/${id}`].some((each) => each.toLowerCase().includes(part));
}

/**
 * The editor exposes neither prices nor speed nor quality, so this guesses: models with a small name count as cheap and
 * fast, large ones as intelligent. Between equals, a larger context counts as larger.
 */
function byPriorities(models: readonly ModelCandidate[], { cost, speed, intelligence }: ModelPreferences): number {
  const forSmall = Math.max(weight(cost), weight(speed));
  const forLarge = weight(intelligence);
  if (forSmall === forLarge) return 0;
  const wantsLarge = forLarge > forSmall;
  let best = 0;
  for (const [index, model] of models.entries()) {
    const chosen = models[best];
    if (chosen !== undefined && isLarger(model, chosen, wantsLarge)) best = index;
  }
  return best;
}

/** Whether a model fits the direction better. Between equals the first wins. */
function isLarger(model: ModelCandidate, than: ModelCandidate, wantsLarge: boolean): boolean {
  const sizes = modelSize(model) - modelSize(than);
  const difference = sizes === 0 ? (model.maxInputTokens ?? 0) - (than.maxInputTokens ?? 0) : sizes;
  return wantsLarge ? difference > 0 : difference < 0;
}

/** 0 small, 1 unknown, 2 large. A name with both (`pro-mini`) counts as small. */
export function modelSize({ id, name, family }: ModelCandidate): 0 | 1 | 2 {
  const words = `${id} ${name} ${family}`.toLowerCase().split(/[^a-z0-9.]+/);
  const billions = words.flatMap((word) => PARAMETERS.exec(word)?.[1] ?? []).map(Number);
  if (words.some((word) => SMALL.has(word)) || billions.some((count) => count <= FEW)) return 0;
  return words.some((word) => LARGE.has(word)) || billions.some((count) => count >= MANY) ? 2 : 1;
}

/** Clamps a server's value to 0…1. */
function weight(priority: number | undefined): number {
  return priority === undefined || Number.isNaN(priority) ? 0 : Math.min(Math.max(priority, 0), 1);
}
