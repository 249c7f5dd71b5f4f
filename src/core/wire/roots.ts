import type { JsonObject } from '../base/json.ts';
import type { RootsResult } from '../model/inputs.ts';

/** The answer to `roots/list`. */
export function encodeRoots({ roots }: RootsResult): JsonObject {
  return { roots: roots.map(({ uri, name }) => (name === undefined ? { uri } : { uri, name })) };
}
