import { canStart, canStop, type ServerDefinition, type ServerState } from '../model/server.ts';
import { sameConnection } from './fingerprint.ts';

export type Step = 'none' | 'start' | 'stop' | 'restart';

export interface Reconciliation {
  readonly before: ServerDefinition | undefined;
  /** Absent where the entry now has an error: what runs goes on running as it was last defined. */
  readonly after: ServerDefinition | undefined;
  readonly state: ServerState;
  readonly trusted: boolean;
  readonly wasTrusted: boolean;
}

/** What new settings mean for one server. A running one is touched only if its connection changed. */
export function reconcile(change: Reconciliation): Step {
  const { before, after, state, trusted } = change;
  // What is being stopped may be meant to come back, or is no longer: the last word counts in either case.
  const isEnding = state.kind === 'stopping';
  if (!trusted) return canStop(state) || isEnding ? 'stop' : 'none';
  if (after === undefined) return 'none';
  switch (switching(change, after)) {
    case 'on':
      return canStart(state) || isEnding ? 'start' : 'none';
    case 'off':
      return canStop(state) || isEnding ? 'stop' : 'none';
    case 'no':
      return before === undefined ? 'none' : forConnection(before, after, state);
  }
}

function switching({ before, wasTrusted }: Reconciliation, after: ServerDefinition): 'on' | 'off' | 'no' {
  const wasEnabled = before?.enabled === true;
  if (after.enabled && (!wasEnabled || !wasTrusted)) return 'on';
  return wasEnabled && !after.enabled ? 'off' : 'no';
}

/** What a server is taken to speak decides how it is connected to. */
function sameProtocol({ protocol: a }: ServerDefinition, { protocol: b }: ServerDefinition): boolean {
  return a.era === b.era && a.dialect === b.dialect && a.mcpl === b.mcpl;
}

function forConnection(before: ServerDefinition, after: ServerDefinition, state: ServerState): Step {
  if (sameConnection(before.connection, after.connection) && sameProtocol(before, after)) return 'none';
  if (canStop(state)) return 'restart';
  // A new connection answers what went wrong with the old one; a server that the user stopped stays stopped.
  const wasGivenUp = state.kind === 'failed' || (state.kind === 'stopped' && state.reason === 'notApproved');
  return after.enabled && wasGivenUp ? 'start' : 'none';
}
