import {
  type AuditEntry,
  type AuditRecord,
  type AuditStore,
  boundedRecord,
  type Consent,
  type ConsentStore,
  type EraVerdict,
  type EventStore,
  type Grant,
  type GrantStore,
  type InboundEvent,
  type Storage,
  type VerdictStore,
} from '../core/index.ts';

/** More than a program that keeps nothing looks back at. */
const MAX_AUDIT = 10_000;

/** Storage that lasts as long as the process, for programs that keep nothing. */
export function memoryStorage(): Storage {
  const audit = new MemoryAudit();
  return {
    consents: memoryConsents(),
    verdicts: memoryVerdicts(),
    events: new MemoryEvents(audit),
    grants: memoryGrants(),
    audit,
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
    list: () => Promise.resolve([...grants.values()]),
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

/** Emptied when its event goes: what was in a map whose keys come and go lives on until the next full collection. */
interface Kept {
  readonly key: string;
  event: InboundEvent | undefined;
}

class MemoryEvents implements EventStore {
  readonly #audit: MemoryAudit;
  /** The oldest first, by the host's own id. */
  readonly #events = new Map<string, Kept>();
  /** By the server and its own id. */
  readonly #known = new Map<string, Kept>();

  constructor(audit: MemoryAudit) {
    this.#audit = audit;
  }

  admit(...[event, record]: Parameters<EventStore['admit']>): ReturnType<EventStore['admit']> {
    const key = keyOf(event.server, event.eventId);
    const known = this.#known.get(key);
    if (known !== undefined) return Promise.resolve({ kind: 'known', inferenceId: known.event?.inferenceId });
    const kept = { key, event };
    this.#events.set(event.id, kept);
    this.#known.set(key, kept);
    this.#audit.add(record);
    return Promise.resolve({ kind: 'kept' });
  }

  list(limit: number): Promise<readonly InboundEvent[]> {
    const all = [...this.#events.values()].flatMap(({ event }) => event ?? []);
    return Promise.resolve(all.reverse().slice(0, limit));
  }

  change(...[id, { outcome, inferenceId }]: Parameters<EventStore['change']>): Promise<void> {
    this.#edit(id, (event) => ({ ...event, outcome, inferenceId: inferenceId ?? event.inferenceId }));
    return Promise.resolve();
  }

  markRead(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#edit(id, (event) => ({ ...event, isRead: true }));
    return Promise.resolve();
  }

  clear(server: string | undefined): Promise<void> {
    for (const [id, { event }] of this.#events) if (server === undefined || event?.server === server) this.#remove(id);
    return Promise.resolve();
  }

  remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#remove(id);
    return Promise.resolve();
  }

  trim(keep: number): Promise<void> {
    for (const id of this.#events.keys()) {
      if (this.#events.size <= keep) break;
      this.#remove(id);
    }
    return Promise.resolve();
  }

  #edit(id: string, edited: (event: InboundEvent) => InboundEvent): void {
    const kept = this.#events.get(id);
    if (kept?.event !== undefined) kept.event = edited(kept.event);
  }

  #remove(id: string): void {
    const kept = this.#events.get(id);
    if (kept === undefined) return;
    kept.event = undefined;
    this.#events.delete(id);
    this.#known.delete(kept.key);
  }
}

class MemoryAudit implements AuditStore {
  #entries: AuditEntry[] = [];
  #place = 0;

  add(record: AuditRecord): void {
    this.#entries.push({ ...boundedRecord(record), place: ++this.#place });
    if (this.#entries.length > MAX_AUDIT * 1.1) this.#entries = this.#entries.slice(-MAX_AUDIT);
  }

  append(records: readonly AuditRecord[]): Promise<void> {
    for (const each of records) this.add(each);
    return Promise.resolve();
  }

  list(...[{ limit, server, before }]: Parameters<AuditStore['list']>): Promise<readonly AuditEntry[]> {
    const matching = this.#entries.filter(
      (entry) => (server === undefined || entry.server === server) && (before === undefined || entry.place < before),
    );
    return Promise.resolve(matching.reverse().slice(0, limit));
  }

  used(server: string, since: number): ReturnType<AuditStore['used']> {
    const uses = this.#entries.flatMap(({ at, tokens, server: user }) =>
      user === server && at >= since && tokens !== undefined ? [{ at, tokens }] : [],
    );
    return Promise.resolve(uses);
  }

  trim(before: number): Promise<void> {
    this.#entries = this.#entries.filter((entry) => entry.at >= before);
    return Promise.resolve();
  }
}

function keyOf(server: string, name: string): string {
  return JSON.stringify([server, name]);
}
