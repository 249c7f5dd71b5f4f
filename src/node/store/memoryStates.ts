import type { DatabaseSync } from 'node:sqlite';
import { HostError, messageOf } from '../../core/index.ts';
import type { StateRequester } from './stateStore.ts';
import type { runBatch } from './batch.ts';
import type { StoreOperation, StoreParams } from './contract.ts';
import type { Decoder } from './records.ts';
import type { States } from './storeParts.ts';

interface Opened {
  readonly database: DatabaseSync;
  readonly states: States;
  readonly run: typeof runBatch;
}

/** States that last as long as the process: the same store, in no file and on no thread of its own. */
export class MemoryStates implements StateRequester {
  #opened: Promise<Opened> | undefined;

  get isUnused(): boolean {
    return this.#opened === undefined;
  }

  async request<O extends StoreOperation, T>(operation: O, params: StoreParams<O>, decode: Decoder<T>): Promise<T> {
    try {
      this.#opened ??= open();
      const { database, states, run } = await this.#opened;
      const [answer] = run(database, states.handlers, [{ id: 1, operation, params }], () => states.forget());
      if (answer?.ok !== true) throw new Error(answer?.failure.message);
      return decode(answer.result);
    } catch (error) {
      throw failed(messageOf(error));
    }
  }
}

/** Loaded with the first state: most programs that keep nothing never have one. */
async function open(): Promise<Opened> {
  const { loadSqlite, migrate, openStates, runBatch: run } = await import('./storeParts.ts');
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(':memory:');
  migrate(database);
  return { database, states: openStates(database), run };
}

function failed(reason: string): HostError {
  const suggestion = 'Look into the log of MCP Live, and try again.';
  return new HostError('STORAGE_FAILED', `The states in memory cannot be used: ${reason}`, {
    layer: 'host',
    suggestion,
  });
}
