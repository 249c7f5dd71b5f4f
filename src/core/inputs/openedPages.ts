import { type Disposable, toDisposable } from '../base/disposable.ts';

/** Servers need not say when a page is done with: the oldest are forgotten. */
const MAX_PAGES = 50;

/** Pages that a server had opened and of which it may say that the person is done with them. */
export class OpenedPages {
  readonly #waiting = new Map<string, () => void>();

  /** Calls back once when the server says so; a page that is asked for again replaces the earlier one. */
  expect(elicitationId: string, done: () => void): void {
    this.#waiting.delete(elicitationId);
    this.#waiting.set(elicitationId, done);
    const [oldest] = this.#waiting.keys();
    if (oldest !== undefined && this.#waiting.size > MAX_PAGES) this.#waiting.delete(oldest);
  }

  /** The same while a caller waits for it. */
  follow(elicitationId: string, done: () => void): Disposable {
    this.expect(elicitationId, done);
    return toDisposable(() => {
      if (this.#waiting.get(elicitationId) === done) this.#waiting.delete(elicitationId);
    });
  }

  /** MCP 2025-11-25: what is unknown, or was told before, is ignored. */
  complete(elicitationId: string): void {
    const done = this.#waiting.get(elicitationId);
    this.#waiting.delete(elicitationId);
    done?.();
  }

  clear(): void {
    this.#waiting.clear();
  }
}
