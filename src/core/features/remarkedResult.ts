import type { Json, JsonObject } from '../base/json.ts';
import type { ContentBlock, ResultView } from '../model/content.ts';

/** The same result with what the host has to say of it; still decoded only when somebody looks. */
export class RemarkedResult implements ResultView {
  readonly #result: ResultView;
  readonly remarks: readonly string[];

  constructor(result: ResultView, remarks: readonly string[]) {
    this.#result = result;
    this.remarks = [...(result.remarks ?? []), ...remarks];
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
