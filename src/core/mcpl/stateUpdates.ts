import { RPC, WireError } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { StateKeeper } from '../model/lineage.ts';
import type { FeatureSet, McplDialect } from '../model/mcpl.ts';
import { mayKeepState, keeperOf } from './stateSets.ts';
import type { InboundContext } from '../rpc/peer.ts';
import type { Session } from '../session/session.ts';
import { invalidParams } from '../wire/mcpl/mcplErrors.ts';
import { type AnnouncedState, decodeStateUpdate, STATE_PATHS } from '../wire/mcpl/stateResult.ts';
import type { Participant } from './participant.ts';

/** Stores the states that servers send. */
export interface StateAuthority {
  /** Resolves when the state is stored, or with the reason for a missing one. Rejects if it could not be stored. */
  update(state: UpdatedState): Promise<StateVerdict>;
}

/** A state that a server sends without a call. */
export interface UpdatedState {
  readonly server: string;
  readonly featureSet: string;
  readonly keeper: StateKeeper | 'either';
  readonly state: AnnouncedState;
}

export type StateVerdict = { readonly accepted: true } | { readonly accepted: false; readonly reason: string };

/**
 * `state/update`: an addition of servers to the specification, for states created without a call or before the result
 * of one. Does not wait for any call, because servers wait for the answer before they send a result.
 */
export async function takeState(
  member: Participant,
  params: JsonObject,
  context: Pick<InboundContext, 'commit'>,
  authority: StateAuthority,
): Promise<Json> {
  const set = member.requireEnabled(params['featureSet'], undefined, 'state/update');
  if (!mayKeepState(set, member.dialect))
    throw invalidParams(`The feature set "${set.name}" is not declared with state.`, 'featureSet');
  const state = decodeStateUpdate(params);
  if ('problem' in state) throw invalidParams(state.problem, 'checkpoint');
  const { server } = member;
  const keeper = keeperOf(set, member.dialect);
  context.commit?.();
  try {
    return { ...(await authority.update({ server, featureSet: set.name, keeper, state })) };
  } catch (error) {
    if (error instanceof WireError) throw error;
    // The server must not see errors of the host's disk.
    throw new WireError(RPC.internalError, 'The state could not be stored.');
  }
}

/** The store's thread parses states, so that a large one does not block the host. Other code only passes them on. */
export function leaveStatesUnread(
  session: Session | undefined,
  dialect: McplDialect,
  sets: readonly FeatureSet[],
): void {
  const hasStates = sets.some((set) => mayKeepState(set, dialect));
  session?.transport.leaveUnread?.(hasStates ? STATE_PATHS : []);
}
