import type { Consent, EraVerdict, Storage } from '../core/index.ts';

/** Storage that lasts as long as the process, for programs that keep nothing. */
export function memoryStorage(): Storage {
  const consents = new Map<string, Consent>();
  const verdicts = new Map<string, EraVerdict>();
  const key = (server: string, fingerprint: string): string => JSON.stringify([server, fingerprint]);
  return {
    consents: {
      find: (server, fingerprint) => Promise.resolve(consents.get(key(server, fingerprint))),
      save: (consent) => {
        consents.set(key(consent.server, consent.fingerprint), consent);
        return Promise.resolve();
      },
      list: () => Promise.resolve([...consents.values()]),
      forget: (server) => {
        for (const [id, consent] of consents) if (consent.server === server) consents.delete(id);
        return Promise.resolve();
      },
    },
    verdicts: {
      find: (fingerprint) => Promise.resolve(verdicts.get(fingerprint)),
      save: (verdict) => {
        verdicts.set(verdict.fingerprint, verdict);
        return Promise.resolve();
      },
      forget: (fingerprint) => {
        verdicts.delete(fingerprint);
        return Promise.resolve();
      },
    },
    close: () => Promise.resolve(),
  };
}
