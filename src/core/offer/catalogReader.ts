import { CancellationSource, type CancellationToken, NO_CANCELLATION, unlessCancelled } from '../base/cancellation.ts';
import { type Clock, nextTurn } from '../base/clock.ts';
import { type Disposable, toDisposable } from '../base/disposable.ts';
import { HostError, isHostError, RPC, toHostError } from '../base/errors.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import { Throttle } from '../base/throttle.ts';
import type { Era } from '../model/server.ts';
import type { Session } from '../session/session.ts';
import type { Page } from '../wire/page.ts';

/** The differences between the kinds of lists. */
interface CatalogKind<T> {
  /** The plural for sentences, such as "tools". */
  readonly noun: string;
  readonly method: string;
  /** The capability that a server must declare. */
  readonly capability: string;
  /** Whether a server may declare the capability without supporting the method. Its list is then empty. */
  readonly isOptional: boolean;
  /** If several items have the same key, the last one counts. */
  key(item: T): string;
  decode(result: Json, era: Era): Page<T>;
}

/** The details of a change, which some servers send. */
interface CatalogChange<T> {
  readonly added: readonly T[];
  /** Keys of removed items. */
  readonly removed: readonly string[];
}

interface CatalogReaderOptions<T> {
  readonly clock: Clock;
  readonly log: Logger;
  listTimeoutMs(): number;
  /** Called with the whole list after each reading. */
  onItems(items: readonly T[]): void;
  /** Called when the list could not be read. */
  onFailed(error: HostError): void;
}

/** Servers announce changes in bursts, for example five times after the start. */
const DEBOUNCE_MS = 200;
/** A page times out after this multiple of the timeout, even if the server asks questions meanwhile. */
const MAX_PATIENCE = 10;
const MAX_PAGES = 1_000;
const MAX_ITEMS = 20_000;
/** Maximum changes that are remembered during one reading. */
const MAX_CHANGES = 1_000;
/** Yields to the event loop after longer pages: reading 10,000 items takes 40 ms, and listeners compare the list. */
const LONG_PAGE = 1_000;
/** Maximum characters of all items of a list, as JSON. */
const MAX_CHARACTERS = 64_000_000;

/** One list of one server, kept up to date across all its connections. */
export class CatalogReader<T> {
  readonly #kind: CatalogKind<T>;
  readonly #options: CatalogReaderOptions<T>;
  #reading: ConnectionReader<T> | undefined;

  constructor(kind: CatalogKind<T>, options: CatalogReaderOptions<T>) {
    this.#kind = kind;
    this.#options = options;
  }

  /** Reads the list on a new connection, and again after each change until the connection ends. */
  started(session: Session): Disposable {
    const reading = new ConnectionReader(session, this.#kind, this.#options);
    this.#reading = reading;
    const renewals = session.onRenewed(() => reading.changed());
    reading.begin();
    return toDisposable(() => {
      if (this.#reading === reading) this.#reading = undefined;
      renewals.dispose();
      reading.end();
    });
  }

  /** The server announced a change. Its details are only used if the list cannot be read. */
  changed(change?: CatalogChange<T>): void {
    this.#reading?.changed(change);
  }

  /**
   * The current list. Reads it again if it changed, could not be read, or is older than the server allows. Rejects with
   * a `HostError`; the earlier list stays.
   */
  fresh(token: CancellationToken = NO_CANCELLATION): Promise<readonly T[]> {
    const reading = this.#reading;
    if (reading === undefined) return Promise.reject(notRunning(this.#kind.noun));
    return unlessCancelled(reading.fresh(), token, `Reading the list of ${this.#kind.noun}`);
  }

  /** The same, but always reads again: an answer of the server showed that the list is out of date. */
  reread(token?: CancellationToken): Promise<readonly T[]> {
    this.#reading?.outdate();
    return this.fresh(token);
  }
}

type Outcome<T> =
  | { readonly kind: 'read'; readonly items: readonly T[]; readonly goodUntil: number }
  | { readonly kind: 'failed'; readonly error: HostError };

/** Reads the list on one connection. There is one reading at a time, and another one after a change meanwhile. */
class ConnectionReader<T> {
  readonly #session: Session;
  readonly #kind: CatalogKind<T>;
  readonly #options: CatalogReaderOptions<T>;
  readonly #ended = new CancellationSource();
  #outcome: Outcome<T> | undefined;
  #reading: Promise<Outcome<T>> | undefined;
  /** Whether the list changed since the last reading began. */
  #isStale = false;
  /** The last list that was read, with later changes. */
  #known: readonly T[] = [];
  /** Changes since the last reading began. */
  #changes: CatalogChange<T>[] = [];
  readonly #rereading: Throttle;

  constructor(session: Session, kind: CatalogKind<T>, options: CatalogReaderOptions<T>) {
    this.#session = session;
    this.#kind = kind;
    this.#options = options;
    this.#rereading = new Throttle(options.clock, DEBOUNCE_MS, () => void this.#read());
  }

  begin(): void {
    if (this.#isOffered) void this.#read();
    else this.#options.onItems([]);
  }

  changed(change?: CatalogChange<T>): void {
    if (this.#ended.isCancelled || !this.#isOffered) return;
    this.#isStale = true;
    if (change !== undefined) this.#changes = [...this.#changes, change].slice(-MAX_CHANGES);
    // Another reading follows the current one.
    if (this.#reading === undefined) this.#rereading.request();
  }

  outdate(): void {
    this.#isStale = true;
  }

  async fresh(): Promise<readonly T[]> {
    if (!this.#isOffered) return [];
    const underWay = this.#reading;
    if (underWay !== undefined) {
      const outcome = await underWay;
      if (!this.#isStale) return itemsOf(outcome);
    } else if (
      this.#outcome?.kind === 'read' &&
      !this.#isStale &&
      this.#options.clock.now() < this.#outcome.goodUntil
    ) {
      return this.#outcome.items;
    }
    return itemsOf(await this.#read());
  }

  end(): void {
    this.#rereading.cancel();
    this.#ended.cancel();
  }

  /** MCP "Capabilities": undeclared capabilities must not be used. */
  get #isOffered(): boolean {
    return isJsonObject(this.#session.handshake.capabilities[this.#kind.capability]);
  }

  /** Never rejects. */
  #read(): Promise<Outcome<T>> {
    if (this.#reading !== undefined) return this.#reading;
    this.#rereading.cancel();
    this.#isStale = false;
    const changes = this.#changes;
    this.#changes = [];
    const reading = this.#readWhole().then((read) => {
      const outcome = this.#orChanged(read, changes);
      this.#reading = undefined;
      this.#outcome = outcome;
      if (outcome.kind === 'read') this.#known = outcome.items;
      if (!this.#ended.isCancelled) this.#tell(outcome);
      return outcome;
    });
    this.#reading = reading;
    return reading;
  }

  /**
   * If a changed list cannot be read, applies the announced changes to the last one. The result holds until the next
   * change.
   */
  #orChanged(read: Outcome<T>, changes: readonly CatalogChange<T>[]): Outcome<T> {
    if (read.kind === 'read' || changes.length === 0 || this.#ended.isCancelled) return read;
    if (read.error.code === 'CONNECTION_CLOSED') return read;
    const kind = this.#kind;
    const items = new Map(this.#known.map((item) => [kind.key(item), item]));
    for (const { added, removed } of changes) {
      for (const gone of removed) items.delete(gone);
      for (const item of added) items.set(kind.key(item), item);
    }
    const why = `The list of ${kind.noun} could not be read: ${read.error.message}`;
    this.#options.log.log('warn', `${why} The changes that the server named are applied.`);
    return { kind: 'read', items: [...items.values()].slice(0, MAX_ITEMS), goodUntil: Infinity };
  }

  #tell(outcome: Outcome<T>): void {
    if (outcome.kind === 'read') this.#options.onItems(outcome.items);
    else if (outcome.error.code !== 'CONNECTION_CLOSED') {
      this.#options.log.log('error', `The list of ${this.#kind.noun} could not be read: ${outcome.error.message}`);
      this.#options.onFailed(outcome.error);
    }
    if (this.#isStale) this.#rereading.request();
  }

  async #readWhole(): Promise<Outcome<T>> {
    try {
      return await this.#readPages(true);
    } catch (error) {
      if (this.#kind.isOptional && (isRemote(error, RPC.methodNotFound) || isHostError(error, 'NOT_IN_REVISION')))
        return { kind: 'read', items: [], goodUntil: Infinity };
      return { kind: 'failed', error: toHostError(error) };
    }
  }

  async #readPages(mayBeginAnew: boolean): Promise<Outcome<T>> {
    const pages = new Pages(this.#kind, this.#options);
    const timeoutMs = this.#options.listTimeoutMs();
    do {
      const params = pages.cursor === undefined ? {} : { cursor: pages.cursor };
      try {
        const page = await this.#session.decoded(
          this.#kind.method,
          params,
          { timeoutMs, maxTimeoutMs: MAX_PATIENCE * timeoutMs, token: this.#ended.token },
          (result) => this.#kind.decode(result, this.#session.handshake.era),
        );
        pages.add(page, this.#goodUntil(page));
        if (page.items.length > LONG_PAGE) await nextTurn(this.#options.clock);
      } catch (error) {
        // MCP "Pagination": the cursor is no longer valid. Reads the list once more from its beginning.
        if (pages.cursor === undefined || !mayBeginAnew || !isRemote(error, RPC.invalidParams)) throw error;
        return this.#readPages(false);
      }
    } while (pages.cursor !== undefined);
    return { kind: 'read', items: pages.items, goodUntil: pages.goodUntil };
  }

  /** Before MCP 2026-07-28, a list is valid until the server announces a change. */
  #goodUntil(page: Page<T>): number {
    return this.#session.handshake.era === 'legacy'
      ? Infinity
      : this.#options.clock.now() + (page.freshness?.ttlMs ?? 0);
  }
}

/** The pages of one reading of a list. */
class Pages<T> {
  readonly #kind: CatalogKind<T>;
  readonly #log: Logger;
  readonly #byKey = new Map<string, T>();
  readonly #seen = new Set<string>();
  #size = 0;
  /** The next cursor. Absent before the first page and after the last one. */
  cursor: string | undefined;
  /** The list expires with the first of its pages that expires. */
  goodUntil = Infinity;

  constructor(kind: CatalogKind<T>, { log }: Pick<CatalogReaderOptions<T>, 'log'>) {
    this.#kind = kind;
    this.#log = log;
  }

  get items(): readonly T[] {
    return [...this.#byKey.values()];
  }

  add(page: Page<T>, goodUntil: number): void {
    for (const item of page.items) this.#byKey.set(this.#kind.key(item), item);
    for (const reason of page.rejected) this.#log.log('warn', `Left out of the ${this.#kind.noun}: ${reason}.`);
    this.#size += page.size;
    this.goodUntil = Math.min(this.goodUntil, goodUntil);
    this.cursor = this.#follow(page.nextCursor);
  }

  /** The next cursor, unless the server repeats one or never ends. */
  #follow(cursor: string | undefined): string | undefined {
    if (cursor === undefined) return undefined;
    const count = this.#byKey.size;
    const isWithin = this.#seen.size < MAX_PAGES && count < MAX_ITEMS && this.#size < MAX_CHARACTERS;
    if (isWithin && !this.#seen.has(cursor)) {
      this.#seen.add(cursor);
      return cursor;
    }
    this.#log.log('warn', `The list of ${this.#kind.noun} has no end; it was cut after ${count} ${this.#kind.noun}.`);
    return undefined;
  }
}

function itemsOf<T>(outcome: Outcome<T>): readonly T[] {
  if (outcome.kind === 'failed') throw outcome.error;
  return outcome.items;
}

function isRemote(error: unknown, rpcCode: number): boolean {
  return isHostError(error, 'REMOTE_ERROR') && error.rpcCode === rpcCode;
}

function notRunning(noun: string): HostError {
  return new HostError('SERVER_NOT_RUNNING', `The list of ${noun} cannot be read: the server is not running.`, {
    layer: 'host',
    effect: 'none',
    suggestion: 'Start it, then try again.',
  });
}
