import { cleanLine } from '../../base/cleanText.ts';
import { isJsonArray, isJsonObject, type Json } from '../../base/json.ts';
import { STATE_BOUNDS } from '../../model/lineage.ts';
import { PatchDocument, type PatchStep } from './patchDocument.ts';
import { PatchOperations } from './patchOperations.ts';
import { quotedPointer } from './patchPointer.ts';
import { clone, isContainer } from './patchValues.ts';

export type PatchOutcome =
  /**
   * `effort`: characters read, which may exceed the size of the patch. `undo` reverts the patch exactly; patches must
   * be undone in reverse order.
   */
  | { readonly kind: 'applied'; readonly operations: number; readonly effort: number; undo(): void }
  /** The value is unchanged. A sentence. */
  | { readonly kind: 'refused'; readonly problem: string };

/**
 * A state that patches (RFC 6902) change in place. A patch applies completely or not at all. Takes ownership of the
 * value; the caller must not use it again.
 */
export class PatchableState {
  readonly #document: PatchDocument;
  #size: number;
  /** Numbers of the applied patches: the last one, and the highest ever used. */
  #last = 0;
  #greatest = 0;

  /** `size`: characters of the value as JSON. */
  constructor(value: Json, size: number) {
    this.#document = new PatchDocument(isContainer(value) ? value : clone(value));
    this.#size = size;
  }

  /** The live value. The next patch changes it, and callers must not. */
  get value(): Json {
    this.#document.clear();
    return this.#document.root;
  }

  /** Approximate characters as JSON: each non-empty list or object counts one comma too many. */
  get size(): number {
    return this.#size;
  }

  /** Accepts any JSON and keeps no reference to it. */
  apply(patch: Json): PatchOutcome {
    if (!isJsonArray(patch)) return { kind: 'refused', problem: 'The patch is not a list of operations.' };
    if (patch.length > STATE_BOUNDS.operations) {
      const problem = `The patch has ${patch.length} operations; ${STATE_BOUNDS.operations} are the most.`;
      return { kind: 'refused', problem };
    }
    const operations = new PatchOperations(this.#document, this.#size);
    for (const [index, operation] of patch.entries()) {
      const misfit = isJsonObject(operation) ? operations.run(operation) : 'it is not an object';
      if (misfit === undefined) continue;
      this.#document.takeBack(this.#document.takeSteps(0));
      return { kind: 'refused', problem: `Operation ${index + 1}${nameOf(operation)} does not fit: ${misfit}.` };
    }
    return this.#applied(patch.length, operations);
  }

  #applied(operations: number, { size, left, effort }: PatchOperations): PatchOutcome {
    const steps: readonly PatchStep[] = this.#document.takeSteps(left);
    const before = { last: this.#last, size: this.#size };
    const own = ++this.#greatest;
    this.#last = own;
    this.#size = size;
    const undo = (): void => {
      if (this.#last !== own) throw new Error('Only the last patch that is applied can be undone.');
      this.#document.takeBack(steps);
      this.#last = before.last;
      this.#size = before.size;
    };
    return { kind: 'applied', operations, effort, undo };
  }
}

const MAX_NAME = 32;

/** Describes an operation to the user: ` (replace "/notes/7/text")`. */
function nameOf(operation: Json): string {
  if (!isJsonObject(operation)) return '';
  const { op, path } = operation;
  const name = typeof op === 'string' ? cleanLine(op, MAX_NAME) : '';
  const position = typeof path === 'string' ? quotedPointer(path) : '';
  const words = `${name} ${position}`.trim();
  return words === '' ? '' : ` (${words})`;
}
