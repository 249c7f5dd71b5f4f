import type { ModelFacts } from '../model/inference.ts';

const MAX_CONVERSATIONS = 500;

/** The last used model of each conversation. Drops the conversations that were idle longest. */
export class ConversationModels {
  readonly #models = new Map<string, string>();

  note(conversationId: string, { vendor, id }: ModelFacts): void {
    if (id === '') return;
    this.#models.delete(conversationId);
    this.#models.set(conversationId, `${vendor}/${id}`);
    const [oldest] = this.#models.keys();
    if (this.#models.size > MAX_CONVERSATIONS && oldest !== undefined) this.#models.delete(oldest);
  }

  /** As `vendor/id`. */
  of(conversationId: string | undefined): string | undefined {
    return conversationId === undefined ? undefined : this.#models.get(conversationId);
  }
}
