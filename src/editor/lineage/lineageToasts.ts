import { cleanLine, type Clock, type Disposable, type LineageKey, type StateTrouble } from '../../core/index.ts';
import { keyIn, keyText } from './lineageController.ts';
import { lineageText, lineText } from './lineageText.ts';

/** What comes within this time is told of at once. */
const BURST_MS = 300;
/** A toast that nobody touched has hidden itself by then, of which the editor does not tell. */
const TOAST_MS = 15_000;
/** Of one server, however many sets it has: what is not told of is marked in the views. */
const MOST_OF_ONE = 3;

export interface LineageToast {
  readonly text: string;
  readonly key: LineageKey;
  /** The newest checkpoint without a state. */
  readonly place: number | undefined;
}

export interface LineageToastsOptions {
  readonly clock: Clock;
  /** Resolves when the person took or closed it. */
  readonly show: (toast: LineageToast) => Promise<void>;
}

interface Lane {
  readonly server: string;
  waiting: StateTrouble[];
  hold: Disposable | undefined;
}

/** Tells of states that could not be made or kept: one toast of a lineage at a time, however many come. */
export class LineageToasts implements Disposable {
  readonly #options: LineageToastsOptions;
  readonly #lanes = new Map<string, Lane>();

  constructor(options: LineageToastsOptions) {
    this.#options = options;
  }

  broke(trouble: StateTrouble): void {
    const key = keyText(trouble);
    const { server } = trouble;
    const lane: Lane = this.#lanes.get(key) ?? { server, waiting: [], hold: undefined };
    if (
      !this.#lanes.has(key) &&
      [...this.#lanes.values()].filter((each) => each.server === server).length >= MOST_OF_ONE
    )
      return;
    this.#lanes.set(key, lane);
    lane.waiting.push(trouble);
    lane.hold ??= this.#options.clock.delay(BURST_MS, () => this.#next(key, lane));
  }

  dispose(): void {
    for (const { hold } of this.#lanes.values()) hold?.dispose();
    this.#lanes.clear();
  }

  #next(key: string, lane: Lane): void {
    lane.hold?.dispose();
    lane.hold = undefined;
    const { waiting } = lane;
    lane.waiting = [];
    const newest = waiting.at(-1);
    if (newest === undefined || this.#lanes.get(key) !== lane) {
      this.#lanes.delete(key);
      return;
    }
    const hold = this.#options.clock.delay(TOAST_MS, () => this.#next(key, lane));
    lane.hold = hold;
    const closed = (): void => {
      if (lane.hold === hold) this.#next(key, lane);
    };
    const place = waiting.findLast((trouble) => trouble.place !== undefined)?.place;
    this.#options.show({ text: troubleText(waiting, newest), key: keyIn(newest), place }).then(closed, closed);
  }
}

/** What happened, to which server, and what follows from it. */
function troubleText(all: readonly StateTrouble[], newest: StateTrouble): string {
  const { tool, problem, place } = newest;
  const who = lineageText(newest);
  const why = lineText(cleanLine(problem), 300);
  const deed = place === undefined ? 'could not be kept' : 'could not be made';
  const maker = tool === undefined ? undefined : lineText(tool, 64);
  const what =
    all.length === 1
      ? `the state that ${maker === undefined ? 'it sent' : `${maker} returned`} ${deed}`
      : `${all.length} states ${deed}${maker === undefined ? '' : `, the last one of ${maker}`}`;
  const then =
    place === undefined
      ? 'What was kept before is not touched.'
      : 'Its next call is refused until you continue from the last good checkpoint, or roll back.';
  return `${who}: ${what}: ${why}${/[.!?…]$/.test(why) ? '' : '.'} ${then}`;
}
