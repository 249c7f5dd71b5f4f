import type { DatabaseSync } from 'node:sqlite';
import type { Annotation, Json, StateUpdate } from '../../../core/index.ts';
import { type HeadMove, type LineageKey, MOVE_KINDS, type StateKeeper } from '../../../core/model/lineage.ts';
import type { BaseRequest, StateTextRequest, StoreOperation } from '../contract.ts';
import { type Decoder, integer, oneOf, optionalInteger, optionalText, record, text } from '../records.ts';
import { changes, reads, type StoreHandlers, writes } from '../repository.ts';
import { inSameView } from '../sqlite.ts';
import { StateQueries } from './stateQueries.ts';
import { CheckpointRows } from './checkpointRows.ts';
import { Materialiser } from './materialiser.ts';
import { readHandlers } from './lineageHandlers.ts';
import { StateRecorder } from './stateRecorder.ts';

type StateOperation = Extract<StoreOperation, `state.${string}`>;

export interface States {
  readonly handlers: Pick<StoreHandlers, StateOperation>;
  /** Closes files. */
  close(): void;
  /** A rollback invalidated cached states. */
  forget(): void;
}

/** The lineages of feature sets with state (MCPL §8). */
export function openStates(database: DatabaseSync): States {
  const materialiser = new Materialiser(database);
  const recorder = new StateRecorder(database, materialiser);
  const queries = new StateQueries(database, materialiser);
  const rows = new CheckpointRows(database);
  const reading = readHandlers(database, materialiser);
  const handlers: States['handlers'] = {
    ...reading.handlers,
    'state.base': reads<'state.base'>(decodeBaseRequest, (request) =>
      inSameView(database, () => queries.base(request)),
    ),
    'state.record': changes<'state.record'>(decodeUpdate, (update) => {
      const { kind, node, written, remarks } = recorder.record(update);
      return { kind, node: rows.row(node.place), written, remarks };
    }),
    'state.move': writes<'state.move'>(decodeMove, ({ move, conversation }) => queries.move(move, conversation)),
    'state.markPruned': writes<'state.markPruned'>(decodeRowId, ({ place }) => queries.markPruned(place)),
    'state.annotate': writes<'state.annotate'>(decodeAnnotation, ({ place, change }) =>
      queries.annotate(place, change),
    ),
    'state.text': reads<'state.text'>(decodeTextRequest, ({ place, form }) =>
      inSameView(database, () => stateText(materialiser, place, form)),
    ),
  };
  return { handlers, close: () => reading.close(), forget: () => materialiser.forget() };
}

function stateText(materialiser: Materialiser, rowId: number, form: 'compact' | 'pretty'): string | null {
  if (form === 'compact') return materialiser.text(rowId) ?? null;
  const state = materialiser.at(rowId);
  return state === undefined ? null : readable(state.value);
}

/** Indents only up to this many spaces: deep nesting can make a text a thousand times as long. */
const MAX_SPACES = 64_000_000;

function readable(state: Json): string {
  return JSON.stringify(state, null, spaces(state, 0, MAX_SPACES) > MAX_SPACES ? 0 : 2);
}

/** Number of spaces. Stops counting above `most`. */
function spaces(value: Json, level: number, most: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 2 * level + 2;
  for (const item of Object.values(value)) {
    count += 2 * level + 4 + spaces(item ?? null, level + 1, most - count);
    if (count > most) break;
  }
  return count;
}

// Decodes requests about calls and states.

const KEEPERS: readonly (StateKeeper | 'either')[] = ['host', 'server', 'either'];

const decodeBaseRequest: Decoder<BaseRequest> = (value) => {
  const { conversation, keeper, ...key } = record(value);
  return {
    ...decodeKey(key),
    conversation: optionalText(conversation, 'conversation'),
    keeper: oneOf(keeper, KEEPERS, 'keeper'),
  };
};

const decodeUpdate: Decoder<StateUpdate> = (value) => {
  const update = record(value);
  return {
    ...decodeBaseRequest(update),
    checkpoint: text(update['checkpoint'], 'checkpoint'),
    parent: update['parent'] === null ? null : optionalText(update['parent'], 'parent'),
    base: optionalInteger(update['base'], 'base'),
    cause: oneOf(update['cause'], ['call', 'update', 'rollback'], 'cause'),
    body: update['body'] === undefined ? undefined : decodeBody(update['body']),
    at: integer(update['at'], 'at'),
    tool: optionalText(update['tool'], 'tool'),
    args: optionalText(update['args'], 'args'),
  };
};

function decodeBody(value: unknown): StateUpdate['body'] {
  const { kind, text: body, isAsItCame } = record(value);
  const isTheirs = isAsItCame === true;
  return { kind: oneOf(kind, ['data', 'patch'], 'kind'), text: text(body, 'body'), isAsItCame: isTheirs };
}

const decodeMove: Decoder<{ readonly move: HeadMove; readonly conversation: string | undefined }> = (value) => {
  const { move, conversation } = record(value);
  const { at, kind, from, to, refusal } = record(move);
  return {
    move: {
      at: integer(at, 'at'),
      kind: oneOf(kind, MOVE_KINDS, 'kind'),
      from: optionalInteger(from, 'from'),
      to: integer(to, 'to'),
      refusal: optionalText(refusal, 'refusal'),
    },
    conversation: optionalText(conversation, 'conversation'),
  };
};

const decodeRowId: Decoder<{ readonly place: number }> = (value) => ({
  place: integer(record(value)['place'], 'place'),
});

const decodeAnnotation: Decoder<{ readonly place: number; readonly change: Annotation }> = (value) => {
  const { change, ...rest } = record(value);
  const { name, isPinned } = record(change);
  return {
    ...decodeRowId(rest),
    change: {
      name: optionalText(name, 'name'),
      isPinned: isPinned === undefined ? undefined : isPinned === true,
    },
  };
};

const decodeTextRequest: Decoder<StateTextRequest> = (value) => ({
  ...decodeRowId(value),
  form: oneOf(record(value)['form'], ['compact', 'pretty'], 'form'),
});

function decodeKey(value: unknown): LineageKey {
  const { server, featureSet } = record(value);
  return { server: text(server, 'server'), featureSet: text(featureSet, 'featureSet') };
}
