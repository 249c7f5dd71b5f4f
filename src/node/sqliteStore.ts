import type { ConsentStore, Storage, VerdictStore } from '../core/index.ts';
import { StoreClient, type StoreClientOptions } from './store/client.ts';
import { decodeConsent, decodeVerdict, list, nothing, orNull } from './store/records.ts';

export type StoreOptions = StoreClientOptions;

/** Storage in a SQLite file, in a thread of its own that starts with the first use. A write that resolved is on disk. */
export function openStore(options: StoreOptions): Storage {
  const client = new StoreClient(options);
  return { consents: consentStore(client), verdicts: verdictStore(client), close: () => client.close() };
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
