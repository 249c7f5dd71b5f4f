import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Decoder, StoreAnswer, StoreOperation, StoreParams, StoreRequest, StoreResult } from './contract.ts';
import { describeFailure, StoreError } from './sqlite.ts';

/** Implements one operation in the store's thread. */
interface StoreHandler {
  readonly writes: boolean;
  readonly run: (params: unknown) => unknown;
}

export type StoreHandlers = { readonly [O in StoreOperation]: StoreHandler };

export function reads<O extends StoreOperation>(
  decode: Decoder<StoreParams<O>>,
  run: (params: StoreParams<O>) => StoreResult<O>,
): StoreHandler {
  return { writes: false, run: (params) => run(decode(params)) };
}

export function writes<O extends StoreOperation>(
  decode: Decoder<StoreParams<O>>,
  run: (params: StoreParams<O>) => void,
): StoreHandler {
  return {
    writes: true,
    run: (params) => {
      run(decode(params));
      return null;
    },
  };
}

/** A write that returns a result. */
export function changes<O extends StoreOperation>(
  decode: Decoder<StoreParams<O>>,
  run: (params: StoreParams<O>) => StoreResult<O>,
): StoreHandler {
  return { writes: true, run: (params) => run(decode(params)) };
}

type Handlers = Readonly<Record<string, StoreHandler>>;

/** Prepared once, because parsing them costs as much as a request. */
interface Savepoint {
  readonly begin: StatementSync;
  readonly release: StatementSync;
}

const savepoints = new WeakMap<DatabaseSync, Savepoint>();

/**
 * Runs all requests in one transaction, so that they share one sync to disk. A request fails alone; a failed
 * transaction fails all of them. Answers are sent after the commit. `undone` is called when successful requests are
 * rolled back.
 */
export function runBatch(
  database: DatabaseSync,
  handlers: Handlers,
  requests: readonly StoreRequest[],
  undone: () => void = () => undefined,
): readonly StoreAnswer[] {
  const isWrite = requests.some((request) => handlers[request.operation]?.writes === true);
  if (!isWrite) return requests.map((request) => answer(request, () => run(handlers, request)));
  const savepoint = savepointOf(database);
  database.exec('BEGIN IMMEDIATE');
  try {
    const answers = requests.map((request) => answer(request, () => runAlone(database, savepoint, handlers, request)));
    // SQLite rolls back on its own when the disk is full, which loses the earlier requests of the batch.
    if (!database.isTransaction) throw lostTransaction(answers);
    database.exec('COMMIT');
    return answers;
  } catch (error) {
    undone();
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

export function failAll(requests: readonly StoreRequest[], error: unknown): readonly StoreAnswer[] {
  const failure = describeFailure(error);
  return requests.map(({ id }) => ({ id, ok: false, failure }));
}

function answer(request: StoreRequest, work: () => unknown): StoreAnswer {
  try {
    return { id: request.id, ok: true, result: work() };
  } catch (error) {
    const failure = describeFailure(error);
    if (failure.kind === 'damaged') throw error;
    return { id: request.id, ok: false, failure };
  }
}

function savepointOf(database: DatabaseSync): Savepoint {
  const known = savepoints.get(database);
  if (known !== undefined) return known;
  const made = { begin: database.prepare('SAVEPOINT request'), release: database.prepare('RELEASE request') };
  savepoints.set(database, made);
  return made;
}

function runAlone(database: DatabaseSync, savepoint: Savepoint, handlers: Handlers, request: StoreRequest): unknown {
  if (!database.isTransaction) throw new StoreError('other', 'The transaction had ended.');
  savepoint.begin.run();
  try {
    const result = run(handlers, request);
    savepoint.release.run();
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK TO request; RELEASE request');
    throw error;
  }
}

function run(handlers: Handlers, request: StoreRequest): unknown {
  const handler = Object.hasOwn(handlers, request.operation) ? handlers[request.operation] : undefined;
  if (handler === undefined) throw new StoreError('other', `There is no operation ${request.operation}.`);
  return handler.run(request.params);
}

function lostTransaction(answers: readonly StoreAnswer[]): StoreError {
  const first = answers.find((each) => !each.ok);
  if (first === undefined || first.ok) return new StoreError('other', 'The transaction had ended.');
  return new StoreError(first.failure.kind, first.failure.message);
}
