import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { LineageKey, StateStore } from '../../core/index.ts';
import type { StoreOperation, StoreParams } from './contract.ts';
import { type Decoder, integer, list, nothing, orNull, readable, rows, text } from './records.ts';
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
        if (after !== null) await setTimeout(PAUSE_MS);
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
      await setTimeout(PAUSE_MS);
    }
  } catch (error) {
    await clearAway(store, run);
    throw error;
  }
}

/** `trim` removes the rest if this fails. */
async function clearAway(store: StateRequester, run: string): Promise<void> {
  try {
    while (await store.request('state.leave', { run }, (value) => value === true)) await setTimeout(PAUSE_MS);
  } catch {
    // The caller reports the original failure.
  }
}

const countOf: Decoder<number> = (value) => integer(value, 'count');
const optionalRowId: Decoder<number | null> = orNull((value) => integer(value, 'after'));
