import type { CancellationToken } from '../base/cancellation.ts';
import { cleanLine } from '../base/cleanText.ts';
import type { Clock } from '../base/clock.ts';
import { type Disposable, DisposableStore, toDisposable } from '../base/disposable.ts';
import { HostError, isHostError, RPC } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { Resource, ResourceTemplate } from '../model/catalog.ts';
import type { Session, SessionFeature, SessionRequest } from '../session/session.ts';
import { decodeReadResult, decodeResourcePage, decodeTemplatePage, type ReadResult } from '../wire/resources.ts';
import { CatalogReader } from './catalogReader.ts';
import { valueOf } from './decodedValue.ts';
import { offering } from './offering.ts';
import {
  type ResourceListener,
  type ResourceSubscription,
  ResourceSubscriptions,
  type ResourceSubscriptionsOptions,
} from './resourceSubscriptions.ts';

interface ResourceCatalogOptions extends ResourceSubscriptionsOptions {
  readonly clock: Clock;
  listTimeoutMs(): number;
  /** Called with the whole list after each reading. */
  onResources(resources: readonly Resource[]): void;
  onTemplates(templates: readonly ResourceTemplate[]): void;
  /** Called when one of the lists could not be read. */
  onFailed(list: 'resources' | 'templates', error: HostError): void;
}

/** The code for an unknown resource up to MCP 2025-11-25. Later revisions use "invalid params". */
const RESOURCE_NOT_FOUND = -32002;
/** Maximum characters of a URI in a sentence. */
const MAX_LOGGED = 300;

/** The resources and templates of one server, and the subscriptions to them. */
export class ResourceCatalog implements SessionFeature {
  readonly #resources: CatalogReader<Resource>;
  readonly #templates: CatalogReader<ResourceTemplate>;
  readonly #subscriptions: ResourceSubscriptions;
  readonly #log: Logger;
  #session: Session | undefined;

  readonly notifications: NonNullable<SessionFeature['notifications']>;

  constructor(options: ResourceCatalogOptions) {
    const { clock, log } = options;
    this.#log = log;
    const common = { clock, log, listTimeoutMs: () => options.listTimeoutMs() };
    this.#resources = new CatalogReader<Resource>(
      {
        noun: 'resources',
        method: 'resources/list',
        capability: 'resources',
        isOptional: true,
        key: ({ uri }) => uri,
        decode: decodeResourcePage,
      },
      {
        ...common,
        onItems: (resources) => options.onResources(resources),
        onFailed: (error) => options.onFailed('resources', error),
      },
    );
    this.#templates = new CatalogReader<ResourceTemplate>(
      {
        noun: 'resource templates',
        method: 'resources/templates/list',
        capability: 'resources',
        isOptional: true,
        key: ({ uriTemplate }) => uriTemplate,
        decode: decodeTemplatePage,
      },
      {
        ...common,
        onItems: (templates) => options.onTemplates(templates),
        onFailed: (error) => options.onFailed('templates', error),
      },
    );
    this.#subscriptions = new ResourceSubscriptions(options);
    this.notifications = {
      ...this.#subscriptions.notifications,
      'notifications/resources/list_changed': () => this.changed(),
    };
  }

  started(session: Session): Disposable {
    this.#session = session;
    const store = new DisposableStore();
    store.add(this.#resources.started(session));
    store.add(this.#templates.started(session));
    store.add(this.#subscriptions.started(session));
    store.add(
      toDisposable(() => {
        if (this.#session === session) this.#session = undefined;
      }),
    );
    return store;
  }

  /** The lists may be out of date. One notification covers both. */
  changed(): void {
    this.#resources.changed();
    this.#templates.changed();
  }

  /** The current resources, not older than the server allows. Rejects with a `HostError`. */
  fresh(token?: CancellationToken): Promise<readonly Resource[]> {
    return this.#resources.fresh(token);
  }

  freshTemplates(token?: CancellationToken): Promise<readonly ResourceTemplate[]> {
    return this.#templates.fresh(token);
  }

  /** Waits until both lists are read, and not older than the server allows. Ignores failures. */
  async listed(): Promise<void> {
    await Promise.allSettled([this.#resources.fresh(), this.#templates.fresh()]);
  }

  /** Reads both lists again in any case. Rejects with a `HostError`. */
  async reread(token?: CancellationToken): Promise<void> {
    await Promise.all([this.#resources.reread(token), this.#templates.reread(token)]);
  }

  /** Contents of a resource, listed or not: a template or a result may have named it. Rejects with a `HostError`. */
  async read(uri: string, options: SessionRequest): Promise<ReadResult> {
    const session = offering(this.#session, 'resources');
    const read = await session
      .decoded('resources/read', { uri }, options, (result) => valueOf(decodeReadResult(result, uri)))
      .catch((error: unknown) => {
        throw explained(uri, error);
      });
    for (const reason of read.rejected) this.#log.log('warn', `Left out of ${cleanLine(uri, MAX_LOGGED)}: ${reason}.`);
    return read;
  }

  /** Notifies a listener of changes of a resource until it is disposed, across connections. */
  subscribe(uri: string, listener: ResourceListener): ResourceSubscription {
    return this.#subscriptions.subscribe(uri, listener);
  }

  /** The feature sets that are on may have changed. */
  setsChanged(): void {
    this.#subscriptions.settle();
  }
}

/** Servers use either code for an unknown resource. */
function explained(uri: string, error: unknown): unknown {
  if (!isHostError(error, 'REMOTE_ERROR')) return error;
  if (error.rpcCode !== RESOURCE_NOT_FOUND && error.rpcCode !== RPC.invalidParams) return error;
  const { rpcCode, data } = error;
  return new HostError(
    'UNKNOWN_RESOURCE',
    `The server has no resource ${cleanLine(uri, MAX_LOGGED)}: ${error.message}`,
    {
      layer: 'server',
      rpcCode,
      data,
      effect: 'none',
      suggestion: 'List its resources again.',
      cause: error,
    },
  );
}
