import { cleanLine, type Clock, type Disposable, type LineageKey, type StateTrouble } from '../../core/index.ts';
import { ToastQueue } from '../shared/toastQueue.ts';
import { keyIn } from './lineageController.ts';
import { lineageText } from './lineageText.ts';
import { plainLine } from '../shared/plainText.ts';

/** The lineages of one server with a notification at the same time. The views mark the others. */
const MAX_OF_SERVER = 3;

export interface LineageToast {
  readonly text: string;
  readonly key: LineageKey;
  /** The newest checkpoint without a state. */
  readonly rowId: number | undefined;
}

interface LineageToastsOptions {
  readonly clock: Clock;
  /** Resolves when the user clicked or closed it. */
  readonly show: (toast: LineageToast) => Promise<void>;
}

/** Shows states that could not be computed or stored as notifications, one at a time for each lineage. */
export class LineageToasts implements Disposable {
  /** One queue for each server, with a source for each of its lineages. */
  readonly #queues = new Map<string, ToastQueue<StateTrouble>>();
  readonly #options: LineageToastsOptions;

  constructor(options: LineageToastsOptions) {
    this.#options = options;
  }

  broke(trouble: StateTrouble): void {
    const { server, featureSet } = trouble;
    const queue = this.#queues.get(server) ?? this.#newQueue();
    this.#queues.set(server, queue);
    const { sources } = queue;
    if (sources.includes(featureSet) || sources.length < MAX_OF_SERVER) queue.add(featureSet, trouble);
  }

  dispose(): void {
    for (const queue of this.#queues.values()) queue.dispose();
    this.#queues.clear();
  }

  #newQueue(): ToastQueue<StateTrouble> {
    const { clock, show } = this.#options;
    return new ToastQueue<StateTrouble>({
      clock,
      current: (trouble) => trouble,
      show: (troubles) => show(toastOf(troubles)),
    });
  }
}

function toastOf(troubles: readonly [StateTrouble, ...StateTrouble[]]): LineageToast {
  const newest = troubles.at(-1) ?? troubles[0];
  const rowId = troubles.findLast((trouble) => trouble.place !== undefined)?.place;
  return { text: troubleText(troubles, newest), key: keyIn(newest), rowId };
}

/** The problem, its server and its consequence. */
function troubleText(all: readonly StateTrouble[], newest: StateTrouble): string {
  const { tool, problem, place } = newest;
  const who = lineageText(newest);
  const why = plainLine(cleanLine(problem), 300);
  const action = place === undefined ? 'could not be kept' : 'could not be made';
  const maker = tool === undefined ? undefined : plainLine(tool, 64);
  const what =
    all.length === 1
      ? `the state that ${maker === undefined ? 'it sent' : `${maker} returned`} ${action}`
      : `${all.length} states ${action}${maker === undefined ? '' : `, the last one of ${maker}`}`;
  const then =
    place === undefined
      ? 'What was kept before is not touched.'
      : 'Its next call is refused until you continue from the last good checkpoint, or roll back.';
  return `${who}: ${what}: ${why}${/[.!?…]$/.test(why) ? '' : '.'} ${then}`;
}
