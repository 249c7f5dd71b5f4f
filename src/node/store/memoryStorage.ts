import {
  asyncLazy,
  type AuditEntry,
  type AuditRecord,
  type AuditStore,
  type AuditTotal,
  boundedRecord,
  type Consent,
  type ConsentStore,
  type EraVerdict,
  type EventStore,
  type Grant,
  type GrantStore,
  HostError,
  type InboundEvent,
  messageOf,
  sizeOf,
  type Storage,
  type VerdictStore,
} from '../../core/index.ts';
import type { Decoder, StoreOperation, StoreParams } from './contract.ts';
import { type StateRequester, stateStore } from './sqliteStore.ts';

/** More than programs without storage ever read back. */
const MAX_AUDIT = 10_000;
/** Maximum size of all events' contents, because a thousand may have 4 MB each. */
const MAX_CHARACTERS = 64_000_000;

/** In-memory storage, for programs without persistence. */
export function memoryStorage(): Storage {
  const audit = new MemoryAudit();
  const states = new MemoryStates();
  return {
    consents: memoryConsents(),
    verdicts: memoryVerdicts(),
    events: new MemoryEvents(audit),
    grants: memoryGrants(),
    trust: memoryGrants(),
    audit,
    states: stateStore(states),
    // Nothing to close: the next host in this process may reuse it.
    close: () => Promise.resolve(),
  };
}

function memoryConsents(): ConsentStore {
  const consents = new Map<string, Consent>();
  return {
    find: (server, fingerprint) => Promise.resolve(consents.get(keyOf(server, fingerprint))),
    save: (consent) => {
      consents.set(keyOf(consent.server, consent.fingerprint), consent);
      return Promise.resolve();
    },
    list: () => Promise.resolve([...consents.values()]),
    forget: (server) => {
      for (const [id, consent] of consents) if (consent.server === server) consents.delete(id);
      return Promise.resolve();
    },
  };
}

function memoryVerdicts(): VerdictStore {
  const verdicts = new Map<string, EraVerdict>();
  return {
    find: (fingerprint) => Promise.resolve(verdicts.get(fingerprint)),
    save: (verdict) => {
      verdicts.set(verdict.fingerprint, verdict);
      return Promise.resolve();
    },
    forget: (fingerprint) => {
      verdicts.delete(fingerprint);
      return Promise.resolve();
    },
  };
}

function memoryGrants(): GrantStore {
  const grants = new Map<string, Grant>();
  return {
    list: (kind) => Promise.resolve([...grants.values()].filter((grant) => kind === undefined || grant.kind === kind)),
    find: (id) => Promise.resolve(grants.get(id)),
    save: (grant) => {
      grants.set(grant.id, grant);
      return Promise.resolve();
    },
    revoke: (ids) => {
      for (const id of ids) grants.delete(id);
      return Promise.resolve();
    },
  };
}

/** Cleared when the event is removed: values of a Map with changing keys stay alive until the next full collection. */
interface Kept {
  event: InboundEvent | undefined;
  readonly characters: number;
}

class MemoryEvents implements EventStore {
  readonly #audit: MemoryAudit;
  /** Oldest first. */
  #all: Kept[] = [];
  /** By server and event id. */
  readonly #known = new Map<string, Map<string, Kept>>();

  constructor(audit: MemoryAudit) {
    this.#audit = audit;
  }

  admit(...[event, record]: Parameters<EventStore['admit']>): ReturnType<EventStore['admit']> {
    let ofServer = this.#known.get(event.server);
    if (ofServer === undefined) this.#known.set(event.server, (ofServer = new Map<string, Kept>()));
    const known = ofServer.get(event.eventId);
    if (known !== undefined) return Promise.resolve({ kind: 'known', inferenceId: known.event?.inferenceId });
    const kept = { event, characters: sizeOf(event.content) };
    this.#all.push(kept);
    ofServer.set(event.eventId, kept);
    this.#audit.add(record);
    return Promise.resolve({ kind: 'kept' });
  }

  list(limit: number): Promise<readonly InboundEvent[]> {
    const newestFirst = this.#all.toReversed().slice(0, limit);
    return Promise.resolve(newestFirst.flatMap(({ event }) => event ?? []));
  }

  change(...[id, { outcome, inferenceId }]: Parameters<EventStore['change']>): Promise<void> {
    const edited = (event: InboundEvent): InboundEvent => ({
      ...event,
      outcome,
      inferenceId: inferenceId ?? event.inferenceId,
    });
    this.#edit([id], edited);
    return Promise.resolve();
  }

  markRead(ids: readonly string[]): Promise<void> {
    this.#edit(ids, (event) => ({ ...event, isRead: true }));
    return Promise.resolve();
  }

  clear(server: string | undefined): Promise<void> {
    this.#remove((event) => server === undefined || event.server === server);
    return Promise.resolve();
  }

  remove(ids: readonly string[]): Promise<void> {
    const gone = new Set(ids);
    this.#remove(({ id }) => gone.has(id));
    return Promise.resolve();
  }

  trim(keep: number): Promise<void> {
    let left = MAX_CHARACTERS;
    const tooMuch = this.#all.findLastIndex(({ characters }) => (left -= characters) < 0);
    for (const kept of this.#all.splice(0, Math.max(0, this.#all.length - keep, tooMuch + 1))) this.#forget(kept);
    return Promise.resolve();
  }

  #edit(ids: readonly string[], edited: (event: InboundEvent) => InboundEvent): void {
    const wanted = new Set(ids);
    for (const kept of this.#all)
      if (kept.event !== undefined && wanted.has(kept.event.id)) kept.event = edited(kept.event);
  }

  #remove(isGone: (event: InboundEvent) => boolean): void {
    const before = this.#all;
    this.#all = [];
    for (const kept of before)
      if (kept.event !== undefined && isGone(kept.event)) this.#forget(kept);
      else this.#all.push(kept);
  }

  #forget(kept: Kept): void {
    if (kept.event !== undefined) this.#known.get(kept.event.server)?.delete(kept.event.eventId);
    kept.event = undefined;
  }
}

class MemoryAudit implements AuditStore {
  #entries: { readonly rowId: number; readonly record: AuditRecord }[] = [];
  #rowId = 0;

  add(record: AuditRecord): void {
    this.#entries.push({ rowId: ++this.#rowId, record: boundedRecord(record) });
    if (this.#entries.length > MAX_AUDIT * 1.1) this.#entries = this.#entries.slice(-MAX_AUDIT);
  }

  append(records: readonly AuditRecord[]): Promise<void> {
    for (const each of records) this.add(each);
    return Promise.resolve();
  }

  list(...[query]: Parameters<AuditStore['list']>): Promise<readonly AuditEntry[]> {
    const { limit, server, operation, before } = query;
    const matching = this.#entries.filter(
      ({ rowId, record }) =>
        (server === undefined || record.server === server) &&
        (operation === undefined || record.operation === operation) &&
        (before === undefined || rowId < before),
    );
    const newestFirst = matching.reverse().slice(0, limit);
    return Promise.resolve(newestFirst.map(({ rowId, record }) => ({ ...record, place: rowId })));
  }

  used(server: string, since: number): ReturnType<AuditStore['used']> {
    const uses = this.#entries.flatMap(({ record: { at, tokens, server: user } }) =>
      user === server && at >= since && tokens !== undefined ? [{ at, tokens }] : [],
    );
    return Promise.resolve(uses);
  }

  totals(since: number): Promise<readonly AuditTotal[]> {
    const totals = new Map<string, AuditTotal>();
    for (const { record } of this.#entries) {
      const { server, operation, model = '', tokens, at } = record;
      if (tokens === undefined || at < since) continue;
      const key = JSON.stringify([server, operation, model]);
      const known = totals.get(key) ?? { server, operation, model, requests: 0, tokens: 0, at };
      const latest = Math.max(known.at, at);
      totals.set(key, { ...known, requests: known.requests + 1, tokens: known.tokens + tokens, at: latest });
    }
    return Promise.resolve([...totals.values()].sort((a, b) => b.tokens - a.tokens));
  }

  trim(before: number): Promise<void> {
    this.#entries = this.#entries.filter(({ record }) => record.at >= before);
    return Promise.resolve();
  }
}

function keyOf(server: string, name: string): string {
  return JSON.stringify([server, name]);
}

/** In-memory states: the same store without a file and without a thread. */
class MemoryStates implements StateRequester {
  /** Loaded with the first state, because most programs without storage never need it. */
  readonly #opened = asyncLazy(
    () => import('./storeParts.ts'),
    ({ loadSqlite, migrate, openStates, runBatch: run }) => {
      const { DatabaseSync } = loadSqlite();
      const database = new DatabaseSync(':memory:');
      migrate(database);
      return { database, states: openStates(database), run };
    },
  );

  get isUnused(): boolean {
    return !this.#opened.isStarted;
  }

  async request<O extends StoreOperation, T>(operation: O, params: StoreParams<O>, decode: Decoder<T>): Promise<T> {
    try {
      const { database, states, run } = await this.#opened.get();
      const [answer] = run(database, states.handlers, [{ id: 1, operation, params }], () => states.forget());
      if (answer?.ok !== true) throw new Error(answer?.failure.message);
      return decode(answer.result);
    } catch (error) {
      throw failed(messageOf(error));
    }
  }
}

function failed(reason: string): HostError {
  const suggestion = 'Look into the log of MCP Live, and try again.';
  return new HostError('STORAGE_FAILED', `The states in memory cannot be used: ${reason}`, {
    layer: 'host',
    suggestion,
  });
}
