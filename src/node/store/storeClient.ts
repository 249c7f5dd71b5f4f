import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { Deferred, HostError, type Logger, messageOf } from '../../core/index.ts';
import {
  decodeFromStore,
  type StoreAnswer,
  type StoreFailure,
  type StoreFailureKind,
  type StoreOperation,
  type StoreParams,
  type StoreRequest,
  type StoreResult,
  type ToStore,
} from './contract.ts';
import type { Decoder } from './records.ts';

export interface StoreClientOptions {
  readonly file: string;
  /** The script of the thread: `dist/storeWorker.js` in the product. */
  readonly workerPath: string | URL;
  readonly log: Logger;
  /** Called with news for the user: records were lost, or a file was set aside. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

/** Stops restarting a thread that keeps crashing. */
const MAX_CRASHES = 5;
/** Longer than any wait for another window's lock. */
const STUCK_MS = 60_000;
/** How long closing waits for the next answer before it terminates the thread. */
const CLOSE_MS = 5_000;
/** Answers delivered per turn of the event loop. In a flood the thread answers 1,024 at once, which took 5 ms. */
const MAX_A_TURN = 256;

const SUGGESTIONS: Readonly<Record<StoreFailureKind, string>> = {
  newer: 'Update MCP Live, or open this workspace with the newer version.',
  full: 'Free some disk space and try again.',
  readOnly: 'Make the file and its folder writable and try again.',
  noAccess: 'Check that the folder exists and that you may write to it.',
  busy: 'Another window holds the database: close it, or try again.',
  damaged: 'Move the file away and try again; servers then ask again before they start.',
  unavailable: 'Use an editor of version 1.106 or later, or Node 22.16 or later.',
  file: 'Choose another file, or have it exported again.',
  tooMany: 'Forget the state of a feature set that is no longer needed.',
  other: 'Look into the log of MCP Live, and try again.',
};

interface Pending {
  readonly settle: (answer: StoreAnswer) => void;
  readonly fail: (error: HostError) => void;
}

/** The client of the store's thread. Starts the thread on first use, and restarts it after a crash. */
export class StoreClient {
  readonly #options: StoreClientOptions;
  readonly #pending = new Map<number, Pending>();
  #outbox: StoreRequest[] = [];
  /** Answers to deliver in order, and the number delivered so far. */
  #answers: StoreAnswer[] = [];
  #passedOn = 0;
  #worker: Worker | undefined;
  #lastId = 0;
  #crashes = 0;
  #closing: Promise<void> | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #closeTimer: NodeJS.Timeout | undefined;
  /** Number of received messages. */
  #messages = 0;

  constructor(options: StoreClientOptions) {
    this.#options = options;
  }

  /** True if there is no file and no pending request. Readers then need not create one. */
  get isUnused(): boolean {
    return this.#worker === undefined && this.#outbox.length === 0 && !existsSync(this.#options.file);
  }

  request<O extends StoreOperation, T = StoreResult<O>>(
    operation: O,
    params: StoreParams<O>,
    decode: Decoder<T>,
  ): Promise<T> {
    if (this.#closing !== undefined) return Promise.reject(this.#failed('It is closed.', SUGGESTIONS.other));
    const deferred = new Deferred<T>();
    const id = ++this.#lastId;
    this.#pending.set(id, {
      fail: (error) => deferred.reject(error),
      settle: (answer) => {
        if (!answer.ok) deferred.reject(this.#failure(answer.failure));
        else
          try {
            deferred.resolve(decode(answer.result));
          } catch (error) {
            deferred.reject(this.#failed(messageOf(error), SUGGESTIONS.other));
          }
      },
    });
    // Requests of one turn share a message.
    if (this.#outbox.push({ id, operation, params }) === 1) queueMicrotask(() => this.#flush());
    return deferred.promise;
  }

  /** Finishes pending requests, then ends the thread. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#flush();
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.ref();
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    this.#post(worker, { kind: 'close' });
    this.#closeTimer = setTimeout(() => this.#endIfSilent(worker), CLOSE_MS);
    await ended;
    clearTimeout(this.#closeTimer);
  }

  /** After a long turn of the event loop its timers come first: answers may have arrived, but not been read. */
  #endIfSilent(worker: Worker): void {
    const before = this.#messages;
    setImmediate(() => {
      if (this.#messages === before) void worker.terminate();
    });
  }

  #flush(): void {
    const requests = this.#outbox;
    this.#outbox = [];
    if (requests.length === 0) return;
    try {
      const worker = (this.#worker ??= this.#start());
      worker.ref();
      this.#post(worker, { kind: 'requests', requests });
      this.#watch();
    } catch (error) {
      const failure = this.#failed(messageOf(error), SUGGESTIONS.other);
      for (const { id } of requests) this.#take(id)?.fail(failure);
    }
  }

  #start(): Worker {
    if (this.#crashes >= MAX_CRASHES) throw new Error(`Its thread ended unexpectedly ${this.#crashes} times.`);
    const worker = new Worker(this.#options.workerPath, {
      workerData: { file: this.#options.file },
      name: 'mcpl store',
    });
    let reason = 'Its thread ended unexpectedly.';
    worker.on('message', (message: unknown) => this.#receive(message));
    worker.on('error', (error: unknown) => (reason = messageOf(error)));
    worker.on('exit', () => this.#ended(worker, reason));
    return worker;
  }

  #post(worker: Worker, message: ToStore): void {
    worker.postMessage(message);
  }

  #receive(value: unknown): void {
    const message = decodeFromStore(value);
    if (message === undefined) return;
    if (message.kind === 'notice') {
      this.#options.log.log('warn', message.text);
      this.#options.onNotice?.(message.text);
      return;
    }
    this.#crashes = 0;
    this.#messages++;
    this.#closeTimer?.refresh();
    const isUnderWay = this.#answers.length > 0;
    this.#answers = isUnderWay ? this.#answers.concat(message.answers) : [...message.answers];
    if (!isUnderWay) this.#passOn();
  }

  #passOn(): void {
    this.#settle(MAX_A_TURN);
    if (this.#answers.length > 0) setImmediate(() => this.#passOn());
    this.#watch();
    // An idle store does not keep the process alive, because all acknowledged data is on disk.
    if (this.#pending.size === 0 && this.#closing === undefined) this.#worker?.unref();
  }

  #settle(most: number): void {
    const end = Math.min(this.#answers.length, this.#passedOn + most);
    while (this.#passedOn < end) {
      const answer = this.#answers[this.#passedOn++];
      if (answer !== undefined) this.#take(answer.id)?.settle(answer);
    }
    if (end < this.#answers.length) return;
    this.#answers = [];
    this.#passedOn = 0;
  }

  #ended(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#settle(Infinity);
    this.#worker = undefined;
    clearTimeout(this.#watchdog);
    if (this.#closing === undefined) {
      this.#crashes++;
      this.#options.log.log('error', `The thread of the store ended: ${reason}`);
    }
    const failure = this.#failed(reason, SUGGESTIONS.other);
    const unsent = new Set(this.#outbox.map((request) => request.id));
    for (const id of [...this.#pending.keys()]) if (!unsent.has(id)) this.#take(id)?.fail(failure);
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #watch(): void {
    clearTimeout(this.#watchdog);
    if (this.#pending.size === 0) return;
    this.#watchdog = setTimeout(() => {
      if (this.#worker !== undefined) this.#endIfSilent(this.#worker);
    }, STUCK_MS);
    this.#watchdog.unref();
  }

  #failure(failure: StoreFailure): HostError {
    const { kind, message } = failure;
    // The message names the cause, which is not the database.
    if (kind === 'file' || kind === 'tooMany')
      return new HostError('STORAGE_FAILED', message, {
        layer: 'host',
        suggestion: SUGGESTIONS[kind],
        category: kind,
      });
    return this.#failed(message, SUGGESTIONS[kind], kind);
  }

  #failed(reason: string, suggestion: string, category?: StoreFailureKind): HostError {
    const message = `The database ${this.#options.file} cannot be used: ${reason}`;
    return new HostError('STORAGE_FAILED', message, { layer: 'host', suggestion, category });
  }
}
