import {
  type AuditStore,
  boundedRecord,
  type ConsentStore,
  type EventStore,
  type Grant,
  type GrantStore,
  type InboundEvent,
  type Storage,
  type VerdictStore,
} from '../../core/index.ts';
import { decodeTotal, decodeUse } from './auditHandlers.ts';
import { auditValues, entryOf } from './auditRows.ts';
import { admissionOf, changeValues, decodeAdmission, eventOf, eventValues } from './eventRows.ts';
import { grantOf, grantValues } from './grantRows.ts';
import {
  decodeConsent,
  decodeVerdict,
  list,
  nothing,
  orNull,
  rowIdOf,
  readable,
  record,
  type Row,
  rows,
} from './records.ts';
import { stateStore } from './stateStore.ts';
import { StoreClient, type StoreClientOptions } from './storeClient.ts';

interface StoreOptions extends StoreClientOptions {
  /** A second file for data shared by all workspaces. Default: the same file. */
  readonly trustFile?: string | undefined;
}

/** Maximum characters per listing, because events may be large and all stay in memory. */
const MAX_LISTED_CHARACTERS = 64_000_000;

/** Storage in a SQLite file, in a separate thread that starts on first use. A resolved write is on disk. */
export function openStore(options: StoreOptions): Storage {
  const client = new StoreClient(options);
  const { trustFile } = options;
  const shared =
    trustFile === undefined || trustFile === options.file
      ? undefined
      : new StoreClient({ ...options, file: trustFile });
  return {
    consents: consentStore(client),
    verdicts: verdictStore(client),
    events: eventStore(client),
    grants: grantStore(client),
    trust: grantStore(shared ?? client),
    audit: auditStore(client),
    states: stateStore(client),
    close: async () => {
      await Promise.all([client.close(), shared?.close()]);
    },
  };
}

function consentStore(client: StoreClient): ConsentStore {
  return {
    find: async (server, fingerprint) =>
      (await client.request('consents.find', { server, fingerprint }, orNull(decodeConsent))) ?? undefined,
    save: async (consent) => {
      await client.request('consents.save', consent, nothing);
    },
    list: () => client.request('consents.list', null, list(decodeConsent)),
    forget: async (server) => {
      await client.request('consents.forget', { server }, nothing);
    },
  };
}

function verdictStore(client: StoreClient): VerdictStore {
  return {
    find: async (fingerprint) =>
      (await client.request('verdicts.find', { fingerprint }, orNull(decodeVerdict))) ?? undefined,
    save: async (verdict) => {
      await client.request('verdicts.save', verdict, nothing);
    },
    forget: async (fingerprint) => {
      await client.request('verdicts.forget', { fingerprint }, nothing);
    },
  };
}

function eventStore(client: StoreClient): EventStore {
  return {
    admit: async (event, record) => {
      const values = [...eventValues(event), ...auditValues(boundedRecord(record))];
      return admissionOf(await client.request('events.admit', values, decodeAdmission));
    },
    list: (limit) => (client.isUnused ? Promise.resolve([]) : listEvents(client, limit)),
    change: async (id, change) => {
      await client.request('events.change', changeValues(id, change), nothing);
    },
    markRead: async (ids) => {
      if (ids.length > 0) await client.request('events.markRead', ids, nothing);
    },
    clear: async (server) => {
      await client.request('events.clear', { server: server ?? null }, nothing);
    },
    remove: async (ids) => {
      if (ids.length > 0) await client.request('events.remove', ids, nothing);
    },
    trim: async (keep) => {
      if (!client.isUnused) await client.request('events.trim', { keep }, nothing);
    },
  };
}

/** Reads in pages, so that many events do not block the extension host. */
async function listEvents(client: StoreClient, limit: number): Promise<readonly InboundEvent[]> {
  const events: InboundEvent[] = [];
  let wanted = limit;
  let characters = 0;
  for (let before: number | null = null; wanted > 0 && characters < MAX_LISTED_CHARACTERS;) {
    const page: readonly Row[] = await client.request('events.page', { before, limit: wanted }, rows);
    const last = page.at(-1);
    if (last === undefined) break;
    events.push(...readable(page, eventOf));
    before = rowIdOf(last);
    wanted -= page.length;
    for (const { content } of page) characters += typeof content === 'string' ? content.length : 0;
  }
  return events;
}

/** Reads in pages, as for events. */
async function listGrants(client: StoreClient, kind: string | null): Promise<readonly Grant[]> {
  const grants: Grant[] = [];
  for (let after = 0; ;) {
    const page: readonly Row[] = await client.request('grants.page', { after, kind }, rows);
    const last = page.at(-1);
    if (last === undefined) break;
    grants.push(...readable(page, grantOf));
    after = rowIdOf(last);
  }
  return grants.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}

function grantStore(client: StoreClient): GrantStore {
  return {
    list: (kind) => (client.isUnused ? Promise.resolve([]) : listGrants(client, kind ?? null)),
    find: async (id) => {
      if (client.isUnused) return undefined;
      const row = await client.request('grants.find', { id }, orNull(record));
      return row === null ? undefined : readable([row], grantOf)[0];
    },
    save: async (grant) => {
      await client.request('grants.save', grantValues(grant), nothing);
    },
    revoke: async (ids) => {
      if (ids.length > 0 && !client.isUnused) await client.request('grants.revoke', ids, nothing);
    },
  };
}

function auditStore(client: StoreClient): AuditStore {
  return {
    append: async (records) => {
      const all = records.map((each) => auditValues(boundedRecord(each)));
      if (all.length > 0) await client.request('audit.append', all, nothing);
    },
    list: async ({ limit, server, operation, before }) => {
      const query = { limit, server: server ?? null, operation: operation ?? null, before: before ?? null };
      return client.isUnused ? [] : readable(await client.request('audit.page', query, rows), entryOf);
    },
    totals: async (since) => (client.isUnused ? [] : client.request('audit.totals', { since }, list(decodeTotal))),
    used: (server, since) => client.request('audit.used', { server, since }, list(decodeUse)),
    trim: async (before) => {
      if (!client.isUnused) await client.request('audit.trim', { before }, nothing);
    },
  };
}
