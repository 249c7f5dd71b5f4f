/** After this time, other requests get their turn. A single large item may take longer. */
const STEP_MS = 30;
/** Maximum items per step, however fast they are. */
const MOST = 2_000;

/** A time slice for one step of a long operation. */
export class TimeSlice {
  readonly #deadline = performance.now() + STEP_MS;
  #done = 0;

  /** Check this after each item. */
  get isOver(): boolean {
    return ++this.#done >= MOST || performance.now() > this.#deadline;
  }
}
