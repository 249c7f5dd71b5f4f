import { Deferred, ignoreFailure } from '../base/async.ts';
import { CancellationSource, type CancellationToken, NO_CANCELLATION, unlessCancelled } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { HostError, isHostError, messageOf, RPC } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import type { Peer } from '../rpc/peer.ts';
import { decodeAcknowledged, encodeFilter, type ListenFilter, subscriptionIdOf } from '../wire/envelope.ts';

const ACK_MS = 30_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** A stream that lived this long has worked, so the next one opens without delay. */
const LONG_MS = 20_000;

export interface ListenOptions {
  readonly peer: Peer;
  readonly clock: Clock;
  readonly log: Logger;
  /** The kinds of changes that the server supports. */
  readonly kinds: Omit<ListenFilter, 'resourceSubscriptions' | 'taskIds'>;
  /** Completes the params of a request. */
  envelope(params: JsonObject): JsonObject;
  /** Delivers a notification. */
  deliver(method: string, params: JsonObject): void;
}

type Heard = Required<ListenFilter>;

interface Stream {
  readonly source: CancellationSource;
  readonly acknowledged: Deferred<Heard>;
  readonly openedAt: number;
  id: number | undefined;
}

/**
 * MCP 2026-07-28, "Subscriptions": one long request that the server answers with notifications. Its filter cannot be
 * changed, so a change opens a new stream, and closes the old one once the new one is acknowledged.
 */
export class ListenStream implements Disposable {
  readonly #options: ListenOptions;
  readonly #uris = new Set<string>();
  readonly #open = new Set<Stream>();
  #current: Stream | undefined;
  #opening: Promise<Stream> | undefined;
  #retry: Disposable | undefined;
  #failures = 0;
  #isOver = false;

  constructor(options: ListenOptions) {
    this.#options = options;
  }

  /** Starts listening for the supported changes. */
  start(): void {
    if (this.#isWanted) ignoreFailure(this.#reopen());
  }

  async add(uri: string, token: CancellationToken = NO_CANCELLATION): Promise<void> {
    this.#uris.add(uri);
    let heard: Heard;
    try {
      const stream = await unlessCancelled(this.#reopen(), token, 'resources/subscribe');
      heard = await unlessCancelled(stream.acknowledged.promise, token, 'resources/subscribe');
    } catch (error) {
      // Removed, because the server would reject every later stream with it.
      if (isHostError(error, 'REMOTE_ERROR', 'CANCELLED')) this.#uris.delete(uri);
      throw error;
    }
    if (heard.resourceSubscriptions.includes(uri)) return;
    this.#uris.delete(uri);
    throw new HostError('CAPABILITY_MISSING', `The server does not announce changes of ${uri}.`, {
      layer: 'server',
      effect: 'none',
      suggestion: 'Read the resource again when you need it.',
    });
  }

  remove(uri: string): void {
    if (!this.#uris.delete(uri)) return;
    if (this.#isWanted) ignoreFailure(this.#reopen());
    else this.#closeAll();
  }

  /** Handles a notification of a stream. Returns false for others. */
  take(method: string, params: JsonObject): boolean {
    const id = subscriptionIdOf(params);
    if (id === undefined) return false;
    const stream = [...this.#open].find((candidate) => isSameId(candidate.id, id));
    if (stream === undefined) this.#options.log.log('debug', `${method} came for a subscription that is not open.`);
    else if (method === 'notifications/subscriptions/acknowledged') this.#acknowledge(stream, params);
    // While two streams are open, both notify. The older one counts until the newer one is acknowledged.
    else if (stream === this.#current) this.#options.deliver(method, params);
    return true;
  }

  dispose(): void {
    this.#isOver = true;
    this.#retry?.dispose();
    this.#closeAll();
  }

  get #isWanted(): boolean {
    return this.#uris.size > 0 || Object.values(this.#options.kinds).some((wanted) => wanted === true);
  }

  /** Opens a stream for all current subscriptions. Changes within one turn share a stream. */
  #reopen(): Promise<Stream> {
    this.#opening ??= Promise.resolve().then(() => {
      this.#opening = undefined;
      return this.#begin();
    });
    return this.#opening;
  }

  #begin(): Stream {
    this.#retry?.dispose();
    const { peer, clock, kinds } = this.#options;
    const params = this.#options.envelope({
      notifications: encodeFilter({ ...kinds, resourceSubscriptions: [...this.#uris] }),
    });
    const stream: Stream = {
      source: new CancellationSource(),
      acknowledged: new Deferred<Heard>(),
      openedAt: clock.now(),
      id: undefined,
    };
    ignoreFailure(stream.acknowledged.promise);
    if (this.#isOver || !this.#isWanted) {
      stream.acknowledged.reject(this.#ended());
      return stream;
    }
    this.#open.add(stream);
    const patience = clock.delay(ACK_MS, () => {
      stream.acknowledged.reject(this.#ended());
      // Another stream was acknowledged, so this one is not needed.
      if (this.#current !== undefined) stream.source.cancel();
    });
    const settled = (): void => patience.dispose();
    stream.acknowledged.promise.then(settled, settled);
    const request = peer.request('subscriptions/listen', params, {
      // Open until it is closed.
      timeoutMs: Infinity,
      token: stream.source.token,
      onSent: (id) => {
        stream.id = id;
      },
    });
    request.then(
      () => this.#endedBy(stream, undefined),
      (error: unknown) => this.#endedBy(stream, error),
    );
    return stream;
  }

  #acknowledge(stream: Stream, params: JsonObject): void {
    const before = this.#current;
    this.#current = stream;
    const heard = decodeAcknowledged(params);
    stream.acknowledged.resolve(heard);
    if (before !== undefined && before !== stream) before.source.cancel();
    else if (this.#failures > 0) this.#catchUp(heard);
  }

  /** Changes may have been missed while no stream was open, so report all as changed. */
  #catchUp(heard: Heard): void {
    const deliver = (method: string, params: JsonObject): void => this.#options.deliver(method, params);
    if (heard.toolsListChanged) deliver('notifications/tools/list_changed', {});
    if (heard.promptsListChanged) deliver('notifications/prompts/list_changed', {});
    if (heard.resourcesListChanged) deliver('notifications/resources/list_changed', {});
    for (const uri of heard.resourceSubscriptions) deliver('notifications/resources/updated', { uri });
  }

  #endedBy(stream: Stream, error: unknown): void {
    this.#open.delete(stream);
    stream.acknowledged.reject(error ?? this.#ended());
    if (this.#current === stream) this.#current = undefined;
    // Needs no successor if another stream is open, or if it was closed on purpose.
    if (this.#current !== undefined || stream.source.isCancelled || !this.#isWanted) return;
    if (isHostError(error, 'REMOTE_ERROR') && isFinal(error)) {
      this.#options.log.log('warn', `The server announces no changes: ${error.message}`);
      return;
    }
    if (error !== undefined) this.#options.log.log('debug', `The stream of changes ended: ${messageOf(error)}`);
    const { clock } = this.#options;
    if (clock.now() - stream.openedAt > LONG_MS) this.#failures = 0;
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures++);
    this.#retry?.dispose();
    this.#retry = clock.delay(pause, () => this.start());
  }

  #closeAll(): void {
    for (const stream of this.#open) stream.source.cancel();
  }

  #ended(): HostError {
    return new HostError('CONNECTION_CLOSED', 'The server did not start to announce changes.', {
      layer: 'server',
      effect: 'none',
      suggestion: 'Read again when you need it.',
    });
  }
}

function isFinal({ rpcCode }: HostError): boolean {
  return rpcCode === RPC.methodNotFound || rpcCode === RPC.invalidParams || rpcCode === RPC.invalidRequest;
}

/** Some servers echo the request id as text. */
function isSameId(own: number | undefined, id: string | number): boolean {
  return String(own) === String(id);
}
