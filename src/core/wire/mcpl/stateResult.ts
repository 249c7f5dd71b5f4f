import { cleanText } from '../../base/cleanText.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type MemberPath, unreadText } from '../../base/unreadJson.ts';
import { isCheckpointId, STATE_BOUNDS } from '../../model/lineage.ts';
import { object } from '../members.ts';
import { nameIn } from './blocks.ts';

/** Paths of states in messages: in results (MCPL §8.2, §8.3) and in `state/update`. */
export const STATE_PATHS: readonly MemberPath[] = [
  ['result', 'state', 'data'],
  ['result', 'state', 'patch'],
  ['params', 'data'],
  ['params', 'patch'],
];

/** MCPL §8.2, §8.3: the state that a server announces with a result. */
export interface AnnouncedState {
  readonly checkpoint: string;
  /** `null`: explicitly none. `undefined`: not stated. */
  readonly parent: string | null | undefined;
  readonly featureSet: string | undefined;
  readonly body: StateBody | undefined;
  /** Minor problems, one sentence each. */
  readonly remarks: readonly string[];
}

/** As received: a patch is validated when it is applied. Large content stays JSON text. */
export type StateBody = { readonly kind: 'data' | 'patch' } & StateContent;

type StateContent = { readonly value: Json } | { readonly text: string };

type DecodedState =
  | AnnouncedState
  /** Unusable as a whole. A sentence. */
  | { readonly problem: string };

/** Decodes the member `state` of a result, if it has one. */
export function decodeStateResult(raw: JsonObject): DecodedState | undefined {
  const { state } = raw;
  if (state === undefined || state === null) return undefined;
  return isJsonObject(state) ? decodeState(state) : { problem: 'Its "state" is not an object.' };
}

/** The params of `state/update`, which no MCPL version has but servers send (docs/decisions/state-update.md). */
export function decodeStateUpdate(params: JsonObject): DecodedState {
  return decodeState(params);
}

function decodeState(state: JsonObject): DecodedState {
  const checkpoint = checkpointIn(state['checkpoint']);
  if (checkpoint === undefined) return { problem: `Its "checkpoint" is not ${A_CHECKPOINT}.` };
  const remarks: string[] = [];
  const parent = parentIn(state['parent'], checkpoint, remarks);
  if (parent === 'unusable') return { problem: `Its "parent" is neither null nor ${A_CHECKPOINT}.` };
  const featureSet = nameIn(state['featureSet']);
  if (featureSet === undefined && (state['featureSet'] ?? null) !== null)
    return { problem: 'Its "featureSet" is not the name of a feature set.' };
  return { checkpoint, ...parent, featureSet, body: bodyIn(state, remarks), remarks };
}

const A_CHECKPOINT = `a text of 1 to ${STATE_BOUNDS.id} characters without control characters`;

/** A checkpoint id. */
function checkpointIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' && isCheckpointId(value) ? value : undefined;
}

function parentIn(
  value: Json | undefined,
  checkpoint: string,
  remarks: string[],
): { readonly parent: string | null | undefined } | 'unusable' {
  if (value === undefined || value === null) return { parent: value };
  const parent = checkpointIn(value);
  if (parent === undefined) return 'unusable';
  if (parent !== checkpoint) return { parent };
  remarks.push('It names itself as its parent, which is taken as if it named none.');
  return { parent: undefined };
}

/**
 * Prefers complete states over patches (docs/decisions/state-contents.md). Null is a valid state, but many languages
 * write absent members as null. It only counts as a state if there is no patch member.
 */
function bodyIn(state: JsonObject, remarks: string[]): StateBody | undefined {
  const data = contentIn(state, 'data');
  const patch = contentIn(state, 'patch');
  if (data === undefined) return (patch ?? null) === null ? undefined : { kind: 'patch', ...(patch ?? NULL) };
  if (patch === undefined) return { kind: 'data', ...(data ?? NULL) };
  if (data !== null) {
    if (patch !== null) remarks.push('It has "data" and a "patch"; the data was taken.');
    return { kind: 'data', ...data };
  }
  if (patch === null) return undefined;
  remarks.push('Its "data" is null beside a "patch"; the patch was taken.');
  return { kind: 'patch', ...patch };
}

const NULL: StateContent = { value: null };

/** Does not parse content that was left as JSON text. */
function contentIn(state: JsonObject, name: string): StateContent | null | undefined {
  const text = unreadText(state, name);
  if (text !== undefined) return { text };
  const value = state[name];
  return value === undefined || value === null ? value : { value };
}

/** The params of `state/rollback` (MCPL §8.5). */
export function rollbackParams(featureSet: string, checkpoint: string): JsonObject {
  return { featureSet, checkpoint };
}

/** The answer to `state/rollback` (MCPL §8.5, §8.6): a claim of the server. */
export interface RolledBack {
  /** The server's current checkpoint, which may differ from the requested one. */
  readonly checkpoint: string | undefined;
  /** True only if the server says so. */
  readonly success: boolean;
  readonly reason: string | undefined;
}

/** Longer than the displayed text, because secrets are removed before it is cut. */
const MAX_REASON = 10_000;

export function decodeRollback(result: Json): RolledBack {
  const answer = object(result) ?? {};
  const { reason } = answer;
  const said = typeof reason === 'string' ? cleanText(reason, MAX_REASON).trim() : '';
  return {
    checkpoint: checkpointIn(answer['checkpoint']),
    success: answer['success'] === true,
    reason: said === '' ? undefined : said,
  };
}
