import type { DatabaseSync } from 'node:sqlite';
import type { StateImport } from '../../../core/index.ts';
import type { LineageKey } from '../../../core/model/lineage.ts';
import { StoreError } from '../sqlite.ts';
import { Joining } from '../states/joining.ts';
import type { LineageIndex } from '../states/lineageIndex.ts';
import { Pace } from '../states/pace.ts';
import { Overtaken, Stagings } from '../states/stagings.ts';
import { FileReading } from './fileReading.ts';

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

/** Something long that goes on from one request to the next. */
interface FileRun<R> {
  /** Nothing: it is not done yet. */
  step(): R | undefined;
  /** To be called where it is not brought to its end. */
  leave(): void;
}

/** What is going on, by the name that whoever asks for it gave it. */
export class FileRuns<R> {
  readonly #byName = new Map<string, FileRun<R>>();

  /** Does a step of one that goes on, or the first of a new one. */
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

  /** The store is closed. */
  close(): void {
    for (const name of [...this.#byName.keys()])
      try {
        this.leave(name);
      } catch {
        // What it left behind is found and cleared away later.
      }
  }
}
