import { STATUS_CODES } from 'node:http';
import {
  cleanLine,
  clip,
  HostError,
  type HostErrorDetails,
  isJsonObject,
  type Json,
  messageOf,
} from '../../core/index.ts';
import { parseMessages } from './httpBody.ts';

const SHOWN_BODY = 200;
const MAX_TITLE = 100;
/** The start of a web page, which may be preceded by comments. */
const PAGE =
  /^\uFEFF?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]{0,2000}?-->\s*)*<(!doctype\s+html|html|head|body|title|h1|center|pre|div|p)\b/i;

interface FailedReply {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: string | undefined;
  readonly now: number;
}

/** A JSON-RPC error in an HTTP error reply. */
export interface RpcRefusal {
  readonly code: number;
  readonly message: string;
  readonly data: Json | undefined;
}

/** Statuses that the body cannot replace, because they say who rejected the request and what to do first. */
const TELLING: readonly number[] = [401, 403, 405, 408, 429];

/** Whether the error in the body is the answer to the request, so that its status adds nothing. */
export function isAnswerStatus(status: number): boolean {
  return status >= 400 && status < 500 && !TELLING.includes(status);
}

/** The error of a JSON-RPC answer, whatever its id. */
export function refusalIn(body: string): RpcRefusal | undefined {
  try {
    const [message] = parseMessages(body) ?? [];
    const error = isJsonObject(message) ? message['error'] : undefined;
    if (!isJsonObject(error) || typeof error['code'] !== 'number') return undefined;
    const { code, message: text, data } = error;
    return { code, message: typeof text === 'string' ? text : '', data };
  } catch {
    return undefined;
  }
}

/** Converts an HTTP error reply to an error with a suggestion. */
export function statusFailure({ status, body, retryAfter, now }: FailedReply): HostError {
  const refusal = refusalIn(body);
  const details: HostErrorDetails = {
    layer: 'transport',
    category: `http-${status}`,
    // A rejected request had no effect. After a server error, the effect is unknown.
    effect: status < 500 ? 'none' : 'unknown',
    suggestion: suggestionFor(status),
    retryAt: retryTime(retryAfter, now),
    rpcCode: refusal?.code,
    data: refusal?.data,
  };
  const text = shownBody(refusal?.message ?? body);
  const said = text === '' ? '' : `: ${text}`;
  if (status === 401) return new HostError('REMOTE_ERROR', `The server needs sign-in${said}`, details);
  const reason = STATUS_CODES[status];
  const name = reason === undefined ? `HTTP ${status}` : `HTTP ${status} (${reason})`;
  return new HostError('REMOTE_ERROR', `The server answered ${name}${said}`, details);
}

/** The start of a body for a log. For a web page, only its title. */
export function shownBody(body: string): string {
  if (!PAGE.test(body)) return oneLine(body);
  const title = cleanLine(/<title[^>]*>([^<]*)/i.exec(body)?.[1] ?? '', MAX_TITLE);
  return title === '' ? 'a web page' : `a web page, “${title}”`;
}

function oneLine(text: string): string {
  return clip(text.trim().replaceAll(/\s+/g, ' '), SHOWN_BODY);
}

/** RFC 9110 §10.2.3: seconds, or a date. */
function retryTime(retryAfter: string | undefined, now: number): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\d{1,7}$/.test(retryAfter)) return now + Number(retryAfter) * 1000;
  const at = /[a-z]/i.test(retryAfter) ? Date.parse(retryAfter) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

function suggestionFor(status: number): string | undefined {
  if (status === 401) return "Sign in, or put a token into `headers` in the server's settings.";
  if (status === 403) return "Check that you may use this server, and the token in `headers` in the server's settings.";
  if (status === 404 || status === 405) return "Check the server's `url`: it must be its MCP endpoint.";
  if (status === 429 || status === 503) return 'Wait a moment, then try again.';
  if (status >= 500) return "Look into the server's own log.";
  return undefined;
}

export function unanswered(): HostError {
  return new HostError('CONNECTION_CLOSED', 'The server ended its reply without an answer.', {
    layer: 'transport',
    suggestion: "Look into the server's own log for what happened.",
  });
}

export function notMcp(text: string): HostError {
  return new HostError('INVALID_MESSAGE', `The server answered with what is no message: ${shownBody(text)}`, {
    layer: 'protocol',
    suggestion: "Check the server's `url`: it must be its MCP endpoint.",
  });
}

/** The error for a request without a complete reply. */
export function networkFailure(error: unknown, url: URL): HostError {
  if (error instanceof HostError) return error;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'ERR_INVALID_CHAR' || code === 'ERR_INVALID_HTTP_TOKEN')
    return new HostError('INVALID_SETTINGS', `A header cannot be sent: ${messageOf(error)}.`, {
      layer: 'settings',
      effect: 'none',
      suggestion: "Correct `headers` in the server's settings.",
    });
  const [message, suggestion] = unreached(code, error, url) ?? [];
  return new HostError(
    'CONNECTION_CLOSED',
    message ?? `The connection to ${url.host} broke (${code === '' ? messageOf(error) : code}).`,
    {
      layer: 'transport',
      category: code,
      effect: message === undefined ? 'unknown' : 'none',
      suggestion: suggestion ?? "Look into the server's own log for what happened.",
      cause: error,
    },
  );
}

/** Why a request did not reach the server, with a suggestion. */
function unreached(code: string, error: unknown, url: URL): readonly [string, string] | undefined {
  switch (code) {
    case 'ECONNREFUSED':
      return isElsewhere(error, url)
        ? ['The proxy of this machine does not answer.', 'Check the proxy in the settings or the environment.']
        : [`Nothing listens at ${url.host}.`, 'Start the server, or correct its `url`.'];
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return [`The name ${url.hostname} is not known.`, "Check the network, and the server's `url`."];
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return [`${url.host} cannot be reached.`, "Check the network, and the server's `url`."];
    case 'ERR_PROXY_INVALID_CONFIG':
      return ['The proxy that the environment names has no valid address.', 'Correct `HTTPS_PROXY` or `HTTP_PROXY`.'];
    case 'ERR_PROXY_TUNNEL':
      return [
        `The proxy does not connect to ${url.host}: ${messageOf(error)}.`,
        'Check the proxy that `HTTPS_PROXY` or `HTTP_PROXY` names, or add the host to `NO_PROXY`.',
      ];
    default:
      return /CERT|^ERR_TLS|^UNABLE_TO_/.test(code)
        ? [
            `The certificate of ${url.host} is not trusted (${code}).`,
            'Install its certificate authority on this machine.',
          ]
        : undefined;
  }
}

/** Whether the connection went to a proxy instead of the server. */
function isElsewhere(error: unknown, url: URL): boolean {
  const port = error instanceof Error && 'port' in error ? error.port : undefined;
  return typeof port === 'number' && String(port) !== (url.port || (url.protocol === 'https:' ? '443' : '80'));
}
