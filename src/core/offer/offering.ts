import { HostError } from '../base/errors.ts';
import { isJsonObject } from '../base/json.ts';
import type { Session } from '../session/session.ts';

/**
 * The open session of a server that declared this capability. Requests that need an undeclared capability are never
 * sent.
 */
export function offering(session: Session | undefined, capability: string): Session {
  if (session === undefined)
    throw new HostError('SERVER_NOT_RUNNING', 'The server is not running.', {
      layer: 'host',
      effect: 'none',
      suggestion: 'Start it, then try again.',
    });
  if (isJsonObject(session.handshake.capabilities[capability])) return session;
  throw new HostError('CAPABILITY_MISSING', `The server has no ${capability}.`, {
    layer: 'protocol',
    effect: 'none',
    suggestion: 'Ask another server.',
  });
}
