import { Worker } from 'node:worker_threads';
import {
  type CancellationToken,
  Deferred,
  type Disposable,
  isJsonArray,
  isJsonObject,
  isObject,
  type Json,
  type JsonObject,
  type SchemaChecker,
  type SchemaVerdict,
} from '../../core/index.ts';

export interface SchemaCheckerOptions {
  /** The worker's script: `dist/schemaWorker.js` in the product. */
  readonly workerPath: string | URL;
  /** Time limit for one check. The thread is then terminated. */
  readonly timeLimitMs?: number | undefined;
}

export interface ThreadedSchemaChecker extends SchemaChecker {
  /** Terminates the thread. Open checks end as undecided. */
  close(): Promise<void>;
}

/** Validates in a worker thread. The thread starts on first use, and is terminated by a schema that takes too long. */
export function createSchemaChecker(options: SchemaCheckerOptions): ThreadedSchemaChecker {
  return new SchemaThread(options);
}

const SCHEMA_LIMITS: SizeLimits = { nodes: 50_000, characters: 1_000_000 };
/** Messages are copied on this thread, so their size is limited. */
const VALUE_LIMITS: SizeLimits = { nodes: 200_000, characters: 8_000_000 };
const TIME_LIMIT_MS = 1_000;
const START_LIMIT_MS = 10_000;
const IDLE_MS = 60_000;
const MAX_WAITING = 100;
/** Stops retrying a thread that cannot start. */
const MAX_FAILED_STARTS = 3;
const MEMORY_MB = 256;
/** Maximum compiled schemas in the thread. */
const MAX_COMPILED = 500;

interface Check {
  readonly id: number;
  readonly schema: JsonObject;
  readonly value: Json;
  readonly verdict: Deferred<SchemaVerdict>;
}

class SchemaThread implements ThreadedSchemaChecker {
  readonly #options: SchemaCheckerOptions;
  readonly #waiting: Check[] = [];
  /** Schemas that exceeded a limit once are not checked again. */
  readonly #hostile = new WeakSet<JsonObject>();
  #current: Check | undefined;
  #worker: Worker | undefined;
  #isReady = false;
  #timer: NodeJS.Timeout | undefined;
  #lastId = 0;
  /** Each schema is sent once, and then referenced by key. */
  readonly #keys = new WeakMap<JsonObject, number>();
  readonly #handedOver = new Set<number>();
  #lastKey = 0;
  /** Schemas known to be within the limits. */
  readonly #measured = new WeakSet<JsonObject>();
  #failedStarts = 0;
  #isClosed = false;

  constructor(options: SchemaCheckerOptions) {
    this.#options = options;
  }

  async check(schema: JsonObject, value: Json, token: CancellationToken): Promise<SchemaVerdict> {
    if (token.isCancellationRequested) return undecided(CANCELLED);
    const obstacle = this.#obstacle(schema, value);
    if (obstacle !== undefined) return obstacle;
    const check: Check = { id: ++this.#lastId, schema, value, verdict: new Deferred() };
    const subscription: Disposable = token.onCancellationRequested(() => this.#giveUp(check));
    this.#waiting.push(check);
    this.#next();
    try {
      return await check.verdict.promise;
    } finally {
      subscription.dispose();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const check of this.#waiting.splice(0)) check.verdict.resolve(undecided(CLOSED));
    await this.#end(undecided(CLOSED));
  }

  #obstacle(schema: JsonObject, value: Json): SchemaVerdict | undefined {
    if (this.#isClosed) return undecided(CLOSED);
    if (this.#failedStarts >= MAX_FAILED_STARTS) return undecided('The thread that checks schemas does not start.');
    if (this.#hostile.has(schema)) return unusable('Checking by this schema was given up before.');
    if (this.#waiting.length >= MAX_WAITING) return undecided('Too many values wait for their check.');
    if (!this.#isSmall(schema)) return unusable('The schema is too large to be checked.');
    return isWithin(value, VALUE_LIMITS) ? undefined : undecided('The value is too large to be checked.');
  }

  #isSmall(schema: JsonObject): boolean {
    if (this.#measured.has(schema)) return true;
    if (!isWithin(schema, SCHEMA_LIMITS)) return false;
    this.#measured.add(schema);
    return true;
  }

  #giveUp(check: Check): void {
    const index = this.#waiting.indexOf(check);
    if (index >= 0) this.#waiting.splice(index, 1);
    check.verdict.resolve(undecided(CANCELLED));
  }

  #next(): void {
    if (this.#current !== undefined) return;
    const check = this.#waiting.shift();
    if (check === undefined) {
      this.#rest();
      return;
    }
    this.#current = check;
    try {
      const worker = (this.#worker ??= this.#start());
      worker.ref();
      worker.postMessage(this.#question(check));
      this.#limit(this.#isReady ? this.#timeLimit : START_LIMIT_MS);
    } catch {
      this.#settle(undecided('The value cannot be handed to the thread that checks it.'));
    }
  }

  #question({ id, schema, value }: Check): Readonly<Record<string, unknown>> {
    const known = this.#keys.get(schema);
    const key = known ?? ++this.#lastKey;
    if (known === undefined) this.#keys.set(schema, key);
    if (this.#handedOver.has(key)) return { id, key, value };
    const forget = this.#handedOver.size >= MAX_COMPILED;
    if (forget) this.#handedOver.clear();
    this.#handedOver.add(key);
    return { id, key, schema, value, forget };
  }

  get #timeLimit(): number {
    return this.#options.timeLimitMs ?? TIME_LIMIT_MS;
  }

  #start(): Worker {
    const worker = new Worker(this.#options.workerPath, {
      name: 'mcpl schemas',
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    this.#isReady = false;
    this.#handedOver.clear();
    worker.on('message', (message: unknown) => this.#receive(worker, message));
    // The following exit event handles the failure.
    worker.on('error', () => undefined);
    worker.on('exit', () => this.#ended(worker));
    return worker;
  }

  #receive(worker: Worker, message: unknown): void {
    if (worker !== this.#worker) return;
    if (message === 'ready') {
      this.#isReady = true;
      this.#failedStarts = 0;
      if (this.#current !== undefined) this.#limit(this.#timeLimit);
    } else if (isObject(message) && message['id'] === this.#current?.id && isVerdict(message['verdict']))
      this.#settle(message['verdict']);
  }

  /** Restarts the timer for the current phase: start, check, idle. */
  #limit(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#tookTooLong(), ms);
  }

  async #tookTooLong(): Promise<void> {
    const hadBegun = this.#isReady;
    if (!hadBegun) this.#failedStarts++;
    else if (this.#current !== undefined) this.#hostile.add(this.#current.schema);
    const tookLonger = `The check took longer than ${this.#timeLimit / 1000} s.`;
    await this.#end(hadBegun ? unusable(tookLonger) : undecided('The check did not begin.'));
  }

  /** Resolves once the thread has ended. A pattern that never ends is interrupted by force. */
  async #end(verdict: SchemaVerdict): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    clearTimeout(this.#timer);
    const ended = worker?.terminate();
    if (this.#current !== undefined) this.#settle(verdict);
    await ended;
  }

  #ended(worker: Worker): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    clearTimeout(this.#timer);
    if (!this.#isReady) this.#failedStarts++;
    else if (this.#current !== undefined) this.#hostile.add(this.#current.schema);
    if (this.#current !== undefined) this.#settle(this.#isReady ? unusable(ENDED) : undecided(ENDED));
  }

  #settle(verdict: SchemaVerdict): void {
    clearTimeout(this.#timer);
    this.#current?.verdict.resolve(verdict);
    this.#current = undefined;
    this.#next();
  }

  /** An idle thread does not keep the process alive, and is terminated after a while. */
  #rest(): void {
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.unref();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#end(undecided(CLOSED)), IDLE_MS);
    this.#timer.unref();
  }
}

const CANCELLED = 'The check was cancelled.';
const ENDED = 'The thread that checks schemas ended unexpectedly.';
const CLOSED = 'Nothing is checked any more.';

function undecided(why: string): SchemaVerdict {
  return { kind: 'undecided', why };
}

function unusable(why: string): SchemaVerdict {
  return { kind: 'undecided', why, isSchemaFault: true };
}

function isVerdict(value: unknown): value is SchemaVerdict {
  if (!isObject(value)) return false;
  const { kind, problems, why } = value;
  return (
    kind === 'ok' ||
    (kind === 'mismatch' && Array.isArray(problems)) ||
    (kind === 'undecided' && typeof why === 'string')
  );
}

interface SizeLimits {
  /** Number of values, including containers. */
  readonly nodes: number;
  /** Total characters of texts and names. */
  readonly characters: number;
}

/** Whether a value is within the limits. Does not serialize it, and stops at the limit. */
function isWithin(value: Json, { nodes, characters }: SizeLimits): boolean {
  const open: Json[] = [value];
  let seen = 0;
  let length = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') length += next.length;
    else if (isJsonArray(next)) {
      if (next.length + open.length > nodes) return false;
      for (const item of next) open.push(item);
    } else if (isJsonObject(next))
      for (const [name, member] of Object.entries(next)) {
        length += name.length;
        if (member !== undefined) open.push(member);
      }
    if (++seen > nodes || length > characters) return false;
  }
  return true;
}
