import { canStart, canStop, type ServerDefinition, type ServerState } from '../model/server.ts';
import { sameConnection } from './fingerprint.ts';

type Step = 'none' | 'start' | 'stop' | 'restart';

interface Reconciliation {
  readonly before: ServerDefinition | undefined;
  /** Absent if the entry has an error. A running server then keeps its last definition. */
  readonly after: ServerDefinition | undefined;
  readonly state: ServerState;
  readonly trusted: boolean;
  readonly wasTrusted: boolean;
}

/** Decides what new settings mean for one server. A running server is only affected if its connection changed. */
export function reconcile(change: Reconciliation): Step {
  const { before, after, state, trusted } = change;
  // The latest settings decide whether a stopping server starts again.
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

/** Protocol settings affect how the server is connected. */
function sameProtocol({ protocol: a }: ServerDefinition, { protocol: b }: ServerDefinition): boolean {
  return a.era === b.era && a.dialect === b.dialect && a.mcpl === b.mcpl;
}

function forConnection(before: ServerDefinition, after: ServerDefinition, state: ServerState): Step {
  if (sameConnection(before.connection, after.connection) && sameProtocol(before, after)) return 'none';
  if (canStop(state)) return 'restart';
  // A changed connection may fix the failure. A server stopped by the user stays stopped.
  const wasGivenUp = state.kind === 'failed' || (state.kind === 'stopped' && state.reason === 'notApproved');
  return after.enabled && wasGivenUp ? 'start' : 'none';
}
