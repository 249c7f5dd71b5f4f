import { type Effect, HostError, messageOf } from '../base/errors.ts';
import type { RemoteFailure } from './messages.ts';
import type { TransportClosed } from './transport.ts';

export function remoteError(method: string, { code, message, data }: RemoteFailure): HostError {
  const text = message === '' ? `The server refused ${method}.` : message;
  return new HostError('REMOTE_ERROR', text, { layer: 'server', rpcCode: code, data });
}

export function cancelledError(method: string, effect: Effect): HostError {
  return new HostError('CANCELLED', `${method} was cancelled.`, { layer: 'host', effect });
}

export function closedError(method: string, { error }: TransportClosed, effect: Effect): HostError {
  const why = error === undefined ? '' : ` ${error.message}`;
  return new HostError('CONNECTION_CLOSED', `The connection is closed: there is no answer to ${method}.${why}`, {
    layer: 'transport',
    effect,
    suggestion: error?.suggestion ?? 'Start the server again.',
    cause: error,
  });
}

/** The engine itself fails a request only if its params cannot be written as JSON. */
export function unwritable(method: string, error: unknown): HostError {
  return new HostError('INTERNAL', `${method} could not be sent: ${messageOf(error)}`, {
    layer: 'host',
    effect: 'none',
  });
}
