import type { SamplingRequest } from '../../core/index.ts';

type ModelPreferences = SamplingRequest['preferences'];

/** A model as far as it is chosen by it. */
export interface ModelCandidate {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly vendor: string;
  readonly maxInputTokens?: number;
}

/** What speaks for a model, the first before all others. */
export interface ModelWishes {
  readonly preferences: ModelPreferences;
  /** Part of a name, by the settings of the server. */
  readonly model?: string | undefined;
}

/** Words by which makers say that a model of theirs is small, and so cheap and fast. */
const SMALL = new Set(['mini', 'nano', 'lite', 'flash', 'haiku', 'small', 'tiny', 'micro', 'fast', 'instant', 'turbo']);
/** And that it is their largest. */
const LARGE = new Set(['opus', 'pro', 'ultra', 'large', 'max', 'big', 'xl', 'plus', 'thinking', 'reasoning', 'deep']);
/** Billions of parameters, where a name tells them: `qwen-7b`. */
const PARAMETERS = /^(\d+(?:\.\d+)?)b$/;
const FEW = 15;
const MANY = 70;

/**
 * The model that a request is for (MCP "Sampling", model preferences): the one that its hints name best, else the one
 * of the settings, else the one that its priorities speak for, else the first that there is.
 */
export function preferredModel(models: readonly ModelCandidate[], { preferences, model }: ModelWishes): number {
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
 * The editor tells neither prices nor speed nor what a model is good at. What is left is a guess: a model that is small by its
 * name is taken for cheap and fast, a large one for clever, and of two alike the one that reads more for the larger.
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

/** Whether a model is further in the wanted direction than another; between equals the first stays. */
function isLarger(model: ModelCandidate, than: ModelCandidate, wantsLarge: boolean): boolean {
  const sizes = modelSize(model) - modelSize(than);
  const difference = sizes === 0 ? (model.maxInputTokens ?? 0) - (than.maxInputTokens ?? 0) : sizes;
  return wantsLarge ? difference > 0 : difference < 0;
}

/** 0, 1 or 2: small, nobody knows, large. A name that says both (`pro-mini`) is that of a small one. */
export function modelSize({ id, name, family }: ModelCandidate): 0 | 1 | 2 {
  const words = `${id} ${name} ${family}`.toLowerCase().split(/[^a-z0-9.]+/);
  const billions = words.flatMap((word) => PARAMETERS.exec(word)?.[1] ?? []).map(Number);
  if (words.some((word) => SMALL.has(word)) || billions.some((count) => count <= FEW)) return 0;
  return words.some((word) => LARGE.has(word)) || billions.some((count) => count >= MANY) ? 2 : 1;
}

/** From 0 to 1, whatever a server says. */
function weight(priority: number | undefined): number {
  return priority === undefined || Number.isNaN(priority) ? 0 : Math.min(Math.max(priority, 0), 1);
}
