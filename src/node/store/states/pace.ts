/** After this, whoever waits for the store's thread comes first. One that is large takes what it takes. */
const STEP_MS = 30;
/** However fast it goes. */
const MOST = 2_000;

/** How long one step of something long goes on. */
export class Pace {
  readonly #deadline = performance.now() + STEP_MS;
  #done = 0;

  /** To be asked after each thing that was done. */
  get isOver(): boolean {
    return ++this.#done >= MOST || performance.now() > this.#deadline;
  }
}
