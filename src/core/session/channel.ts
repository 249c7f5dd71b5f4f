import { type CancellationToken, NO_CANCELLATION } from '../base/cancellation.ts';
import { cleanLine } from '../base/cleanText.ts';
import type { Clock } from '../base/clock.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { HostError, methodNotFound, RPC, WireError } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import { isJsonObject, type Json, type JsonObject, ownEntry } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import type { Era } from '../model/server.ts';
import { LogLimiter } from '../rpc/logLimiter.ts';
import { type InboundContext, Peer } from '../rpc/peer.ts';
import type { Transport, TransportClosed } from '../rpc/transport.ts';
import type { WireCodec } from '../wire/codec.ts';
import type { Session, SessionActivity, SessionFeature } from './session.ts';

export interface ChannelOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  readonly features: readonly SessionFeature[];
  /** Removes secrets from errors: servers write them into their error messages. */
  readonly redact?: ((error: HostError) => HostError) | undefined;
  /** Called before the features start, so that the session can be found. */
  readonly onOpened?: ((session: Session) => void) | undefined;
  /** Fires when the connection starts or stops waiting for the user. */
  readonly onWaiting?: Event<boolean> | undefined;
  /** Cancelled when the server is stopped. It then has no rights, although the connection is still open. */
  readonly stopping?: CancellationToken | undefined;
  /** The last id used on the connection before. */
  readonly lastId?: number | undefined;
}

const REMARKS = { lines: 50, perMs: 10_000 };
/** Maximum distinct names of ignored notifications in the log. */
const MAX_UNKNOWN = 100;

/** Notifications accepted while a server is stopping: log messages, and the status of running calls. */
const HEARD_WHILE_STOPPING: readonly string[] = [
  'notifications/message',
  'notifications/tasks/status',
  'notifications/tasks',
];
const STOPPING = { code: -32000, message: 'stopping' };
/** Includes the dialect's method. */
const TOOL_CALLS: ReadonlySet<string> = new Set(['tools/call', 'tools/invoke']);

/** A peer with the features that answer requests and handle notifications, from before the handshake to the end. */
export class Channel implements Disposable {
  readonly peer: Peer;
  readonly store = new DisposableStore();
  readonly closed = new Emitter<TransportClosed>();
  readonly renewed = this.store.add(new Emitter<void>());
  readonly stopping: CancellationToken;
  /** The codec of the agreed revision. Before the handshake everything passes. */
  codec: WireCodec | undefined;
  /** Sees each notification first. Returns true to keep it from the features. */
  intercept: ((method: string, params: JsonObject) => boolean) | undefined;
  readonly #options: ChannelOptions;

  readonly #remarks: LogLimiter;
  readonly #unknown = new Set<string>();

  constructor(options: ChannelOptions) {
    const { log, redact } = options;
    this.#options = options;
    this.#remarks = this.store.add(new LogLimiter(options.clock, REMARKS, (line) => log.log('warn', line)));
    this.peer = this.store.add(
      new Peer(
        options.transport,
        {
          request: (method, params, context) => this.#answer(method, params, context),
          notification: (method, params) => this.#tell(method, params),
        },
        {
          clock: options.clock,
          lastId: options.lastId,
          onWaiting: options.onWaiting,
          log: (level, message) => log.log(level, message),
          redact,
        },
      ),
    );
    this.stopping = options.stopping ?? NO_CANCELLATION;
    this.store.add(this.stopping.onCancellationRequested(() => this.peer.refuseOpen(STOPPING)));
    this.store.add(this.peer.onClose(({ error }) => this.closed.fire({ error: error && (redact?.(error) ?? error) })));
    this.store.add(this.closed);
    const renewals = options.transport.onRenewed?.(() => this.renewed.fire());
    if (renewals !== undefined) this.store.add(renewals);
  }

  dispose(): void {
    this.store.dispose();
  }

  #answer(method: string, params: JsonObject, context: InboundContext): Promise<Json> | Json {
    checkNotStopping(this.stopping, method);
    const decoded = this.codec?.decodeRequest(method, params);
    if (decoded?.kind === 'notInRevision') throw methodNotFound(method);
    if (decoded?.kind === 'invalid') throw new WireError(RPC.invalidParams, `Invalid params: ${decoded.why}.`);
    return answerBy(this.#options.features, method, params, context);
  }

  #tell(method: string, params: JsonObject): void {
    if (this.stopping.isCancellationRequested && !HEARD_WHILE_STOPPING.includes(method)) return;
    const decoded = this.codec?.decodeNotification(method, params);
    if (decoded?.kind === 'notInRevision') {
      this.#logUnknown(method, `MCP ${this.codec?.version} does not have it`);
      return;
    }
    if (decoded?.kind === 'invalid') {
      this.#remarks.line(`Ignored ${method}: ${decoded.why}.`);
      return;
    }
    if (this.intercept?.(method, params) === true) return;
    let isHeard = false;
    for (const feature of this.#options.features) {
      const handler = ownEntry(feature.notifications, method);
      if (handler === undefined) continue;
      isHeard = true;
      handler(params);
    }
    if (!isHeard) this.#logUnknown(method, 'this host does not know it');
  }

  /** Once per method, because servers repeat their own notifications. */
  #logUnknown(method: string, why: string): void {
    if (this.#unknown.has(method) || this.#unknown.size >= MAX_UNKNOWN) return;
    this.#unknown.add(method);
    this.#options.log.log('debug', `Ignored ${cleanLine(method, 100)}: ${why}.`);
  }
}

/** Throws for a request of a stopping server. Pings are always answered. */
export function checkNotStopping(stopping: CancellationToken, method: string): void {
  if (stopping.isCancellationRequested && method !== 'ping') throw new WireError(STOPPING.code, STOPPING.message);
}

/** Answers a request of the server with the first matching feature. Throws for unknown methods. */
export function answerBy(
  features: readonly SessionFeature[],
  method: string,
  params: JsonObject,
  context: InboundContext,
): Promise<Json> | Json {
  // MCP "Ping": answered promptly, in every state.
  if (method === 'ping') return {};
  for (const feature of features) {
    const handler = ownEntry(feature.requests, method);
    if (handler !== undefined) return handler(params, context);
  }
  throw methodNotFound(method);
}

/** The features for this kind of connection. */
export function featuresOf(features: readonly SessionFeature[], era: Era): readonly SessionFeature[] {
  return features.filter((feature) => feature.era === undefined || feature.era === era);
}

/** The merged capabilities of all features. */
export function declaredBy(features: readonly SessionFeature[]): JsonObject {
  return features.reduce<JsonObject>((all, { capabilities }) => merge(all, capabilities ?? {}), {});
}

function merge(one: JsonObject, other: JsonObject): JsonObject {
  const members = Object.entries(other).map(([key, value]) => {
    const before = one[key];
    return [key, isJsonObject(before) && isJsonObject(value) ? merge(before, value) : value] as const;
  });
  return { ...one, ...Object.fromEntries(members) };
}

/** The traffic of a connection, and its running tool calls. */
export function activityOf(peer: Peer): SessionActivity {
  return {
    get received() {
      return peer.received;
    },
    get isAsked() {
      return peer.isAsked;
    },
    get callingSince() {
      const began = peer.waiting(TOOL_CALLS).map(({ startedAt }) => startedAt);
      return began.length === 0 ? undefined : Math.min(...began);
    },
    cancelCalls: () => peer.cancelWaiting(TOOL_CALLS),
  };
}

export function notInRevision(method: string, version: string): HostError {
  return new HostError('NOT_IN_REVISION', `The server speaks MCP ${version}, which does not have ${method}.`, {
    layer: 'protocol',
    effect: 'none',
    suggestion: 'Do without it, or use a newer version of the server.',
  });
}
