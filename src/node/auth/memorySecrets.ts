import type { SecretStore } from '../../core/index.ts';

/** Secrets for as long as this process lives: for hosts without a place to keep them. */
export function memorySecrets(): SecretStore {
  const secrets = new Map<string, string>();
  return {
    get: (key) => Promise.resolve(secrets.get(key)),
    set: (key, value) => {
      secrets.set(key, value);
      return Promise.resolve();
    },
    delete: (key) => {
      secrets.delete(key);
      return Promise.resolve();
    },
  };
}
