import { canonicalJson } from '../base/json.ts';
import { authJson } from './authDecoder.ts';
import type { ConnectionDefinition } from '../model/server.ts';

/**
 * The identity that a consent covers: everything that decides which program runs, how and where. Only a digest is
 * stored, without values of environment or headers.
 */
export function fingerprint(
  definition: ConnectionDefinition,
  envFileText: string | undefined,
  sha256: (text: string) => string,
): string {
  return sha256(canonicalJson({ connection: connectionJson(definition), envFile: envFileText ?? null }));
}

/** Whether settings still describe the running connection. */
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
