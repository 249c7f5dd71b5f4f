import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { HostError, inwardRefusal } from '../../core/index.ts';
import { type HttpAgents, OwnAgents } from './httpAgents.ts';

const MAX_REDIRECTS = 5;
/** Redirects that may keep method and body. */
const REDIRECTS: readonly (number | undefined)[] = [301, 302, 307, 308];
/** Certificate errors that additional authorities may fix. */
const UNTRUSTED: readonly unknown[] = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
];

export type HttpHeaders = Readonly<Record<string, string>>;

/** Prevents sending a header twice in different case. */
export function inLowerCase(headers: HttpHeaders): HttpHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

export interface HttpCall {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly url: URL;
  /** Headers that any server may see. */
  readonly headers: HttpHeaders;
  /** Secrets and other headers of one server, never sent to another origin. */
  readonly bound: HttpHeaders;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
  /** Called when the whole request was handed to the system. */
  readonly onSent?: (() => void) | undefined;
  /** More bound headers for one request. Called for each request to the own origin, including redirects. */
  readonly credentials?: ((url: URL) => Promise<HttpHeaders>) | undefined;
  /** Called for each reply of the own origin, including redirects. */
  readonly onReply?: ((reply: IncomingMessage, url: URL) => void) | undefined;
}

/** Sends requests over kept connections. Not `fetch`, which ends streams that are silent for 300 s. */
export class HttpRequester {
  readonly #agents: HttpAgents;

  constructor(agents: HttpAgents = new OwnAgents()) {
    this.#agents = agents;
  }

  /** Resolves with the reply once its headers arrive. Follows redirects. */
  async open(call: HttpCall): Promise<IncomingMessage> {
    let { url } = call;
    // After a redirect to another origin, that origin controls the rest of the way.
    let isOwn = true;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      isOwn &&= url.origin === call.url.origin;
      const credentials = isOwn ? await call.credentials?.(url) : undefined;
      const headers = isOwn ? { ...call.bound, ...credentials, ...call.headers } : call.headers;
      const response = await this.#send(call, url, headers);
      if (isOwn) call.onReply?.(response, url);
      const location = REDIRECTS.includes(response.statusCode) ? response.headers.location : undefined;
      if (location === undefined) return response;
      skipBody(response);
      url = redirectTarget(call.url, url, location);
    }
    throw redirectError(`${call.url.host} redirects more than ${MAX_REDIRECTS} times.`);
  }

  close(): void {
    this.#agents.close();
  }

  async #send(call: HttpCall, url: URL, headers: HttpHeaders): Promise<IncomingMessage> {
    const agent = this.#agents.agentFor(url);
    try {
      return await sendOver(agent, call, url, headers);
    } catch (error) {
      // Nothing was sent, because the TLS handshake comes first.
      const isUntrusted = error instanceof Error && 'code' in error && UNTRUSTED.includes(error.code);
      if (!isUntrusted || !this.#agents.distrusted(agent)) throw error;
      return sendOver(this.#agents.agentFor(url), call, url, headers);
    }
  }
}

function sendOver(
  agent: http.Agent | undefined,
  { method, body, signal, onSent }: HttpCall,
  url: URL,
  headers: HttpHeaders,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) throw aborted();
    // Accessed through the module each time, because an editor may patch these functions for its proxy.
    const send = url.protocol === 'https:' ? https.request : http.request;
    const request = send(url, { method, headers, ...(agent === undefined ? {} : { agent }) });
    let response: IncomingMessage | undefined;
    // Not the option `signal`, which breaks connections that were just returned to the agent, without an error
    // listener.
    const abort = (): void => void (response ?? request).destroy(response === undefined ? aborted() : undefined);
    signal.addEventListener('abort', abort);
    request.once('close', () => signal.removeEventListener('abort', abort));
    request.on('error', reject);
    request.once('response', (reply) => {
      response = reply;
      // Readers get the error too. Without a reader it does not matter.
      reply.on('error', () => undefined);
      resolve(reply);
    });
    request.once('finish', () => onSent?.());
    request.end(body);
  });
}

/** Limits for unread bodies. Longer ones end the connection, because they may be endless. */
const MAX_SKIPPED = 64 * 1024;
const MAX_SKIP_MS = 2_000;

/** Discards a body, and returns its connection to the agent or ends it. */
export function skipBody(response: IncomingMessage): void {
  let length = 0;
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_SKIPPED) response.destroy();
  });
  const timer = setTimeout(() => response.destroy(), MAX_SKIP_MS);
  timer.unref();
  response.once('close', () => clearTimeout(timer));
}

function aborted(): HostError {
  return new HostError('CANCELLED', 'The request was given up.', { layer: 'transport' });
}

function redirectTarget(server: URL, from: URL, location: string): URL {
  if (!URL.canParse(location, from.href)) throw redirectError(`${from.host} redirects to what is no address.`);
  const target = new URL(location, from.href);
  if (target.protocol !== 'http:' && target.protocol !== 'https:')
    throw redirectError(`${from.host} redirects to an address that is not on the web.`);
  if (from.protocol === 'https:' && target.protocol === 'http:')
    throw redirectError(`${from.host} redirects to ${target.host} without encryption.`);
  const refusal = inwardRefusal(target, server);
  if (refusal !== undefined) throw redirectError(`${from.host} redirects to ${target.host}, which ${refusal}.`);
  return target;
}

function redirectError(message: string): HostError {
  return new HostError('REMOTE_ERROR', message, {
    layer: 'transport',
    effect: 'none',
    suggestion: "Set the server's `url` to its final address.",
  });
}
