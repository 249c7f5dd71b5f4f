import type { DatabaseSync } from 'node:sqlite';
import type { LineageKey } from '../../../core/model/lineage.ts';
import type { StateImport } from '../../../core/index.ts';
import { StoreError } from '../sqlite.ts';
import { FileReading } from './fileReading.ts';
import { Joining } from '../states/joining.ts';
import type { LineageIndex } from '../states/lineageIndex.ts';
import { Pace } from '../states/pace.ts';
import { Overtaken, Stagings } from '../states/stagings.ts';

/** Others may change a lineage while a file is read for it; not for ever. */
const MOST_ATTEMPTS = 4;

/** Takes what files hold into lineages. */
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

/** One import, in steps, each in a transaction of its own. Nobody sees any of it before all of it is there. */
export class ImportRun {
  readonly #file: string;
  readonly #begin: () => FileReading;
  #reading: FileReading | undefined;
  #attempts = 0;

  constructor(file: string, begin: () => FileReading) {
    this.#file = file;
    this.#begin = begin;
  }

  /** Nothing: it goes on. Whoever calls holds a transaction; after a failure there is nothing but `leave`. */
  step(): StateImport | undefined {
    try {
      return (this.#reading ??= this.#begin()).step(new Pace());
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      if (++this.#attempts >= MOST_ATTEMPTS)
        throw new StoreError('busy', `The file ${this.#file} was not taken: its lineage changed again and again.`);
      // From the beginning, with what is there now.
      this.leave();
      return undefined;
    }
  }

  /** Lets go of the file and, in the transaction of whoever calls, of what was read of it. */
  leave(): void {
    this.#reading?.leave();
    this.#reading = undefined;
  }
}
