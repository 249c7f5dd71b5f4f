import type { Peer } from '../rpc/peer.ts';
import type { SessionActivity } from './session.ts';

/** Includes the dialect's method. */
const CALLS: ReadonlySet<string> = new Set(['tools/call', 'tools/invoke']);

export function activityOf(peer: Peer): SessionActivity {
  return {
    get received() {
      return peer.received;
    },
    get isAsked() {
      return peer.isAsked;
    },
    get callingSince() {
      const began = peer.waiting(CALLS).map(({ startedAt }) => startedAt);
      return began.length === 0 ? undefined : Math.min(...began);
    },
    cancelCalls: () => peer.cancelWaiting(CALLS),
  };
}
