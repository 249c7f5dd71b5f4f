import type { IncomingMessage } from 'node:http';
import { type Clock, HostError, isHostError, type Logger, messageOf } from '../../core/index.ts';
import { readEvents } from './httpBody.ts';

/** The reply to a GET for an event stream. */
export type FeedReply =
  | { readonly kind: 'stream'; readonly response: IncomingMessage }
  /** There is no such stream, at all or at this time. */
  | { readonly kind: 'never' | 'later'; readonly status: number }
  /** The server does not know the session. */
  | { readonly kind: 'lost' };

/** The position at which a stream continues. */
export interface FeedPosition {
  readonly lastEventId: string;
  readonly session: string | undefined;
}

interface FeedOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly maxEvent: number;
  open(position: FeedPosition, signal: AbortSignal): Promise<FeedReply>;
  /** Called when the server no longer knows the session. */
  onLost(session: string | undefined): void;
}

interface FollowOptions {
  readonly take: (text: string) => void;
  /** Whether everything expected has arrived. */
  isDone(): boolean;
  readonly signal: AbortSignal;
  readonly session: string | undefined;
  /** Whether a broken stream can continue. Stateless servers do not support that (MCP 2026-07-28). */
  readonly isResumable: boolean;
}

/** Gives up a stream after this many breaks in a row without an event. */
const MAX_BARREN = 8;
const FIRST_PAUSE_MS = 1_000;
/** Prevents a tight loop if a server asks for no pause. */
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 30_000;
/** Maximum pause that a server can ask for. */
const MAX_ASKED_MS = 300_000;
/** A stream that was silent for this long has worked: proxies close idle connections. */
const LONG_MS = 20_000;

interface Position {
  readonly session: string | undefined;
  lastEventId: string;
  retryMs: number | undefined;
  events: number;
}

/** Event streams that continue after a break where they stopped (MCP 2025-11-25, "Resumability and Redelivery"). */
export class EventFeed {
  readonly #options: FeedOptions;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /**
   * Reads the reply of a POST to its end, across several connections if needed. Resolves early if a stream cannot
   * continue.
   */
  async follow(response: IncomingMessage, options: FollowOptions): Promise<void> {
    const position = startOf(options.session);
    await this.#read(response, position, options.take);
    if (!options.isResumable) return;
    for (let barren = 0; barren < MAX_BARREN && position.lastEventId !== '' && !options.isDone(); barren++) {
      await this.#pause(pauseMs(position, barren), options.signal);
      if (options.isDone()) return;
      const before = position.lastEventId;
      const reply = await this.#open(position, options.signal);
      if (reply.kind === 'lost') return this.#options.onLost(options.session);
      if (reply.kind === 'never') return;
      if (reply.kind === 'stream') await this.#read(reply.response, position, options.take);
      if (position.lastEventId !== before) barren = -1;
    }
  }

  /** Keeps a stream open for unrequested messages, until the signal aborts or the server has no such stream. */
  async listen({ take, session, signal }: Pick<FollowOptions, 'take' | 'session' | 'signal'>): Promise<void> {
    const position = startOf(session);
    let wasOpen = false;
    for (let barren = 0; barren < MAX_BARREN && !signal.aborted; barren++) {
      const { events } = position;
      const since = this.#options.clock.now();
      const reply = await this.#open(position, signal);
      if (signal.aborted) return;
      // Before the first stream, these may only mean that the server has none.
      if (reply.kind === 'lost' || (reply.kind === 'never' && reply.status === 400))
        return wasOpen ? this.#options.onLost(session) : undefined;
      if (reply.kind === 'never') return;
      if (reply.kind === 'stream') {
        wasOpen = true;
        await this.#read(reply.response, position, take).catch((error: unknown) => {
          this.#options.log.log('warn', `The event stream is unreadable: ${messageOf(error)}`);
        });
      }
      if (position.events > events || this.#options.clock.now() - since > LONG_MS) barren = -1;
      await this.#pause(pauseMs(position, barren), signal);
    }
    if (!signal.aborted)
      this.#options.log.log('warn', 'The server keeps ending its event stream: its notices are no longer heard.');
  }

  /** Reads one connection. A break is no failure, but unreadable data is. */
  async #read(response: IncomingMessage, position: Position, take: (text: string) => void): Promise<void> {
    try {
      await readEvents(
        response,
        this.#options.maxEvent,
        {
          onEvent: ({ type, data }) => {
            position.events++;
            if (type === 'message') take(data);
          },
          onRetry: (ms) => {
            position.retryMs = Math.min(ms, MAX_ASKED_MS);
          },
        },
        (lastEventId) => {
          position.lastEventId = lastEventId;
        },
      );
    } catch (error) {
      if (error instanceof HostError) throw error;
      this.#options.log.log('debug', `An event stream broke: ${messageOf(error)}`);
    }
  }

  async #open(position: Position, signal: AbortSignal): Promise<FeedReply> {
    try {
      return await this.#options.open(position, signal);
    } catch (error) {
      // If the user did not sign in, retrying would only annoy.
      const isFinal = isHostError(error, 'SIGN_IN_REQUIRED', 'SIGN_IN_FAILED', 'CANCELLED', 'INVALID_SETTINGS');
      const level = isFinal && !signal.aborted ? 'warn' : 'debug';
      this.#options.log.log(level, `An event stream did not open: ${messageOf(error)}`);
      return { kind: isFinal ? 'never' : 'later', status: 0 };
    }
  }

  /** Ends early on abort. */
  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const finish = (): void => {
        timer.dispose();
        signal.removeEventListener('abort', finish);
        resolve();
      };
      const timer = this.#options.clock.delay(ms, finish);
      signal.addEventListener('abort', finish);
    });
  }
}

function startOf(session: string | undefined): Position {
  return { session, lastEventId: '', retryMs: undefined, events: 0 };
}

/** The pause that the server asked for, or a second. Increases while no events arrive. */
function pauseMs({ retryMs }: Position, barren: number): number {
  const backoff = barren <= 0 ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** barren);
  return Math.max(retryMs ?? FIRST_PAUSE_MS, backoff, MIN_PAUSE_MS);
}
