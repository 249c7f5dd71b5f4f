import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import {
  type AuditStore,
  boundedRecord,
  type ConsentStore,
  Deferred,
  type EventStore,
  type Grant,
  type GrantStore,
  HostError,
  type InboundEvent,
  type LineageKey,
  type Logger,
  messageOf,
  type StateStore,
  type Storage,
  type VerdictStore,
} from '../../core/index.ts';
import { decodeTotal, decodeUse } from './auditHandlers.ts';
import { auditValues, entryOf } from './auditRows.ts';
import {
  decodeConsent,
  decodeFromStore,
  type Decoder,
  decodeVerdict,
  integer,
  list,
  nothing,
  orNull,
  readable,
  record,
  type Row,
  rowIdOf,
  rows,
  type StoreAnswer,
  type StoreFailure,
  type StoreFailureKind,
  type StoreOperation,
  type StoreParams,
  type StoreRequest,
  type StoreResult,
  text,
  type ToStore,
} from './contract.ts';
import { admissionOf, changeValues, decodeAdmission, eventOf, eventValues } from './eventRows.ts';
import { grantOf, grantValues } from './grantRows.ts';
import {
  callBaseOf,
  detailOf,
  foundOf,
  importOf,
  pathOf,
  recordOf,
  summaryOf,
  windowOf,
} from './states/stateAnswers.ts';

interface StoreClientOptions {
  readonly file: string;
  /** The script of the thread: `dist/storeWorker.js` in the product. */
  readonly workerPath: string | URL;
  readonly log: Logger;
  /** Called with news for the user: records were lost, or a file was set aside. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

/** Stops restarting a thread that keeps crashing. */
const MAX_CRASHES = 5;
/** Longer than any wait for another window's lock. */
const STUCK_MS = 60_000;
/** How long closing waits for the next answer before it terminates the thread. */
const CLOSE_MS = 5_000;
/** Answers delivered per turn of the event loop. In a flood the thread answers 1,024 at once, which took 5 ms. */
const MAX_A_TURN = 256;

const SUGGESTIONS: Readonly<Record<StoreFailureKind, string>> = {
  newer: 'Update MCP Live, or open this workspace with the newer version.',
  full: 'Free some disk space and try again.',
  readOnly: 'Make the file and its folder writable and try again.',
  noAccess: 'Check that the folder exists and that you may write to it.',
  busy: 'Another window holds the database: close it, or try again.',
  damaged: 'Move the file away and try again; servers then ask again before they start.',
  unavailable: 'Use an editor of version 1.106 or later, or Node 22.16 or later.',
  file: 'Choose another file, or have it exported again.',
  tooMany: 'Forget the state of a feature set that is no longer needed.',
  other: 'Look into the log of MCP Live, and try again.',
};

interface Pending {
  readonly settle: (answer: StoreAnswer) => void;
  readonly fail: (error: HostError) => void;
}

/** The client of the store's thread. Starts the thread on first use, and restarts it after a crash. */
class StoreClient {
  readonly #options: StoreClientOptions;
  readonly #pending = new Map<number, Pending>();
  #outbox: StoreRequest[] = [];
  /** Answers to deliver in order, and the number delivered so far. */
  #answers: StoreAnswer[] = [];
  #passedOn = 0;
  #worker: Worker | undefined;
  #lastId = 0;
  #crashes = 0;
  #closing: Promise<void> | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #closeTimer: NodeJS.Timeout | undefined;
  /** Number of received messages. */
  #messages = 0;

  constructor(options: StoreClientOptions) {
    this.#options = options;
  }

  /** True if there is no file and no pending request. Readers then need not create one. */
  get isUnused(): boolean {
    return this.#worker === undefined && this.#outbox.length === 0 && !existsSync(this.#options.file);
  }

  request<O extends StoreOperation, T = StoreResult<O>>(
    operation: O,
    params: StoreParams<O>,
    decode: Decoder<T>,
  ): Promise<T> {
    if (this.#closing !== undefined) return Promise.reject(this.#failed('It is closed.', SUGGESTIONS.other));
    const deferred = new Deferred<T>();
    const id = ++this.#lastId;
    this.#pending.set(id, {
      fail: (error) => deferred.reject(error),
      settle: (answer) => {
        if (!answer.ok) deferred.reject(this.#failure(answer.failure));
        else
          try {
            deferred.resolve(decode(answer.result));
          } catch (error) {
            deferred.reject(this.#failed(messageOf(error), SUGGESTIONS.other));
          }
      },
    });
    // Requests of one turn share a message.
    if (this.#outbox.push({ id, operation, params }) === 1) queueMicrotask(() => this.#flush());
    return deferred.promise;
  }

  /** Finishes pending requests, then ends the thread. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#flush();
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.ref();
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    this.#post(worker, { kind: 'close' });
    this.#closeTimer = setTimeout(() => this.#endIfSilent(worker), CLOSE_MS);
    await ended;
    clearTimeout(this.#closeTimer);
  }

  /** After a long turn of the event loop its timers come first: answers may have arrived, but not been read. */
  #endIfSilent(worker: Worker): void {
    const before = this.#messages;
    setImmediate(() => {
      if (this.#messages === before) void worker.terminate();
    });
  }

  #flush(): void {
    const requests = this.#outbox;
    this.#outbox = [];
    if (requests.length === 0) return;
    try {
      const worker = (this.#worker ??= this.#start());
      worker.ref();
      this.#post(worker, { kind: 'requests', requests });
      this.#watch();
    } catch (error) {
      const failure = this.#failed(messageOf(error), SUGGESTIONS.other);
      for (const { id } of requests) this.#take(id)?.fail(failure);
    }
  }

  #start(): Worker {
    if (this.#crashes >= MAX_CRASHES) throw new Error(`Its thread ended unexpectedly ${this.#crashes} times.`);
    const worker = new Worker(this.#options.workerPath, {
      workerData: { file: this.#options.file },
      name: 'mcpl store',
    });
    let reason = 'Its thread ended unexpectedly.';
    worker.on('message', (message: unknown) => this.#receive(message));
    worker.on('error', (error: unknown) => (reason = messageOf(error)));
    worker.on('exit', () => this.#ended(worker, reason));
    return worker;
  }

  #post(worker: Worker, message: ToStore): void {
    worker.postMessage(message);
  }

  #receive(value: unknown): void {
    const message = decodeFromStore(value);
    if (message === undefined) return;
    if (message.kind === 'notice') {
      this.#options.log.log('warn', message.text);
      this.#options.onNotice?.(message.text);
      return;
    }
    this.#crashes = 0;
    this.#messages++;
    this.#closeTimer?.refresh();
    const isUnderWay = this.#answers.length > 0;
    this.#answers = isUnderWay ? this.#answers.concat(message.answers) : [...message.answers];
    if (!isUnderWay) this.#passOn();
  }

  #passOn(): void {
    this.#settle(MAX_A_TURN);
    if (this.#answers.length > 0) setImmediate(() => this.#passOn());
    this.#watch();
    // An idle store does not keep the process alive, because all acknowledged data is on disk.
    if (this.#pending.size === 0 && this.#closing === undefined) this.#worker?.unref();
  }

  #settle(most: number): void {
    const end = Math.min(this.#answers.length, this.#passedOn + most);
    while (this.#passedOn < end) {
      const answer = this.#answers[this.#passedOn++];
      if (answer !== undefined) this.#take(answer.id)?.settle(answer);
    }
    if (end < this.#answers.length) return;
    this.#answers = [];
    this.#passedOn = 0;
  }

  #ended(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#settle(Infinity);
    this.#worker = undefined;
    clearTimeout(this.#watchdog);
    if (this.#closing === undefined) {
      this.#crashes++;
      this.#options.log.log('error', `The thread of the store ended: ${reason}`);
    }
    const failure = this.#failed(reason, SUGGESTIONS.other);
    const unsent = new Set(this.#outbox.map((request) => request.id));
    for (const id of [...this.#pending.keys()]) if (!unsent.has(id)) this.#take(id)?.fail(failure);
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #watch(): void {
    clearTimeout(this.#watchdog);
    if (this.#pending.size === 0) return;
    this.#watchdog = setTimeout(() => {
      if (this.#worker !== undefined) this.#endIfSilent(this.#worker);
    }, STUCK_MS);
    this.#watchdog.unref();
  }

  #failure(failure: StoreFailure): HostError {
    const { kind, message } = failure;
    // The message names the cause, which is not the database.
    if (kind === 'file' || kind === 'tooMany')
      return new HostError('STORAGE_FAILED', message, {
        layer: 'host',
        suggestion: SUGGESTIONS[kind],
        category: kind,
      });
    return this.#failed(message, SUGGESTIONS[kind], kind);
  }

  #failed(reason: string, suggestion: string, category?: StoreFailureKind): HostError {
    const message = `The database ${this.#options.file} cannot be used: ${reason}`;
    return new HostError('STORAGE_FAILED', message, { layer: 'host', suggestion, category });
  }
}

/**
 * Pause between two steps. Another window waiting to write polls the lock at most every 100 ms, and would hardly find
 * it free otherwise.
 */
const PAUSE_MS = 15;

/** Executes store operations: the store's thread, or the process itself without persistence. */
export interface StateRequester {
  /** True if there is no data and no pending request. Readers then need not create a store. */
  readonly isUnused: boolean;
  request<O extends StoreOperation, T>(operation: O, params: StoreParams<O>, decode: Decoder<T>): Promise<T>;
}

/** States are passed as JSON text, without parsing or serializing. */
export function stateStore(store: StateRequester): StateStore {
  return { ...writingStates(store), ...lookingAtStates(store), ...tidyingStates(store) };
}

function writingStates(
  store: StateRequester,
): Pick<StateStore, 'base' | 'record' | 'move' | 'markPruned' | 'annotate'> {
  return {
    base: async ({ server, featureSet }, conversation, keeper) => {
      if (!store.isUnused) return store.request('state.base', { server, featureSet, conversation, keeper }, callBaseOf);
      return { keeper: keeper === 'host' ? 'host' : 'server', head: undefined, state: undefined, blocked: undefined };
    },
    record: (update) => store.request('state.record', update, recordOf),
    move: async (move, conversation) => {
      await store.request('state.move', { move, conversation }, nothing);
    },
    markPruned: async (rowId) => {
      await store.request('state.markPruned', { place: rowId }, nothing);
    },
    annotate: async (rowId, change) => {
      await store.request('state.annotate', { place: rowId, change }, nothing);
    },
  };
}

function lookingAtStates(
  store: StateRequester,
): Pick<StateStore, 'lineages' | 'window' | 'checkpoint' | 'find' | 'path' | 'state' | 'version'> {
  return {
    lineages: async () =>
      store.isUnused ? [] : readable(await store.request('state.lineages', null, rows), summaryOf),
    window: async (query) => {
      if (!store.isUnused) return store.request('state.window', query, windowOf);
      return { version: 0, total: 0, all: 0, head: undefined, lanes: 0, rows: [] };
    },
    checkpoint: async (rowId) => {
      if (store.isUnused) return undefined;
      return (await store.request('state.checkpoint', { place: rowId }, orNull(detailOf))) ?? undefined;
    },
    find: async (server, checkpoint) =>
      store.isUnused ? [] : store.request('state.find', { server, checkpoint }, list(foundOf)),
    path: async (target) => {
      if (store.isUnused) return undefined;
      return (await store.request('state.path', { target }, orNull(pathOf))) ?? undefined;
    },
    state: async (rowId, form) => {
      if (store.isUnused) return undefined;
      const decode = orNull((value) => text(value, 'state'));
      return (await store.request('state.text', { place: rowId, form }, decode)) ?? undefined;
    },
    version: async () =>
      store.isUnused ? 0 : store.request('state.version', null, (value) => integer(value, 'version')),
  };
}

function tidyingStates(store: StateRequester): Pick<StateStore, 'trim' | 'exportTo' | 'importFrom' | 'forget'> {
  return {
    trim: async (limits, now) => {
      // In steps, so that requests of calls are answered in between.
      for (let after: number | null = store.isUnused ? null : 0; after !== null;) {
        after = await store.request('state.trim', { limits, now, after }, optionalRowId);
        if (after !== null) await wait(PAUSE_MS);
      }
    },
    exportTo: (key, file) => inSteps(store, 'state.export', key, file, countOf),
    importFrom: (key, file) => inSteps(store, 'state.import', key, file, importOf),
    forget: async ({ server, featureSet }) => {
      if (!store.isUnused) await store.request('state.forget', { server, featureSet }, nothing);
    },
  };
}

/** Runs a file operation in steps, so that other requests are answered in between. */
async function inSteps<T>(
  store: StateRequester,
  operation: 'state.export' | 'state.import',
  { server, featureSet }: LineageKey,
  file: string,
  decode: Decoder<T>,
): Promise<T> {
  const run = randomUUID();
  try {
    for (;;) {
      const result = await store.request(operation, { server, featureSet, file, run }, orNull(decode));
      if (result !== null) return result;
      await wait(PAUSE_MS);
    }
  } catch (error) {
    await clearAway(store, run);
    throw error;
  }
}

/** `trim` removes the rest if this fails. */
async function clearAway(store: StateRequester, run: string): Promise<void> {
  try {
    while (await store.request('state.leave', { run }, (value) => value === true)) await wait(PAUSE_MS);
  } catch {
    // The caller reports the original failure.
  }
}

const countOf: Decoder<number> = (value) => integer(value, 'count');
const optionalRowId: Decoder<number | null> = orNull((value) => integer(value, 'after'));

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
