import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { unreadText } from '../../base/unreadJson.ts';
import { isCheckpointId, STATE_BOUNDS } from '../../model/lineage.ts';
import { nameIn } from './bounds.ts';

/** MCPL §8.2, §8.3: what a server says of the state that its answer leads to. */
export interface AnnouncedState {
  readonly checkpoint: string;
  /** `null`: it says that there is none. Absent: it does not say. */
  readonly parent: string | null | undefined;
  readonly featureSet: string | undefined;
  readonly body: StateBody | undefined;
  /** What was wrong and could be done without, a sentence each. */
  readonly remarks: readonly string[];
}

/** As it came: whether a patch is one shows when it is applied. A large one is left as the text that it is. */
export type StateBody = { readonly kind: 'data' | 'patch' } & StateContent;

type StateContent = { readonly value: Json } | { readonly text: string };

export type DecodedState =
  | AnnouncedState
  /** Nothing of it can be kept. A sentence. */
  | { readonly problem: string };

/** The member `state` of a result; `undefined` where the result has none. */
export function decodeStateResult(raw: JsonObject): DecodedState | undefined {
  const { state } = raw;
  if (state === undefined || state === null) return undefined;
  return isJsonObject(state) ? decodeState(state) : { problem: 'Its "state" is not an object.' };
}

/** The params of `state/update`: in no version of MCPL, but sent by servers (docs/decisions/state-update.md). */
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

/** What a server calls a checkpoint. */
export function checkpointIn(value: Json | undefined): string | undefined {
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
 * Whole states are safer than differences (docs/decisions/state-contents.md). Null is a state, but many languages write a member that
 * is not there as null: it is taken for one only where nothing is said of a patch.
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

/** Without reading what was left unread. */
function contentIn(state: JsonObject, name: string): StateContent | null | undefined {
  const text = unreadText(state, name);
  if (text !== undefined) return { text };
  const value = state[name];
  return value === undefined || value === null ? value : { value };
}
