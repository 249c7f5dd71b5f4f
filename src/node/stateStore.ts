import type { StateStore } from '../core/index.ts';
import type { StoreOperation, StoreParams } from './store/contract.ts';
import { type Decoder, integer, list, nothing, orNull, readable, rows, text } from './store/records.ts';
import { baseOf, importOf, recordOf } from './store/states/answers.ts';
import { detailOf, foundOf, pathOf, summaryOf, windowOf } from './store/states/readAnswers.ts';

/** Whoever carries out what the store is asked: its thread, or the program itself where nothing is kept. */
export interface StateRequester {
  /** There is nothing yet, and nothing on its way: whoever only looks need not make it. */
  readonly isUnused: boolean;
  request<O extends StoreOperation, T>(operation: O, params: StoreParams<O>, decode: Decoder<T>): Promise<T>;
}

/** States cross as the texts that they are: nothing here parses them, or writes them. */
export function stateStore(store: StateRequester): StateStore {
  return { ...writingStates(store), ...lookingAtStates(store), ...tidyingStates(store) };
}

function writingStates(
  store: StateRequester,
): Pick<StateStore, 'base' | 'record' | 'move' | 'markPruned' | 'annotate'> {
  return {
    base: async ({ server, featureSet }, conversation, keeper) => {
      if (!store.isUnused) return store.request('state.base', { server, featureSet, conversation, keeper }, baseOf);
      return { keeper: keeper === 'host' ? 'host' : 'server', head: undefined, state: undefined, blocked: undefined };
    },
    record: (update) => store.request('state.record', update, recordOf),
    move: async (move, conversation) => {
      await store.request('state.move', { move, conversation }, nothing);
    },
    markPruned: async (place) => {
      await store.request('state.markPruned', { place }, nothing);
    },
    annotate: async (place, change) => {
      await store.request('state.annotate', { place, change }, nothing);
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
    checkpoint: async (place) => {
      if (store.isUnused) return undefined;
      return (await store.request('state.checkpoint', { place }, orNull(detailOf))) ?? undefined;
    },
    find: async (server, checkpoint) =>
      store.isUnused ? [] : store.request('state.find', { server, checkpoint }, list(foundOf)),
    path: async (target) => {
      if (store.isUnused) return undefined;
      return (await store.request('state.path', { target }, orNull(pathOf))) ?? undefined;
    },
    state: async (place, form) => {
      if (store.isUnused) return undefined;
      const decode = orNull((value) => text(value, 'state'));
      return (await store.request('state.text', { place, form }, decode)) ?? undefined;
    },
    version: async () =>
      store.isUnused ? 0 : store.request('state.version', null, (value) => integer(value, 'version')),
  };
}

function tidyingStates(store: StateRequester): Pick<StateStore, 'trim' | 'exportTo' | 'importFrom' | 'forget'> {
  return {
    trim: async (limits, now) => {
      // Step by step, so that what calls ask of the store meanwhile is answered in between.
      for (let after: number | null = store.isUnused ? null : 0; after !== null;)
        after = await store.request('state.trim', { limits, now, after }, optionalPlace);
    },
    exportTo: ({ server, featureSet }, file) =>
      store.request('state.export', { server, featureSet, file }, (value) => integer(value, 'count')),
    importFrom: ({ server, featureSet }, file) => store.request('state.import', { server, featureSet, file }, importOf),
    forget: async ({ server, featureSet }) => {
      if (!store.isUnused) await store.request('state.forget', { server, featureSet }, nothing);
    },
  };
}

const optionalPlace: Decoder<number | null> = orNull((value) => integer(value, 'after'));
