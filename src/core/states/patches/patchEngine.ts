import { applyPatch } from 'rfc6902';
import type { Json } from '../../base/json.ts';
import type { Container } from './patchValues.ts';

/**
 * Uses the library to write a copy of a value into a container. The location must exist, and is named by its last token
 * alone, which avoids a second lookup. The library is not used for other operations: it cannot replace the root, loses
 * the order of removed members, looks up the target of a move before removing, compares lists with unbounded memory,
 * and replaces the prototype for `__proto__`.
 */
export function carryOut(container: Container, op: 'add' | 'replace', path: string, value: Json): string | undefined {
  const [error] = applyPatch(container, [{ op, path, value }]);
  return error === null ? undefined : 'it could not be carried out';
}
