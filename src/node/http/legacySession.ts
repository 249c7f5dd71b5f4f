import {
  Deferred,
  dialectInitializeParams,
  HostError,
  ignoreFailure,
  isJsonObject,
  type Json,
  type JsonObject,
  RPC,
} from '../../core/index.ts';
import { refusalIn } from './httpFailure.ts';
import type { PostExchange } from './postQueue.ts';

interface LegacySessionOptions {
  /** Posts a message of the session itself. Resolves with its answer, or null if none is expected. */
  post(message: JsonObject): Promise<Json>;
  now(): number;
  /** The negotiated version. */
  version(): string | undefined;
  /** Nothing else may be sent until the promise, which never rejects, has settled. */
  onRenewing(renewal: Promise<void>): void;
  onRenewed(result: Json): void;
  onFailed(error: HostError): void;
}

const MINUTE_MS = 60_000;
const MAX_PER_MINUTE = 10;
/** Codes with which servers use 404 for something other than the session: a method, parameter or resource. */
const ELSE_NOT_FOUND: readonly (number | undefined)[] = [RPC.methodNotFound, RPC.invalidParams, -32002];
/** A code with many meanings, one of which is an unknown session. */
const SERVER_ERROR = -32000;
const SAYS_SESSION = /session[ -]?id|no valid session|session (not found|expired|has been terminated)|not initialized/i;

/**
 * The session after `initialize` (MCP 2025-03-26 to 2025-11-25, "Session Management"). A forgotten session is opened
 * again once, because servers forget sessions when they restart.
 */
export class LegacySession {
  id: string | undefined;
  readonly #options: LegacySessionOptions;
  #initialize: JsonObject = {};
  #isDialect = false;
  #renewals = 0;
  /** Times of renewals within the last minute. */
  #recent: readonly number[] = [];
  #renewal: Promise<void> | undefined;

  constructor(options: LegacySessionOptions) {
    this.#options = options;
  }

  /** Records how the session is opened, to reopen a server of the short dialect in its dialect. */
  sends(message: Json, { method, isInitialized }: Pick<PostExchange, 'method' | 'isInitialized'>): void {
    if (!isJsonObject(message)) return;
    if (method === 'initialize') this.#initialize = message;
    else if (isInitialized && method === 'initialized') {
      this.#isDialect = true;
      this.#initialize = { ...this.#initialize, params: dialectInitializeParams() };
    }
  }

  /** Resolves once a session other than the rejected one exists. Rejects if there will be none. */
  renewed(refused: string | undefined): Promise<void> {
    if (this.#renewal !== undefined) return this.#renewal;
    if (this.id !== refused) return Promise.resolve();
    const renewal = this.#renew().finally(() => {
      this.#renewal = undefined;
    });
    this.#renewal = renewal;
    const settled = new Deferred<void>();
    ignoreFailure(renewal.finally(() => settled.resolve()));
    this.#options.onRenewing(settled.promise);
    return renewal;
  }

  /** The new session was rejected as well. */
  refusedAgain(): void {
    this.#fail('The server does not know the session that it has just opened.');
  }

  async #renew(): Promise<void> {
    try {
      this.#count();
      const id = `renew-${++this.#renewals}`;
      const answer = await this.#options.post({ ...this.#initialize, id });
      const result = isJsonObject(answer) ? answer['result'] : undefined;
      if (!isJsonObject(result)) throw new Error(refusalText(answer));
      const version = this.#options.version();
      // The version must stay the same for the layers above this transport.
      const spoken = result['protocolVersion'];
      if (version !== undefined && spoken !== (this.#isDialect ? undefined : version))
        throw new Error(`It now speaks MCP ${JSON.stringify(spoken)} instead of ${version}.`);
      await this.#options.post(
        this.#isDialect
          ? { jsonrpc: '2.0', method: 'initialized', params: {} }
          : { jsonrpc: '2.0', method: 'notifications/initialized' },
      );
      this.#options.onRenewed(result);
    } catch (error) {
      throw this.#fail('The server no longer knows this session, and does not open another.', error);
    }
  }

  /** Prevents an endless loop with a server that forgets each session at once. */
  #count(): void {
    const now = this.#options.now();
    this.#recent = [...this.#recent.filter((at) => now - at < MINUTE_MS), now];
    if (this.#recent.length > MAX_PER_MINUTE) throw new Error(`It forgot ${MAX_PER_MINUTE} within a minute.`);
  }

  #fail(message: string, cause?: unknown): HostError {
    this.id = undefined;
    const why = cause instanceof Error ? ` ${cause.message}` : '';
    const error = new HostError('CONNECTION_CLOSED', `${message}${why}`, {
      layer: 'transport',
      suggestion:
        'Restart the server. Where several run behind one address, each must know the sessions of the others.',
      cause,
    });
    this.#options.onFailed(error);
    return error;
  }
}

/**
 * Whether a reply means that the server does not know the session. For a new session, only unambiguous replies count.
 */
export function isSessionRefusal(status: number, body: string, isFresh: boolean): boolean {
  const code = refusalIn(body)?.code;
  if (status === 404) return !ELSE_NOT_FOUND.includes(code);
  return status === 400 && (SAYS_SESSION.test(body) || (code === SERVER_ERROR && !isFresh));
}

function refusalText(answer: Json): string {
  const error = isJsonObject(answer) ? answer['error'] : undefined;
  const message = isJsonObject(error) ? error['message'] : undefined;
  return typeof message === 'string' ? message : 'Its answer is no result.';
}
