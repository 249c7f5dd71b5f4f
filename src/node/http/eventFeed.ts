import type { IncomingMessage } from 'node:http';
import { type Clock, HostError, isHostError, type Logger, messageOf } from '../../core/index.ts';
import { readEvents } from './httpBody.ts';

/** What a GET for a stream gave. */
export type FeedReply =
  | { readonly kind: 'stream'; readonly response: IncomingMessage }
  /** There is no such stream, or not now. */
  | { readonly kind: 'never' | 'later'; readonly status: number }
  /** The server does not know the session. */
  | { readonly kind: 'lost' };

/** Where a stream is to go on. */
export interface FeedPosition {
  readonly lastEventId: string;
  readonly session: string | undefined;
}

export interface FeedOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly maxEvent: number;
  open(position: FeedPosition, signal: AbortSignal): Promise<FeedReply>;
  /** The server does not know this session any more. */
  onLost(session: string | undefined): void;
}

export interface FollowOptions {
  readonly take: (text: string) => void;
  /** All that was to come has come. */
  isDone(): boolean;
  readonly signal: AbortSignal;
  readonly session: string | undefined;
  /** What breaks off may go on; a stateless server keeps nothing for that (MCP 2026-07-28). */
  readonly isResumable: boolean;
}

/** Breaks in a row, nothing having come in between, after which a stream is given up. */
const MAX_BARREN = 8;
const FIRST_PAUSE_MS = 1_000;
/** A server that asks for no pause at all would have us connect in a tight loop. */
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 30_000;
/** A server may ask for a longer pause than ours, but not for one that never ends. */
const MAX_ASKED_MS = 300_000;
/** A stream that was silent for so long and then ended has worked: proxies end idle connections. */
const LONG_MS = 20_000;

interface Position {
  readonly session: string | undefined;
  lastEventId: string;
  retryMs: number | undefined;
  events: number;
}

/** Streams of events that go on after a break where they stopped (MCP 2025-11-25, "Resumability and Redelivery"). */
export class EventFeed {
  readonly #options: FeedOptions;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /**
   * Reads the reply of a POST to its end, over as many connections as it takes. Resolves early, without having seen
   * all, where a stream cannot be taken up again.
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

  /** Keeps a stream open for what the server says unasked, until the signal or until the server has none. */
  async listen({ take, session, signal }: Pick<FollowOptions, 'take' | 'session' | 'signal'>): Promise<void> {
    const position = startOf(session);
    let wasOpen = false;
    for (let barren = 0; barren < MAX_BARREN && !signal.aborted; barren++) {
      const { events } = position;
      const since = this.#options.clock.now();
      const reply = await this.#open(position, signal);
      if (signal.aborted) return;
      // Before any stream was there, these may only mean that the server has none.
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

  /** Reads one connection. That it broke is no failure yet; that it sent what cannot be read is. */
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
      // Where a person did not sign in, asking again by ourselves would only be a nuisance.
      const isFinal = isHostError(error, 'SIGN_IN_REQUIRED', 'SIGN_IN_FAILED', 'CANCELLED', 'INVALID_SETTINGS');
      const level = isFinal && !signal.aborted ? 'warn' : 'debug';
      this.#options.log.log(level, `An event stream did not open: ${messageOf(error)}`);
      return { kind: isFinal ? 'never' : 'later', status: 0 };
    }
  }

  /** Ends early when the wait is pointless. */
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

/** What the server asked for; without that a second, and longer each time that nothing came. */
function pauseMs({ retryMs }: Position, barren: number): number {
  const backoff = barren <= 0 ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** barren);
  return Math.max(retryMs ?? FIRST_PAUSE_MS, backoff, MIN_PAUSE_MS);
}
