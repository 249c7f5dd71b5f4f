import type { Json, JsonObject } from '../base/json.ts';
import type { ContentBlock, ResultView } from '../model/content.ts';
import type { KeptState } from '../model/lineage.ts';

/** The same result with remarks of the host, or its stored state; still decoded only on first access. */
export class RemarkedResult implements ResultView {
  readonly #result: ResultView;
  readonly remarks: readonly string[] | undefined;

  readonly kept: KeptState | undefined;

  constructor(result: ResultView, remarks: readonly string[], kept = result.kept) {
    this.#result = result;
    this.kept = kept;
    this.remarks = remarks.length === 0 ? result.remarks : [...(result.remarks ?? []), ...remarks];
  }

  get modelText(): string {
    return this.#result.modelText;
  }

  get blocks(): readonly ContentBlock[] {
    return this.#result.blocks;
  }

  get structured(): Json | undefined {
    return this.#result.structured;
  }

  get isError(): boolean {
    return this.#result.isError;
  }

  get raw(): JsonObject {
    return this.#result.raw;
  }
}
