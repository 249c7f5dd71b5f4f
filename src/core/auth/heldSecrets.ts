import { redactor } from '../base/log.ts';

/** Older ones have long ended: tokens are replaced every hour. */
const MAX_HELD = 256;

/** Every token and key that is or was in use, so that no log, trace or message shows one. */
export class HeldSecrets {
  readonly #held = new Set<string>();
  #redact: ((text: string) => string) | undefined;

  add(...secrets: readonly (string | undefined)[]): void {
    for (const secret of secrets) {
      if (secret === undefined || secret === '' || this.#held.has(secret)) continue;
      this.#held.add(secret);
      this.#redact = undefined;
    }
    for (const oldest of this.#held) {
      if (this.#held.size <= MAX_HELD) break;
      this.#held.delete(oldest);
    }
  }

  readonly redact = (text: string): string => {
    this.#redact ??= redactor(this.#held);
    return this.#redact(text);
  };
}
