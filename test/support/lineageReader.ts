import { randomUUID } from 'node:crypto';
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
import { integer, type LineageOperation, list, orNull, record } from '../../src/node/store/contract.ts';
import type { StoreHandlers } from '../../src/node/store/batch.ts';
import { detailOf, foundOf, pathOf, summaryOf, windowOf } from '../../src/node/store/states/stateAnswers.ts';
import { readHandlers } from '../../src/node/store/states/lineageHandlers.ts';
import { NOTES, type StateCase } from './stateCase.ts';

/** The store's lineage operations without its thread. */
export class LineageReader {
  readonly #handlers: Pick<StoreHandlers, LineageOperation>;
  readonly #database: DatabaseSync;

  constructor({ database, states }: StateCase) {
    this.#database = database;
    this.#handlers = readHandlers(database, states).handlers;
  }

  get lineages(): readonly LineageSummary[] {
    return list(summaryOf)(this.#handlers['state.lineages'].run(null));
  }

  window(query: Partial<LineageQuery> & { readonly filter?: LineageFilter } = {}): LineageWindow {
    const whole = { ...NOTES, filter: { text: '', only: 'all' }, from: 0, count: 100, ...query };
    return windowOf(structuredClone(this.#handlers['state.window'].run(whole)));
  }

  /** The names of rows, newest first. */
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

  exportTo(file: string, between: () => void = () => undefined): number {
    return integer(this.#inSteps('state.export', { ...NOTES, file }, between), 'count');
  }

  /** In steps, like the store's client. `between` runs before each step except the first. */
  importFrom(file: string, key = NOTES, between: () => void = () => undefined): StateImport {
    const { added, known } = record(this.#inSteps('state.import', { ...key, file }, between));
    return { added: integer(added, 'added'), known: integer(known, 'known') };
  }

  #inSteps(operation: 'state.export' | 'state.import', request: object, between: () => void): unknown {
    const run = randomUUID();
    try {
      for (;;) {
        const result = this.#step(operation, { ...request, run });
        if (result !== null) return result;
        between();
      }
    } catch (error) {
      while (this.#step('state.leave', { run }) === true);
      throw error;
    }
  }

  /** Runs in a transaction, like the store. */
  #step(operation: LineageOperation, params: unknown): unknown {
    const { writes, run } = this.#handlers[operation];
    if (!writes) return run(params);
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = run(params);
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}
