import type { DatabaseSync } from 'node:sqlite';
import { HostError, messageOf } from '../core/index.ts';
import type { StateRequester } from './stateStore.ts';
import { runBatch } from './store/batch.ts';
import type { StoreOperation, StoreParams } from './store/contract.ts';
import { migrate } from './store/migrations.ts';
import type { Decoder } from './store/records.ts';
import { loadSqlite } from './store/sqlite.ts';
import { openStates, type States } from './store/states/stateHandlers.ts';

interface Opened {
  readonly database: DatabaseSync;
  readonly states: States;
}

/** States that last as long as the process: the same store, in no file and on no thread of its own. */
export class MemoryStates implements StateRequester {
  #opened: Opened | undefined;

  get isUnused(): boolean {
    return this.#opened === undefined;
  }

  request<O extends StoreOperation, T>(operation: O, params: StoreParams<O>, decode: Decoder<T>): Promise<T> {
    try {
      const { database, states } = (this.#opened ??= open());
      const [answer] = runBatch(database, states.handlers, [{ id: 1, operation, params }], () => states.forget());
      if (answer?.ok !== true) throw new Error(answer?.failure.message);
      return Promise.resolve(decode(answer.result));
    } catch (error) {
      return Promise.reject(failed(messageOf(error)));
    }
  }
}

function open(): Opened {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(':memory:');
  migrate(database);
  return { database, states: openStates(database) };
}

function failed(reason: string): HostError {
  const suggestion = 'Look into the log of MCP Live, and try again.';
  return new HostError('STORAGE_FAILED', `What is kept in memory cannot be used: ${reason}`, {
    layer: 'host',
    suggestion,
  });
}
