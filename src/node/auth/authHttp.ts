import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Clock, HostError, type Json } from '../../core/index.ts';
import { readJson } from '../http/httpBody.ts';
import type { HttpCall, HttpRequester } from '../http/httpRequest.ts';

/** Metadata and token replies are small. Longer ones are rejected. */
const MAX_BODY = 256 * 1024;
const TIMEOUT_MS = 15_000;
const MAX_REDIRECTS = 3;

export interface AuthHttpReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** `undefined` if the body is not JSON. */
  readonly json: Json | undefined;
}

interface AuthHttpPost {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Call = Pick<HttpCall, 'method' | 'url' | 'bound' | 'body'>;

/**
 * Requests to authorization servers. They may contain secrets, and their replies decide where secrets go. Redirects are
 * therefore followed for metadata only, and only within the same origin.
 */
export class AuthHttp {
  readonly #requester: HttpRequester;
  readonly #clock: Clock;

  constructor(requester: HttpRequester, clock: Clock) {
    this.#requester = requester;
    this.#clock = clock;
  }

  /** Returns a redirect to another origin without following it. */
  async get(url: URL, signal: AbortSignal): Promise<AuthHttpReply> {
    let at = url;
    for (let hops = 0; ; hops++) {
      const reply = await this.#send({ method: 'GET', url: at, bound: { accept: 'application/json' } }, signal);
      const { location } = reply.headers;
      if (!isRedirect(reply.status) || location === undefined || hops >= MAX_REDIRECTS) return reply;
      if (!URL.canParse(location, at.href) || new URL(location, at.href).origin !== url.origin) return reply;
      at = new URL(location, at.href);
    }
  }

  async post({ url, headers, body }: AuthHttpPost, signal: AbortSignal): Promise<AuthHttpReply> {
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    return this.#send(
      { method: 'POST', url, bound: { accept: 'application/json', ...headers, ...length }, body },
      signal,
    );
  }

  async #send(call: Call, signal: AbortSignal): Promise<AuthHttpReply> {
    const { url } = call;
    const abort = new AbortController();
    const stop = (): void => abort.abort(new HostError('CANCELLED', 'Signing in was cancelled.', { layer: 'host' }));
    const timer = this.#clock.delay(TIMEOUT_MS, () =>
      abort.abort(unreachable(url, `did not answer within ${TIMEOUT_MS / 1000} s`)),
    );
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    try {
      return await this.#exchange(call, abort);
    } catch (error) {
      if (abort.signal.aborted) throw abort.signal.reason;
      if (error instanceof HostError) throw error;
      throw unreachable(url, `cannot be reached (${codeOf(error)})`, error);
    } finally {
      timer.dispose();
      signal.removeEventListener('abort', stop);
    }
  }

  async #exchange(call: Call, { signal }: AbortController): Promise<AuthHttpReply> {
    const redirected = new AbortController();
    let redirect: AuthHttpReply | undefined;
    try {
      const response = await this.#requester.open({
        ...call,
        headers: {},
        signal: AbortSignal.any([signal, redirected.signal]),
        // The requester would follow redirects, so abort at the first one.
        onReply: ({ statusCode = 0, headers }) => {
          if (!isRedirect(statusCode)) return;
          redirect = { status: statusCode, headers, json: undefined };
          redirected.abort();
        },
      });
      if (redirect !== undefined) return redirect;
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        json: readJson(await readBody(response, call.url)),
      };
    } catch (error) {
      if (redirect !== undefined) return redirect;
      throw error;
    }
  }
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

async function readBody(response: IncomingMessage, url: URL): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > MAX_BODY) throw unreachable(url, `answered with more than ${MAX_BODY / 1024} kB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

function unreachable(url: URL, what: string, cause?: unknown): HostError {
  return new HostError('SIGN_IN_FAILED', `${url.host}, which is needed to sign in, ${what}.`, {
    layer: 'transport',
    effect: 'none',
    suggestion: 'Check the network, then try again.',
    cause,
  });
}
