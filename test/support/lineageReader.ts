import type { DatabaseSync } from 'node:sqlite';
import {
  type CheckpointDetail,
  checkpointName,
  type LineageFilter,
  type LineagePath,
  type LineageQuery,
  type LineageSummary,
  type LineageWindow,
} from '../../src/core/model/lineage.ts';
import type { StateImport } from '../../src/core/index.ts';
import type { LineageOperation } from '../../src/node/store/contract.ts';
import { integer, list, orNull, record } from '../../src/node/store/records.ts';
import type { StoreHandlers } from '../../src/node/store/repository.ts';
import { detailOf, foundOf, pathOf, summaryOf, windowOf } from '../../src/node/store/states/readAnswers.ts';
import { readHandlers } from '../../src/node/store/states/readHandlers.ts';
import { NOTES, type StateCase } from './stateCase.ts';

/** What looks at lineages, as the store's thread does it, without the thread. */
export class LineageReader {
  readonly #handlers: Pick<StoreHandlers, LineageOperation>;
  readonly #database: DatabaseSync;

  constructor({ database, states, recorder }: StateCase) {
    this.#database = database;
    this.#handlers = readHandlers(database, states, recorder);
  }

  get lineages(): readonly LineageSummary[] {
    return list(summaryOf)(this.#handlers['state.lineages'].run(null));
  }

  window(query: Partial<LineageQuery> & { readonly filter?: LineageFilter } = {}): LineageWindow {
    const whole = { ...NOTES, filter: { text: '', only: 'all' }, from: 0, count: 100, ...query };
    return windowOf(structuredClone(this.#handlers['state.window'].run(whole)));
  }

  /** The names of rows, the newest first. */
  names(filter: Partial<LineageFilter> = {}): string {
    const { rows } = this.window({ filter: { text: '', only: 'all', ...filter } });
    return rows.map(({ node }) => checkpointName(node)).join(' ');
  }

  detail(place: number): CheckpointDetail | undefined {
    return orNull(detailOf)(this.#handlers['state.checkpoint'].run({ place })) ?? undefined;
  }

  found(server: string, checkpoint: string): readonly string[] {
    return list(foundOf)(this.#handlers['state.find'].run({ server, checkpoint })).map(
      (each) => `${each.place} ${checkpointName(each)} of ${each.featureSet}`,
    );
  }

  path(target: number): LineagePath | undefined {
    return orNull(pathOf)(this.#handlers['state.path'].run({ target })) ?? undefined;
  }

  get version(): number {
    return integer(this.#handlers['state.version'].run(null), 'version');
  }

  forget(): void {
    this.#handlers['state.forget'].run(NOTES);
  }

  exportTo(file: string): number {
    return integer(this.#handlers['state.export'].run({ ...NOTES, file }), 'count');
  }

  /** All of it or nothing, as in the store's transaction. */
  importFrom(file: string, key = NOTES): StateImport {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const { added, known } = record(this.#handlers['state.import'].run({ ...key, file }));
      this.#database.exec('COMMIT');
      return { added: integer(added, 'added'), known: integer(known, 'known') };
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}
