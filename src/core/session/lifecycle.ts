import type { HostError } from '../base/errors.ts';
import type { ServerState, StopReason } from '../model/server.ts';

export type LifecycleEvent =
  | { readonly kind: 'asked' }
  | { readonly kind: 'connecting' }
  | ({ readonly kind: 'ready' } & Omit<Extract<ServerState, { kind: 'running' }>, 'kind'>)
  | { readonly kind: 'stopping' }
  | { readonly kind: 'stopped'; readonly reason: StopReason }
  | { readonly kind: 'crashed'; readonly error: HostError; readonly restartAt: number }
  | { readonly kind: 'failed'; readonly error: HostError };

/** States in which each event is valid. Other events are ignored. */
const ALLOWED: { readonly [K in LifecycleEvent['kind']]: readonly ServerState['kind'][] } = {
  asked: ['stopped', 'failed', 'restarting', 'starting'],
  connecting: ['stopped', 'failed', 'restarting', 'asking'],
  ready: ['starting'],
  stopping: ['asking', 'starting', 'running', 'restarting'],
  stopped: ['stopped', 'failed', 'asking', 'starting', 'stopping', 'restarting', 'running'],
  crashed: ['starting', 'running', 'asking'],
  failed: ['asking', 'starting', 'running', 'restarting'],
};

/** Returns the state after an event, or the same state if the event does not apply. */
export function transition(state: ServerState, event: LifecycleEvent): ServerState {
  if (!ALLOWED[event.kind].includes(state.kind)) return state;
  switch (event.kind) {
    case 'asked':
      return { kind: 'asking' };
    case 'connecting':
      return { kind: 'starting' };
    case 'ready':
      return { ...event, kind: 'running' };
    case 'stopping':
      return { kind: 'stopping' };
    case 'stopped':
      return { kind: 'stopped', reason: event.reason };
    case 'crashed':
      return { kind: 'restarting', error: event.error, at: event.restartAt };
    case 'failed':
      return { kind: 'failed', error: event.error };
  }
}
