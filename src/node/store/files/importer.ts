import type { DatabaseSync } from 'node:sqlite';
import type { StateImport } from '../../../core/index.ts';
import type { LineageKey } from '../../../core/model/lineage.ts';
import { StoreError } from '../sqlite.ts';
import { Joining } from '../states/joining.ts';
import type { LineageIndex } from '../states/lineageIndex.ts';
import { TimeSlice } from '../states/timeSlice.ts';
import { Overtaken, Stagings } from '../states/stagings.ts';
import { FileReading } from './fileReading.ts';

/** Maximum attempts, because others may change the lineage during the import. */
const MAX_ATTEMPTS = 4;

/** Imports files into lineages. */
export class Importer {
  readonly #begin: (key: LineageKey, file: string) => FileReading;

  constructor(database: DatabaseSync, index: LineageIndex) {
    const stagings = new Stagings(database);
    const surroundings = { database, index, stagings, joining: new Joining(database, index, stagings) };
    this.#begin = (key, file) => new FileReading(surroundings, key, file);
  }

  begin(key: LineageKey, file: string): ImportRun {
    return new ImportRun(file, () => this.#begin(key, file));
  }
}

/** One import, in steps with one transaction each. The result becomes visible as a whole at the end. */
class ImportRun {
  readonly #file: string;
  readonly #begin: () => FileReading;
  #reading: FileReading | undefined;
  #attempts = 0;

  constructor(file: string, begin: () => FileReading) {
    this.#file = file;
    this.#begin = begin;
  }

  /** Returns undefined while it is not finished. The caller holds a transaction; after a failure, only call `leave`. */
  step(): StateImport | undefined {
    try {
      return (this.#reading ??= this.#begin()).step(new TimeSlice());
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      if (++this.#attempts >= MAX_ATTEMPTS)
        throw new StoreError('busy', `The file ${this.#file} was not taken: its lineage changed again and again.`);
      // Starts over with the current rows.
      this.leave();
      return undefined;
    }
  }

  /** Closes the file, and deletes imported rows in the caller's transaction. */
  leave(): void {
    this.#reading?.leave();
    this.#reading = undefined;
  }
}

/** A long operation, split across requests. */
interface FileRun<R> {
  /** Returns undefined while it is not finished. */
  step(): R | undefined;
  /** Call this if the run is abandoned. */
  leave(): void;
}

/** Active runs, by the caller's name for them. */
export class FileRuns<R> {
  readonly #byName = new Map<string, FileRun<R>>();

  /** Runs the next step, or the first step of a new run. */
  step(name: string, begin: () => FileRun<R>): R | null {
    const run = this.#byName.get(name) ?? begin();
    this.#byName.set(name, run);
    const result = run.step();
    if (result === undefined) return null;
    this.#byName.delete(name);
    return result;
  }

  leave(name: string): void {
    const run = this.#byName.get(name);
    this.#byName.delete(name);
    run?.leave();
  }

  /** Abandons all runs because the store is closed. */
  close(): void {
    for (const name of [...this.#byName.keys()])
      try {
        this.leave(name);
      } catch {
        // The leftovers are cleaned up later.
      }
  }
}
