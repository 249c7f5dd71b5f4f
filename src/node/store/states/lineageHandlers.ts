import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StateImport, StateLimits } from '../../../core/index.ts';
import {
  LINEAGE_FILTERS,
  type LineageFilter,
  type LineageKey,
  type LineageQuery,
} from '../../../core/model/lineage.ts';
import type { FileStep, LineageOperation, TrimRequest } from '../contract.ts';
import { Exporter } from '../files/exporter.ts';
import { FileRuns, Importer } from '../files/importer.ts';
import { type Decoder, integer, nothing, oneOf, record, text } from '../records.ts';
import { changes, reads, type StoreHandlers, writes } from '../repository.ts';
import { inSameView } from '../sqlite.ts';
import { LineageIndex } from './lineageIndex.ts';
import { ChangeCount, Details, Paths, Summaries } from './lineageQueries.ts';
import type { Materialiser } from './materialiser.ts';
import { TimeSlice } from './timeSlice.ts';
import { Retention } from './retention.ts';
import { LineageWindows } from './rowWindows.ts';
import { Stagings } from './stagings.ts';
import { keyOf } from './stateAnswers.ts';

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

function decodeRowId(value: unknown): { readonly place: number } {
  return { place: integer(record(value)['place'], 'place') };
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
