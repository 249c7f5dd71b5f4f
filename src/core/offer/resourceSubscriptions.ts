import { Deferred, ignoreFailure, KeyedQueue } from '../base/async.ts';
import { CancellationSource } from '../base/cancellation.ts';
import { cleanLine } from '../base/cleanText.ts';
import { type Disposable, toDisposable } from '../base/disposable.ts';
import { HostError, messageOf, toHostError } from '../base/errors.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { Logger, LogLevel } from '../base/log.ts';
import type { Session, SessionFeature } from '../session/session.ts';

/** Maximum characters of a URI in a log line. */
const MAX_LOGGED = 300;

export interface ResourceSubscriptionsOptions {
  readonly log: Logger;
  requestTimeoutMs(): number;
  /** The set of the resource, if it is off. */
  setOffOf(uri: string): string | undefined;
  isSetOn(name: string): boolean;
}

/** Called with the changed resource: the subscribed one, or one below it. */
export type ResourceListener = (uri: string) => void;

/** Ends on dispose. */
export interface ResourceSubscription extends Disposable {
  /**
   * Resolves when the server has accepted. Rejects with a `HostError` if it does not support subscriptions. In both
   * cases the subscription stays, and is sent again over the next connection.
   */
  readonly agreed: Promise<void>;
}

interface Subscriber {
  readonly call: ResourceListener;
  readonly agreed: Deferred<void>;
}

/** Listeners by resource. Subscribes to each URI once, and again if the server has lost the subscription. */
export class ResourceSubscriptions implements SessionFeature {
  readonly #options: ResourceSubscriptionsOptions;
  readonly #subscribers = new Map<string, Set<Subscriber>>();
  /** By subscribed URI: the set that is off. It stays even if the server no longer lists the resource. */
  readonly #off = new Map<string, string>();
  #connection: ConnectionSubscriptions | undefined;

  readonly notifications = {
    'notifications/resources/updated': (params: JsonObject): void => this.#updated(params),
  };

  constructor(options: ResourceSubscriptionsOptions) {
    this.#options = options;
  }

  started(session: Session): Disposable {
    const connection = new ConnectionSubscriptions(session, this.#options, {
      of: (uri) => this.#subscribers.get(uri),
      setOffOf: (uri) => this.#setOffOf(uri),
    });
    this.#connection = connection;
    const renewals = session.onRenewed(() => {
      connection.forget();
      this.settle();
    });
    this.settle();
    return toDisposable(() => {
      if (this.#connection === connection) this.#connection = undefined;
      renewals.dispose();
      connection.end();
    });
  }

  /** Updates the server's subscriptions to match the feature sets that are on. */
  settle(): void {
    for (const uri of this.#subscribers.keys()) this.#connection?.settle(uri);
  }

  subscribe(uri: string, listener: ResourceListener): ResourceSubscription {
    const subscriber: Subscriber = { call: listener, agreed: new Deferred<void>() };
    ignoreFailure(subscriber.agreed.promise);
    const all = this.#subscribers.get(uri) ?? new Set();
    this.#subscribers.set(uri, all.add(subscriber));
    this.#connection?.settle(uri);
    const ending = toDisposable(() => {
      all.delete(subscriber);
      subscriber.agreed.reject(ended());
      if (all.size > 0) return;
      this.#subscribers.delete(uri);
      this.#off.delete(uri);
      this.#connection?.settle(uri);
    });
    return { agreed: subscriber.agreed.promise, dispose: () => ending.dispose() };
  }

  #updated({ uri }: JsonObject): void {
    if (typeof uri !== 'string') return;
    for (const [subscribed, all] of this.#subscribers) {
      if (!covers(subscribed, uri) || this.#setOffOf(subscribed) !== undefined) continue;
      for (const { call } of [...all]) this.#call(call, uri);
    }
  }

  #setOffOf(uri: string): string | undefined {
    const known = this.#off.get(uri);
    if (known !== undefined && !this.#options.isSetOn(known)) return known;
    const off = this.#options.setOffOf(uri);
    if (off === undefined) this.#off.delete(uri);
    else this.#off.set(uri, off);
    return off;
  }

  #call(listener: ResourceListener, uri: string): void {
    try {
      listener(uri);
    } catch (error) {
      this.#options.log.log('error', `A change of ${cleanLine(uri, MAX_LOGGED)} was not taken: ${messageOf(error)}`);
    }
  }
}

interface Wanted {
  of(uri: string): ReadonlySet<Subscriber> | undefined;
  setOffOf(uri: string): string | undefined;
}

/** The subscriptions of one connection. */
class ConnectionSubscriptions {
  readonly #session: Session;
  readonly #options: ResourceSubscriptionsOptions;
  readonly #wanted: Wanted;
  readonly #ended = new CancellationSource();
  /** One request at a time per URI, because the server must receive an unsubscribe and the next subscribe in order. */
  readonly #queue = new KeyedQueue();
  #subscribed = new Set<string>();

  constructor(session: Session, options: ResourceSubscriptionsOptions, wanted: Wanted) {
    this.#session = session;
    this.#options = options;
    this.#wanted = wanted;
  }

  /** Updates the subscription of this URI at the server. */
  settle(uri: string): void {
    ignoreFailure(this.#queue.run(uri, () => this.#settle(uri)));
  }

  /** The server has lost all subscriptions. */
  forget(): void {
    this.#subscribed = new Set();
  }

  end(): void {
    this.#ended.cancel();
  }

  async #settle(uri: string): Promise<void> {
    if (this.#ended.isCancelled) return;
    const subscribed = this.#subscribed;
    const isWanted = this.#wanted.of(uri) !== undefined;
    const off = isWanted ? this.#wanted.setOffOf(uri) : undefined;
    if ((!isWanted || off !== undefined) && subscribed.delete(uri)) await this.#takeBack(uri);
    if (!isWanted) return;
    const refusal = off === undefined ? await this.#agree(uri, subscribed) : setIsOff(off);
    // Includes subscribers that arrived meanwhile: they need no request of their own.
    for (const { agreed } of this.#wanted.of(uri) ?? []) {
      if (refusal === undefined) agreed.resolve();
      else agreed.reject(refusal);
    }
  }

  #agree(uri: string, subscribed: Set<string>): Promise<HostError | undefined> {
    return subscribed.has(uri) ? Promise.resolve(undefined) : this.#tell(uri, subscribed);
  }

  /** Why the server does not accept, if it does not. */
  async #tell(uri: string, subscribed: Set<string>): Promise<HostError | undefined> {
    if (!this.#isOffered) return notOffered();
    try {
      await this.#session.subscribe(uri, this.#sending);
      // If the server lost its subscriptions meanwhile, `#subscribed` is already another set.
      subscribed.add(uri);
      return undefined;
    } catch (thrown) {
      const error = toHostError(thrown);
      this.#remark('warn', `The server does not announce changes of ${cleanLine(uri, MAX_LOGGED)}: ${error.message}`);
      return error;
    }
  }

  async #takeBack(uri: string): Promise<void> {
    try {
      await this.#session.unsubscribe(uri, this.#sending);
    } catch (error) {
      this.#remark('debug', `The server still announces changes of ${cleanLine(uri, MAX_LOGGED)}: ${messageOf(error)}`);
    }
  }

  #remark(level: LogLevel, line: string): void {
    if (!this.#ended.isCancelled) this.#options.log.log(level, line);
  }

  get #sending(): { readonly timeoutMs: number; readonly token: CancellationSource['token'] } {
    return { timeoutMs: this.#options.requestTimeoutMs(), token: this.#ended.token };
  }

  get #isOffered(): boolean {
    const { resources } = this.#session.handshake.capabilities;
    return isJsonObject(resources) && resources['subscribe'] === true;
  }
}

/**
 * Whether a change of `changed` concerns `subscribed`: the same resource, or one below it (MCP
 * "ResourceUpdatedNotification"). Servers that store URIs as objects may add or drop a slash at the end.
 */
function covers(subscribed: string, changed: string): boolean {
  if (changed === subscribed) return true;
  const folder = subscribed.endsWith('/') ? subscribed : `${subscribed}/`;
  return changed.startsWith(folder) || `${changed}/` === folder;
}

function notOffered(): HostError {
  return new HostError('CAPABILITY_MISSING', 'The server does not announce changes of its resources.', {
    layer: 'protocol',
    effect: 'none',
    suggestion: 'Read the resource again instead.',
  });
}

function setIsOff(featureSet: string): HostError {
  return new HostError('FEATURE_SET_OFF', `The resource is off with its feature set "${featureSet}".`, {
    layer: 'policy',
    effect: 'none',
    suggestion: 'Switch the feature set on, then try again.',
    data: { featureSet },
  });
}

function ended(): HostError {
  return new HostError('CANCELLED', 'The subscription was ended.', { layer: 'host', effect: 'none' });
}
