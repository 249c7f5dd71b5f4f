import type { JsonObject } from '../base/json.ts';
import { isFeatureSetName, isFeatureSetPattern } from '../model/featureSetPattern.ts';
import {
  type FeatureSetSettings,
  type HookSettings,
  type InferenceSettings,
  INJECTION_POSITIONS,
  type McplSettings,
  PUSH_POLICIES,
  type PushPolicy,
} from '../model/mcpl.ts';
import { DEFAULT_MCPL } from '../model/mcplDefaults.ts';
import type { EntryReader } from './entryReader.ts';
import { decodeScopes } from './scopeDecoder.ts';

/** Patterns are compared pairwise. */
const MAX_NAMES = 1_000;
const MAX_HOOK_MS = { beforeTimeoutMs: 60_000, afterTimeoutMs: 30_000 } as const;
const MAX_REQUESTS = 10_000;
const MAX_TOKENS = 1_000_000_000;
const FARTHEST = 1_000_000;

const NOT_A_PATTERN = 'Must be the name of a feature set, such as "memory.recall", or "memory.*" or "*".';

/** Decodes an entry's MCPL settings. Absent and invalid members get their default. */
export function decodeMcpl(reader: EntryReader): McplSettings {
  return {
    featureSets: decodeFeatureSets(reader),
    toolFeatureSets: decodeToolFeatureSets(reader),
    hooks: decodeHooks(reader),
    push: decodePush(reader),
    inference: decodeInference(reader),
    scopes: decodeScopes(reader),
  };
}

function decodeFeatureSets(reader: EntryReader): FeatureSetSettings {
  const given = reader.object('featureSets') ?? {};
  reader.warnOfOthers(['featureSets'], given, ['enabled', 'disabled']);
  const read = (key: keyof FeatureSetSettings): readonly string[] => decodePatterns(reader, given, key);
  return { enabled: read('enabled'), disabled: read('disabled') };
}

function decodePatterns(reader: EntryReader, given: JsonObject, key: string): readonly string[] {
  const path = ['featureSets', key];
  const items = reader.list(path, given[key]) ?? [];
  if (items.length > MAX_NAMES) {
    reader.fail(path, `Must have at most ${MAX_NAMES} items.`);
    return [];
  }
  const patterns = items.flatMap((item, index) => {
    // An error, because ignoring an invalid pattern in `disabled` would leave a set on.
    if (typeof item === 'string' && isFeatureSetPattern(item)) return [item];
    reader.fail([...path, index], NOT_A_PATTERN);
    return [];
  });
  return [...new Set(patterns)];
}

function decodeToolFeatureSets(reader: EntryReader): Readonly<Record<string, string>> {
  const entries = limited(reader, 'toolFeatureSets').flatMap<[string, string]>(([tool, set]) => {
    if (typeof set === 'string' && isFeatureSetName(set)) return [[tool, set]];
    reader.fail(['toolFeatureSets', tool], 'Must be the name of a feature set, such as "memory.recall".');
    return [];
  });
  return Object.fromEntries(entries);
}

function decodePush(reader: EntryReader): Readonly<Record<string, PushPolicy>> {
  const entries = limited(reader, 'push').flatMap<[string, PushPolicy]>(([pattern, value]) => {
    if (!isFeatureSetPattern(pattern)) {
      reader.fail(['push', pattern], NOT_A_PATTERN);
      return [];
    }
    const policy = reader.choice(['push', pattern], value ?? null, PUSH_POLICIES);
    return policy === undefined ? [] : [[pattern, policy]];
  });
  return Object.fromEntries(entries);
}

function limited(reader: EntryReader, key: string): readonly (readonly [string, JsonObject[string]])[] {
  const entries = Object.entries(reader.object(key) ?? {});
  if (entries.length <= MAX_NAMES) return entries;
  reader.fail([key], `Must have at most ${MAX_NAMES} members.`);
  return [];
}

function decodeHooks(reader: EntryReader): HookSettings {
  const given = reader.object('hooks') ?? {};
  const defaults = DEFAULT_MCPL.hooks;
  reader.warnOfOthers(['hooks'], given, Object.keys(defaults));
  const milliseconds = (key: keyof typeof MAX_HOOK_MS): number =>
    reader.wholeNumber(['hooks', key], given[key], 1, MAX_HOOK_MS[key]) ?? defaults[key];
  return {
    order: reader.wholeNumber(['hooks', 'order'], given['order'], -FARTHEST, FARTHEST) ?? defaults.order,
    readUserMessage: reader.boolean(['hooks', 'readUserMessage'], given['readUserMessage']) ?? defaults.readUserMessage,
    positions: decodePositions(reader, given),
    afterInference:
      reader.choice(['hooks', 'afterInference'], given['afterInference'], ['failOpen', 'failClosed']) ??
      defaults.afterInference,
    beforeTimeoutMs: milliseconds('beforeTimeoutMs'),
    afterTimeoutMs: milliseconds('afterTimeoutMs'),
  };
}

function decodePositions(reader: EntryReader, given: JsonObject): HookSettings['positions'] {
  const path = ['hooks', 'positions'];
  const items = reader.list(path, given['positions']);
  if (items === undefined) return DEFAULT_MCPL.hooks.positions;
  const chosen = items.map((item, index) => reader.choice([...path, index], item, INJECTION_POSITIONS));
  return [...new Set(chosen.filter((position) => position !== undefined))];
}

function decodeInference(reader: EntryReader): InferenceSettings {
  const given = reader.object('inference') ?? {};
  const defaults = DEFAULT_MCPL.inference;
  reader.warnOfOthers(['inference'], given, Object.keys(defaults));
  const budget = (key: 'requestsPerHour' | 'tokensPerDay', most: number): number =>
    reader.wholeNumber(['inference', key], given[key], 0, most) ?? defaults[key];
  return {
    model: reader.text(['inference', 'model'], given['model']),
    requestsPerHour: budget('requestsPerHour', MAX_REQUESTS),
    tokensPerDay: budget('tokensPerDay', MAX_TOKENS),
  };
}
