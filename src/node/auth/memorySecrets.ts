import type { SecretStore } from '../../core/index.ts';

/** In-memory secrets, for hosts without a secret storage. */
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
