/** Each is a connection of its own. */
const AT_ONCE = 16;
const MAX_WAITING = 1_000;

/** Posts of answers take turns: a server that asks and asks and takes no answer gets no more connections for it. */
export class AnswerTurns {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** So many wait that the server takes none. */
  get isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING;
  }

  async run(post: () => Promise<void>): Promise<void> {
    if (this.#running < AT_ONCE) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      await post();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
