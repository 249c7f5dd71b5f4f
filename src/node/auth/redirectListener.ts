import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import {
  type AuthorizationResponse,
  type Clock,
  Deferred,
  type Disposable,
  HostError,
  signInFailed,
} from '../../core/index.ts';
import { createLocalServer, type LocalServer } from '../gateway/localServer.ts';

const PATH = '/callback';
const NAMES = ['state', 'code', 'iss', 'error', 'error_description'];
/** The user may have to look up a password or use a phone. */
const PATIENCE_MS = 5 * 60_000;
const LIMITS = {
  headersMs: 10_000,
  requestMs: 10_000,
  connections: 64,
  strangers: 16,
  strangerMs: 10_000,
  youngMs: 500,
};

interface RedirectOptions {
  readonly clock: Clock;
  /** The last used port, because clients are often registered with it. */
  readonly port?: number | undefined;
  readonly patienceMs?: number | undefined;
}

/** The text of the final page. */
export interface Farewell {
  readonly isGood: boolean;
  readonly text: string;
}

/**
 * A loopback listener for the redirect from an authorization server. Accepts one answer with the right state. All other
 * requests have no effect.
 */
export class RedirectListener {
  readonly #server: Server;
  readonly #admit: LocalServer['admit'];
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #arrived = new Deferred<{ readonly response: AuthorizationResponse; readonly answer: ServerResponse }>();
  #state: string | undefined;
  #isTaken = false;
  /** The redirect address. */
  readonly redirectUri: string;

  private constructor(
    { server, admit }: LocalServer,
    port: number,
    { clock, patienceMs = PATIENCE_MS }: RedirectOptions,
  ) {
    this.#server = server;
    this.#admit = admit;
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.redirectUri = `http://127.0.0.1:${port}${PATH}`;
    server.on('request', (request, response) => this.#take(request, response));
  }

  static async open(options: RedirectOptions): Promise<RedirectListener> {
    const local = createLocalServer(LIMITS);
    const port = (await listen(local.server, options.port ?? 0)) ?? (await listen(local.server, 0));
    if (port !== undefined) return new RedirectListener(local, port, options);
    throw signInFailed('No port of this machine is free to receive the sign-in.', 'Try again.');
  }

  /**
   * Resolves with the judgement of the first answer with this state, and shows its text on the page. Rejects on a
   * timeout or if `signal` aborts.
   */
  async answer<T>(
    state: string,
    signal: AbortSignal,
    judge: (response: AuthorizationResponse) => { readonly outcome: T; readonly farewell: Farewell },
  ): Promise<T> {
    this.#state = state;
    const { response, answer } = await this.#wait(signal);
    const { outcome, farewell } = judge(response);
    show(answer, 200, farewell);
    return outcome;
  }

  close(): void {
    this.#server.close();
    // Lets responses in progress finish.
    this.#server.closeIdleConnections();
    setImmediate(() => this.#server.closeAllConnections());
  }

  async #wait(
    signal: AbortSignal,
  ): Promise<{ readonly response: AuthorizationResponse; readonly answer: ServerResponse }> {
    let timer: Disposable | undefined;
    let abort: () => void = () => undefined;
    const ended = new Promise<never>((_, reject) => {
      timer = this.#clock.delay(this.#patienceMs, () =>
        reject(signInFailed('Nobody came back from signing in.', 'Start the server again to sign in.', 'timeout')),
      );
      abort = () => reject(new HostError('CANCELLED', 'Signing in was cancelled.', { layer: 'host' }));
      signal.addEventListener('abort', abort);
      if (signal.aborted) abort();
    });
    try {
      return await Promise.race([this.#arrived.promise, ended]);
    } finally {
      timer?.dispose();
      signal.removeEventListener('abort', abort);
    }
  }

  #take(request: IncomingMessage, answer: ServerResponse): void {
    const target = `http://127.0.0.1${request.url ?? ''}`;
    const url = URL.canParse(target) ? new URL(target) : undefined;
    if (url?.pathname !== PATH) return show(answer, 404, { isGood: false, text: 'There is nothing here.' });
    if (request.method !== 'GET')
      return show(answer, 405, { isGood: false, text: 'Only a browser can come back here.' });
    const { searchParams } = url;
    // Programs disagree on which of two equal parameters wins (RFC 6749 §3.1), so reject them.
    const isAmbiguous = NAMES.some((name) => searchParams.getAll(name).length > 1);
    if (isAmbiguous || this.#state === undefined || searchParams.get('state') !== this.#state)
      return show(answer, 400, { isGood: false, text: 'This is not the sign-in that was begun.' });
    if (this.#isTaken) return show(answer, 410, { isGood: false, text: 'This sign-in is over.' });
    this.#isTaken = true;
    this.#admit(request);
    const value = (name: string): string | undefined => searchParams.get(name) ?? undefined;
    const response = {
      code: value('code'),
      iss: value('iss'),
      error: value('error'),
      errorDescription: value('error_description'),
    };
    this.#arrived.resolve({ response, answer });
  }
}

/** Returns `undefined` if the port is in use. */
async function listen(server: Server, port: number): Promise<number | undefined> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return undefined;
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : undefined;
}

function show(answer: ServerResponse, status: number, { isGood, text }: Farewell): void {
  const title = isGood ? 'Signed in' : 'Not signed in';
  answer
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    })
    .end(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>` +
        '<style>body{font:1rem/1.5 system-ui,sans-serif;margin:20vh auto;max-width:36rem;padding:0 1rem;text-align:center}</style>' +
        `</head><body><h1>${title}</h1><p>${escapeHtml(text)}</p><p>You may close this window.</p></body></html>`,
    );
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
