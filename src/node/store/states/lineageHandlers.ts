import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Annotation, Json, StateImport, StateLimits, StateUpdate } from '../../../core/index.ts';
import {
  type HeadMove,
  LINEAGE_FILTERS,
  type LineageFilter,
  type LineageKey,
  type LineageQuery,
  MOVE_KINDS,
  type StateKeeper,
} from '../../../core/model/lineage.ts';
import {
  type BaseRequest,
  type Decoder,
  type FileStep,
  integer,
  type LineageOperation,
  nothing,
  oneOf,
  optionalInteger,
  optionalText,
  record,
  type StateTextRequest,
  type StoreOperation,
  text,
  type TrimRequest,
} from '../contract.ts';
import { Exporter } from '../files/exporter.ts';
import { FileRuns, Importer } from '../files/importer.ts';
import { changes, reads, type StoreHandlers, writes } from '../batch.ts';
import { inSameView } from '../sqlite.ts';
import { CheckpointRows } from './checkpointRows.ts';
import { LineageIndex } from './lineageIndex.ts';
import { ChangeCount, Details, Paths, StateQueries, Summaries } from './lineageQueries.ts';
import { Materialiser } from './materialiser.ts';
import { Retention } from './retention.ts';
import { LineageWindows } from './rowWindows.ts';
import { Stagings } from './stagings.ts';
import { keyOf } from './stateAnswers.ts';
import { StateRecorder } from './stateRecorder.ts';
import { TimeSlice } from './timeSlice.ts';

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

/** Deletes a lineage with all its states. */
class LineageDeletion {
  readonly #index: LineageIndex;
  readonly #materialiser: Materialiser;
  readonly #removals: readonly StatementSync[];

  constructor(database: DatabaseSync, index: LineageIndex, materialiser: Materialiser) {
    this.#index = index;
    this.#materialiser = materialiser;
    this.#removals = [
      'DELETE FROM snapshots WHERE place IN (SELECT place FROM checkpoints WHERE lineage = ?)',
      'DELETE FROM head_moves WHERE lineage = ?',
      'DELETE FROM heads WHERE lineage = ?',
      'DELETE FROM checkpoints WHERE lineage = ?',
      'DELETE FROM lineages WHERE id = ?',
    ].map((sql) => database.prepare(sql));
  }

  forget(key: LineageKey): void {
    const lineage = this.#index.lineage(key);
    if (lineage === undefined) return;
    for (const removal of this.#removals) removal.run(lineage.id);
    this.#materialiser.forget();
  }
}

interface ReadHandlers {
  readonly handlers: Pick<StoreHandlers, LineageOperation>;
  /** Abandons running exports and imports. */
  close(): void;
}

/** Reads, trims, exports and imports lineages. */
export function readHandlers(database: DatabaseSync, materialiser: Materialiser): ReadHandlers {
  const index = new LineageIndex(database);
  const summaries = new Summaries(database);
  const windows = new LineageWindows(database, index);
  const details = new Details(database, index);
  const paths = new Paths(database, index, materialiser);
  const changeCount = new ChangeCount(database);
  const retention = new Retention(database, materialiser);
  const exporter = new Exporter(database, index);
  const importer = new Importer(database, index);
  const stagings = new Stagings(database);
  const exports = new FileRuns<number>();
  const imports = new FileRuns<StateImport>();
  const deletion = new LineageDeletion(database, index, materialiser);
  /** Runs several reads on one consistent snapshot. */
  const inOneView = <T>(work: () => T): T => {
    if (!database.isTransaction) return inSameView(database, work);
    try {
      return work();
    } finally {
      // The batch may still be rolled back.
      index.forget();
    }
  };
  const handlers: ReadHandlers['handlers'] = {
    'state.lineages': reads<'state.lineages'>(nothing, () => inOneView(() => summaries.all())),
    'state.window': reads<'state.window'>(decodeQuery, (query) => inOneView(() => windows.window(query))),
    'state.checkpoint': reads<'state.checkpoint'>(decodeRowId, ({ place }) => inOneView(() => details.detail(place))),
    'state.find': reads<'state.find'>(decodeName, ({ server, checkpoint }) =>
      inOneView(() => details.find(server, checkpoint)),
    ),
    'state.path': reads<'state.path'>(decodeTarget, ({ target }) => inOneView(() => paths.path(target))),
    'state.version': reads<'state.version'>(nothing, () => changeCount.current()),
    'state.trim': changes<'state.trim'>(decodeTrim, ({ limits, now, after }) => retention.step(limits, now, after)),
    'state.export': reads<'state.export'>(decodeStep, ({ run, file, ...key }) =>
      inOneView(() => exports.step(run, () => exporter.begin(key, file))),
    ),
    'state.import': changes<'state.import'>(decodeStep, ({ run, file, ...key }) => {
      const imported = imports.step(run, () => importer.begin(key, file));
      return imported === null ? null : { ...imported };
    }),
    'state.leave': changes<'state.leave'>(decodeRun, ({ run }) => {
      exports.leave(run);
      imports.leave(run);
      return stagings.sweep(new TimeSlice());
    }),
    'state.forget': writes<'state.forget'>(keyOf, (key) => deletion.forget(key)),
  };
  const close = (): void => {
    exports.close();
    imports.close();
  };
  return { handlers, close };
}

const decodeQuery: Decoder<LineageQuery> = (value) => {
  const query = record(value);
  return {
    ...keyOf(query),
    filter: decodeFilter(query['filter']),
    from: integer(query['from'], 'from'),
    count: integer(query['count'], 'count'),
  };
};

function decodeFilter(value: unknown): LineageFilter {
  const filter = record(value);
  return { text: text(filter['text'], 'text'), only: oneOf(filter['only'], LINEAGE_FILTERS, 'only') };
}

function decodeTarget(value: unknown): { readonly target: number } {
  return { target: integer(record(value)['target'], 'target') };
}

function decodeName(value: unknown): { readonly server: string; readonly checkpoint: string } {
  const { server, checkpoint } = record(value);
  return { server: text(server, 'server'), checkpoint: text(checkpoint, 'checkpoint') };
}

const decodeTrim: Decoder<TrimRequest> = (value) => {
  const { limits, now, after } = record(value);
  return { limits: decodeLimits(limits), now: integer(now, 'now'), after: integer(after, 'after') };
};

function decodeLimits(value: unknown): StateLimits {
  const { count, ageMs, characters } = record(value);
  return {
    count: integer(count, 'count'),
    ageMs: integer(ageMs, 'ageMs'),
    characters: integer(characters, 'characters'),
  };
}

const decodeStep: Decoder<FileStep> = (value) => {
  const key: LineageKey = keyOf(value);
  return { ...key, file: text(record(value)['file'], 'file'), ...decodeRun(value) };
};

function decodeRun(value: unknown): { readonly run: string } {
  return { run: text(record(value)['run'], 'run') };
}
