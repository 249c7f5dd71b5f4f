import http, { type IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import { type Clock, HostError, type Json } from '../../core/index.ts';
import { readJson } from '../httpBody.ts';

/** Metadata and token replies are small; what is longer is not read. */
const MAX_BODY = 256 * 1024;
const TIMEOUT_MS = 15_000;
const MAX_REDIRECTS = 3;

export interface AuthHttpReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** `undefined` where the body is not JSON. */
  readonly json: Json | undefined;
}

export interface AuthHttpPost {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Requests to authorization servers. Not the requester of transports, which follows redirects: what is sent here may
 * hold secrets, and what is read decides where secrets go. A redirect is followed for metadata only, and only to the
 * same origin.
 */
export class AuthHttp {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A reply that redirects to another origin is given back as it is. */
  async get(url: URL, signal: AbortSignal): Promise<AuthHttpReply> {
    let at = url;
    for (let hops = 0; ; hops++) {
      const reply = await this.#send('GET', at, { accept: 'application/json' }, undefined, signal);
      const { location } = reply.headers;
      if (reply.status < 300 || reply.status >= 400 || location === undefined || hops >= MAX_REDIRECTS) return reply;
      if (!URL.canParse(location, at.href) || new URL(location, at.href).origin !== url.origin) return reply;
      at = new URL(location, at.href);
    }
  }

  async post({ url, headers, body }: AuthHttpPost, signal: AbortSignal): Promise<AuthHttpReply> {
    return this.#send('POST', url, { accept: 'application/json', ...headers }, body, signal);
  }

  async #send(
    method: string,
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
    signal: AbortSignal,
  ): Promise<AuthHttpReply> {
    const abort = new AbortController();
    const stop = (): void => abort.abort(new HostError('CANCELLED', 'Signing in was cancelled.', { layer: 'host' }));
    const timer = this.#clock.delay(TIMEOUT_MS, () =>
      abort.abort(unreachable(url, `did not answer within ${TIMEOUT_MS / 1000} s`)),
    );
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    try {
      return await exchange(method, url, headers, body, abort.signal);
    } catch (error) {
      if (error instanceof HostError) throw error;
      throw unreachable(url, `cannot be reached (${codeOf(error)})`, error);
    } finally {
      timer.dispose();
      signal.removeEventListener('abort', stop);
    }
  }
}

function exchange(
  method: string,
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
  signal: AbortSignal,
): Promise<AuthHttpReply> {
  return new Promise((resolve, reject) => {
    // Through the module each time: an editor replaces these functions to go through its proxy.
    const send = url.protocol === 'https:' ? https.request : http.request;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const request = send(url, { method, headers: { ...headers, ...length } });
    const abort = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('given up'));
      request.destroy();
    };
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);
    request.once('close', () => signal.removeEventListener('abort', abort));
    request.on('error', reject);
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size <= MAX_BODY) return;
        reject(unreachable(url, `answered with more than ${MAX_BODY / 1024} kB`));
        request.destroy();
      });
      response.on('end', () => {
        const text = Buffer.concat(chunks, size).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text, json: readJson(text) });
      });
      response.on('close', () => reject(new Error('the reply broke off')));
    });
    request.end(body);
  });
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
