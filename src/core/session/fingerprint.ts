import { canonicalJson } from '../base/json.ts';
import { authJson } from './authDecoder.ts';
import type { ConnectionDefinition } from '../model/server.ts';

/**
 * What a person's consent is bound to: everything that decides which program runs, with what, and where. Only the
 * digest is kept, so that no value of an environment or a header is stored.
 */
export function fingerprint(
  definition: ConnectionDefinition,
  envFileText: string | undefined,
  sha256: (text: string) => string,
): string {
  return sha256(canonicalJson({ connection: connectionJson(definition), envFile: envFileText ?? null }));
}

/** Whether a running connection no longer is the one that the settings describe. */
export function sameConnection(a: ConnectionDefinition, b: ConnectionDefinition): boolean {
  return canonicalJson(connectionJson(a)) === canonicalJson(connectionJson(b));
}

function connectionJson(definition: ConnectionDefinition) {
  if (definition.kind === 'remote') {
    const { kind, url, headers, transport, auth } = definition;
    const plain = { kind, url, headers: { ...headers }, transport };
    return auth === undefined ? plain : { ...plain, auth: authJson(auth) };
  }
  const { kind, command, args, env, envFile, cwd } = definition;
  return { kind, command, args: [...args], env: { ...env }, envFile: envFile ?? null, cwd: cwd ?? null };
}
