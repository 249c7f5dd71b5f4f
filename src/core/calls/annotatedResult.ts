import type { Json, JsonObject } from '../base/json.ts';
import type { ContentBlock, ResultAnnotation, ResultView } from '../model/content.ts';

/** The same result with more annotations; still decoded only on first access. */
export class AnnotatedResult implements ResultView {
  readonly #result: ResultView;
  readonly annotations: readonly ResultAnnotation[];

  constructor(result: ResultView, annotations: readonly ResultAnnotation[]) {
    this.#result = result;
    this.annotations = [...result.annotations, ...annotations];
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
