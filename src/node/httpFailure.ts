import { STATUS_CODES } from 'node:http';
import { clip, HostError, type HostErrorDetails, messageOf } from '../core/index.ts';

const SHOWN_BODY = 200;

export interface FailedReply {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: string | undefined;
  readonly now: number;
}

/** An HTTP reply that is no success, as an error that says what to do. */
export function statusFailure({ status, body, retryAfter, now }: FailedReply): HostError {
  const details: HostErrorDetails = {
    layer: 'transport',
    category: `http-${status}`,
    // What was turned away was not done; after a failure in the middle nobody knows.
    effect: status < 500 ? 'none' : 'unknown',
    suggestion: suggestionFor(status),
    retryAt: /^\d{1,7}$/.test(retryAfter ?? '') ? now + Number(retryAfter) * 1000 : undefined,
  };
  if (status === 401)
    return new HostError('REMOTE_ERROR', 'The server needs sign-in, which this version does not offer.', details);
  const text = body.trim().replaceAll(/\s+/g, ' ');
  const said = text === '' ? '' : `: ${clip(text, SHOWN_BODY)}`;
  const reason = STATUS_CODES[status];
  const name = reason === undefined ? `HTTP ${status}` : `HTTP ${status} (${reason})`;
  return new HostError('REMOTE_ERROR', `The server answered ${name}${said}`, details);
}

function suggestionFor(status: number): string | undefined {
  if (status === 401) return "Put a token into `headers` in the server's settings.";
  if (status === 403) return "Check the token in `headers` in the server's settings.";
  if (status === 404 || status === 405) return "Check the server's `url`: it must be its MCP endpoint.";
  if (status === 429 || status === 503) return 'Wait a moment, then try again.';
  if (status >= 500) return "Look into the server's own log.";
  return undefined;
}

/** A request that got no reply, or only part of one. */
export function networkFailure(error: unknown, url: URL): HostError {
  if (error instanceof HostError) return error;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const fail = (message: string, suggestion: string, effect: 'none' | 'unknown' = 'none'): HostError =>
    new HostError('CONNECTION_CLOSED', message, {
      layer: 'transport',
      category: code,
      effect,
      suggestion,
      cause: error,
    });
  switch (code) {
    case 'ECONNREFUSED':
      return fail(`Nothing listens at ${url.host}.`, 'Start the server, or correct its `url`.');
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return fail(`The name ${url.hostname} is not known.`, "Check the network, and the server's `url`.");
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return fail(`${url.host} cannot be reached.`, "Check the network, and the server's `url`.");
    case 'ERR_INVALID_CHAR':
    case 'ERR_INVALID_HTTP_TOKEN':
      return new HostError('INVALID_SETTINGS', `A header cannot be sent: ${messageOf(error)}.`, {
        layer: 'settings',
        effect: 'none',
        suggestion: "Correct `headers` in the server's settings.",
      });
    default:
      if (/CERT|^ERR_TLS/.test(code))
        return fail(
          `The certificate of ${url.host} is not trusted (${code}).`,
          'Install its certificate authority on this machine.',
        );
      return fail(
        `The connection to ${url.host} broke (${code === '' ? messageOf(error) : code}).`,
        "Look into the server's own log for what happened.",
        'unknown',
      );
  }
}
