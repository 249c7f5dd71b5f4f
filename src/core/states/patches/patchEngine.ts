import { applyPatch } from 'rfc6902';
import type { Json } from '../../base/json.ts';
import type { Container } from './patchValues.ts';

/**
 * Has the library write a copy of a value into a container. The place is known to be there and to take a value, and is
 * named by its last token alone, since looking for it again would double the work. The library is not asked for the
 * rest: it does not reach the root, forgets the order of members that it removes, looks for the target of a move
 * before it removes, compares lists in a way that takes all memory, and exchanges the prototype for `__proto__`.
 */
export function carryOut(container: Container, op: 'add' | 'replace', path: string, value: Json): string | undefined {
  const [error] = applyPatch(container, [{ op, path, value }]);
  return error === null ? undefined : 'it could not be carried out';
}
