import { cleanLine } from '../../base/cleanText.ts';
import { isJsonArray, isJsonObject, type Json } from '../../base/json.ts';
import { STATE_BOUNDS } from '../../model/lineage.ts';
import { PatchDocument, type Step } from './patchDocument.ts';
import { PatchOperations } from './patchOperations.ts';
import { quoted } from './patchPointer.ts';
import { clone, isContainer } from './patchValues.ts';

export type PatchOutcome =
  /**
   * `effort`: characters that were looked at, which may be many more than the patch has. `undo` makes all of it undone,
   * to the letter; of several patches the last has to be undone first.
   */
  | { readonly kind: 'applied'; readonly operations: number; readonly effort: number; undo(): void }
  /** The value is what it was before. A sentence. */
  | { readonly kind: 'refused'; readonly problem: string };

/** A state that patches (RFC 6902) change in place: all operations of one, or none. Whose state it is gives it away. */
export class PatchableState {
  readonly #document: PatchDocument;
  #size: number;
  /** Which patches are applied: the number of the last, and the greatest ever given. */
  #last = 0;
  #greatest = 0;

  /** `size`: characters of it as JSON. */
  constructor(value: Json, size: number) {
    this.#document = new PatchDocument(isContainer(value) ? value : clone(value));
    this.#size = size;
  }

  /** It changes with the next patch, and must not be changed otherwise. */
  get value(): Json {
    this.#document.clear();
    return this.#document.root;
  }

  /** Characters as JSON, roughly: every list and object with members counts one comma too many. */
  get size(): number {
    return this.#size;
  }

  /** Takes any JSON, and shares nothing with it afterwards. */
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
    const steps: readonly Step[] = this.#document.takeSteps(left);
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

const LONGEST_NAME = 32;

/** What a person recognises an operation by: ` (replace "/notes/7/text")`. */
function nameOf(operation: Json): string {
  if (!isJsonObject(operation)) return '';
  const { op, path } = operation;
  const name = typeof op === 'string' ? cleanLine(op, LONGEST_NAME) : '';
  const place = typeof path === 'string' ? quoted(path) : '';
  const words = `${name} ${place}`.trim();
  return words === '' ? '' : ` (${words})`;
}
