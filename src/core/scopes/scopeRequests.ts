import type { CancellationToken } from '../base/cancellation.ts';
import { methodNotFound } from '../base/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { ScopeClaim } from '../model/scope.ts';
import type { InboundContext } from '../rpc/peer.ts';
import { invalidParams } from '../wire/mcpl/mcplErrors.ts';
import type { Participant } from '../mcpl/participant.ts';

/** Decides what a server may touch. */
export interface ScopeAuthority {
  /** Returns `undefined` if approved, or the reason for a denial, worded for the server. */
  elevate(request: ElevationRequest, token: CancellationToken): Promise<string | undefined>;
}

export interface ElevationRequest {
  readonly server: string;
  readonly featureSet: string;
  readonly claim: ScopeClaim;
  /** Whether the set is still on, over the connection that sent the request. */
  isCurrent(): boolean;
}

/** The payload is returned unchanged and shown to the user. */
const MAX_PAYLOAD = 256 * 1024;

/**
 * MCPL §7.4 and §7.5. Checked like any other message of a set (docs/decisions/messages-of-a-set.md). Does not block
 * other messages while the user decides.
 */
export async function elevate(
  member: Participant,
  params: JsonObject,
  { token }: Pick<InboundContext, 'token'>,
  authority: ScopeAuthority,
): Promise<Json> {
  if (member.dialect.traits.scopes === 'none') throw methodNotFound('scope/elevate');
  const set = member.requireEnabled(params['featureSet'], undefined, 'scope/elevate');
  if (!set.scoped) throw invalidParams(`The feature set "${set.name}" is not declared as scoped.`, 'featureSet');
  const claim = decodeScope(params['scope']);
  const { session } = member;
  const reason = await authority.elevate(
    {
      server: member.server,
      featureSet: set.name,
      claim,
      isCurrent: () => member.isOn(set.name) && member.session === session,
    },
    token,
  );
  if (reason !== undefined) return { approved: false, reason };
  return claim.payload === undefined ? { approved: true } : { approved: true, payload: claim.payload };
}

/** MCPL §7.3 */
function decodeScope(scope: Json | undefined): ScopeClaim {
  if (!isJsonObject(scope)) throw invalidParams('scope must be an object.', 'scope');
  const { label, payload } = scope;
  if (typeof label !== 'string' || label === '') throw invalidParams('scope.label must be a text.', 'scope.label');
  if (payload !== undefined && !isJsonObject(payload))
    throw invalidParams('scope.payload must be an object.', 'scope.payload');
  if (payload !== undefined && JSON.stringify(payload).length > MAX_PAYLOAD)
    throw invalidParams(`scope.payload must have at most ${MAX_PAYLOAD / 1024} KB.`, 'scope.payload');
  return { label, payload };
}
