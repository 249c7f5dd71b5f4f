import type { DatabaseSync } from 'node:sqlite';
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { decodeToStore, type FromStore, record, type StoreRequest, text } from './contract.ts';
import type { StoreHandlers } from './batch.ts';
import {
  auditHandlers,
  closeQuietly,
  consentHandlers,
  describeFailure,
  eventHandlers,
  failAll,
  grantHandlers,
  openDatabase,
  openStates,
  runBatch,
  verdictHandlers,
} from './storeParts.ts';

/** Larger batches would delay their first requests. */
const MAX_BATCH = 1_024;

interface Opened {
  readonly database: DatabaseSync;
  readonly handlers: StoreHandlers;
  /** Called after a rollback. */
  readonly undone: () => void;
  readonly letGo: () => void;
}

/** The store's thread: runs waiting requests in one transaction, then answers them. */
class StoreThread {
  readonly #port: MessagePort;
  readonly #file: string;
  #opened: Opened | undefined;
  #isClosing = false;

  constructor(port: MessagePort, file: string) {
    this.#port = port;
    this.#file = file;
    port.on('message', (message: unknown) => this.#receive(message));
  }

  #receive(first: unknown): void {
    for (let message = first; message !== undefined && !this.#isClosing;) {
      const requests: StoreRequest[] = [];
      while (message !== undefined && !this.#isClosing) {
        this.#take(message, requests);
        if (requests.length >= MAX_BATCH) break;
        message = this.#next();
      }
      if (requests.length > 0) this.#send({ kind: 'answers', answers: this.#execute(requests) });
      message = this.#isClosing ? undefined : this.#next();
    }
    if (this.#isClosing) this.#end();
  }

  #next(): unknown {
    return receiveMessageOnPort(this.#port)?.message;
  }

  #take(message: unknown, requests: StoreRequest[]): void {
    const decoded = decodeToStore(message);
    if (decoded?.kind === 'requests') for (const request of decoded.requests) requests.push(request);
    else if (decoded?.kind === 'close') this.#isClosing = true;
  }

  #execute(requests: readonly StoreRequest[]): ReturnType<typeof failAll> {
    for (let attempt = 1; ; attempt++)
      try {
        const { database, handlers, undone } = (this.#opened ??= this.#open(attempt > 1));
        return runBatch(database, handlers, requests, undone);
      } catch (error) {
        const isDamaged = this.#opened !== undefined && describeFailure(error).kind === 'damaged';
        if (!isDamaged || attempt === 2) return failAll(requests, error);
        // Reopening checks the file and sets it aside if damaged.
        this.#close();
      }
  }

  #open(isSuspect: boolean): Opened {
    const { database, notices } = openDatabase(this.#file, isSuspect);
    for (const notice of notices) this.#send({ kind: 'notice', text: notice });
    const states = openStates(database);
    return {
      database,
      undone: () => states.forget(),
      letGo: () => states.close(),
      handlers: {
        ...consentHandlers(database),
        ...verdictHandlers(database),
        ...eventHandlers(database),
        ...grantHandlers(database),
        ...auditHandlers(database),
        ...states.handlers,
      },
    };
  }

  #close(): void {
    this.#opened?.letGo();
    if (this.#opened !== undefined) closeQuietly(this.#opened.database);
    this.#opened = undefined;
  }

  #end(): void {
    this.#close();
    this.#port.close();
  }

  #send(message: FromStore): void {
    this.#port.postMessage(message);
  }
}

if (parentPort === null) throw new Error('This file is the thread of the store and does nothing by itself.');
new StoreThread(parentPort, text(record(workerData)['file'], 'file'));
