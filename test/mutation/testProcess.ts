import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { FromWorker, ToWorker } from './protocol.ts';

/** For loading modules, and for a run of all tests. */
const START_MS = 600_000;

type Answer<K> = Extract<FromWorker, { readonly kind: K }>;

/** A process that has loaded test files of a copy and runs them on request. */
export class TestProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'exit');
  }

  /** `undefined` where a module does not load. */
  static async start(
    copy: string,
    files: readonly string[],
    { activeMutant, timeoutMs = START_MS }: { readonly activeMutant?: string; readonly timeoutMs?: number } = {},
  ): Promise<TestProcess | undefined> {
    const env = {
      ...process.env,
      MCPL_TEST_DOSE: 'tiny',
      NODE_COMPILE_CACHE: join(copy, '.compiled'),
      ...(activeMutant === undefined ? {} : { __STRYKER_ACTIVE_MUTANT__: activeMutant }),
    };
    const child = fork(join(copy, 'test/mutation/worker.ts'), [...files], { cwd: copy, env, stdio: 'ignore' });
    const started = new TestProcess(child);
    if ((await started.#next('loaded', timeoutMs)) !== undefined) return started;
    await started.end();
    return undefined;
  }

  /** `undefined` where the process ends, or does not answer in time. */
  async ask<K extends FromWorker['kind']>(
    message: ToWorker,
    answer: K,
    timeoutMs = START_MS,
  ): Promise<Answer<K> | undefined> {
    if (this.#child.connected) this.#child.send(message);
    return this.#next(answer, timeoutMs);
  }

  async end(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  async #next<K extends FromWorker['kind']>(kind: K, timeoutMs: number): Promise<Answer<K> | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const stuck = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), timeoutMs);
    });
    const listening = new AbortController();
    const said = once(this.#child, 'message', { signal: listening.signal }).then(
      ([message]) => message as FromWorker,
      () => undefined,
    );
    const message = await Promise.race([said, stuck, this.#ended.then(() => undefined)]);
    clearTimeout(timer);
    listening.abort();
    return message?.kind === kind ? (message as Answer<K>) : undefined;
  }
}
