import type { DatabaseSync } from 'node:sqlite';
import type { Json } from '../../../core/index.ts';
import type { StoreOperation } from '../contract.ts';
import { changes, reads, type StoreHandlers, writes } from '../repository.ts';
import { CallDesk } from './callDesk.ts';
import { CheckpointRows } from './checkpointRows.ts';
import { Materialiser } from './materialiser.ts';
import { readHandlers } from './readHandlers.ts';
import { StateRecorder } from './recorder.ts';
import { inSameView } from './sameView.ts';
import {
  decodeAnnotation,
  decodeBaseRequest,
  decodeMove,
  decodePlace,
  decodeTextRequest,
  decodeUpdate,
} from './requests.ts';

type StateOperation = Extract<StoreOperation, `state.${string}`>;

export interface States {
  readonly handlers: Pick<StoreHandlers, StateOperation>;
  /** Lets go of files. */
  close(): void;
  /** Something that was written was taken back: what is in memory may come from it. */
  forget(): void;
}

/** The lineages of feature sets with state (MCPL §8). */
export function openStates(database: DatabaseSync): States {
  const materialiser = new Materialiser(database);
  const recorder = new StateRecorder(database, materialiser);
  const desk = new CallDesk(database, materialiser);
  const rows = new CheckpointRows(database);
  const reading = readHandlers(database, materialiser);
  const handlers: States['handlers'] = {
    ...reading.handlers,
    'state.base': reads<'state.base'>(decodeBaseRequest, (request) => inSameView(database, () => desk.base(request))),
    'state.record': changes<'state.record'>(decodeUpdate, (update) => {
      const { kind, node, written, remarks } = recorder.record(update);
      return { kind, node: rows.row(node.place), written, remarks };
    }),
    'state.move': writes<'state.move'>(decodeMove, ({ move, conversation }) => desk.move(move, conversation)),
    'state.markPruned': writes<'state.markPruned'>(decodePlace, ({ place }) => desk.markPruned(place)),
    'state.annotate': writes<'state.annotate'>(decodeAnnotation, ({ place, change }) => desk.annotate(place, change)),
    'state.text': reads<'state.text'>(decodeTextRequest, ({ place, form }) =>
      inSameView(database, () => stateText(materialiser, place, form)),
    ),
  };
  return { handlers, close: () => reading.close(), forget: () => materialiser.forget() };
}

function stateText(materialiser: Materialiser, place: number, form: 'compact' | 'pretty'): string | null {
  if (form === 'compact') return materialiser.text(place) ?? null;
  const state = materialiser.at(place);
  return state === undefined ? null : readable(state.value);
}

/** More spaces than that help nobody to read: what nests deeply can be a thousand times as long with them. */
const MOST_SPACES = 64_000_000;

function readable(state: Json): string {
  return JSON.stringify(state, null, spaces(state, 0, MOST_SPACES) > MOST_SPACES ? 0 : 2);
}

/** How many there would be; looks no further than where they are more than `most`. */
function spaces(value: Json, level: number, most: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 2 * level + 2;
  for (const item of Object.values(value)) {
    count += 2 * level + 4 + spaces(item ?? null, level + 1, most - count);
    if (count > most) break;
  }
  return count;
}
