// Runs the unit tests of an instrumented copy of the project: first all of them to see which test reaches which mutant, then
// some of those that reach one mutant, as often as it is asked. Its working directory is the copy.
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import type * as MochaModule from 'mocha';
import type { Coverage, FromWorker, KnownTest, MutantTask, MutationState, ToWorker } from './protocol.ts';

const Mocha = createRequire(import.meta.url)('mocha') as typeof MochaModule & (new (options: object) => MochaModule);
const files = process.argv.slice(2);
const state: MutationState = (globalThis.__stryker__ ??= {});

const say = (message: FromWorker): void => void process.send?.(message);

/** Instrumented code is several times slower, and the machine may be busy. */
const TIMEOUT_MS = 45_000;
const IDLE_CHECK_MS = 25;
/** Of checks in a row that find nothing to wait for. */
const IDLE_CHECKS = 4;

// Two runs of the same tests must agree.
fc.configureGlobal({ seed: 1 });

const mocha = new Mocha({ ui: 'tdd', timeout: TIMEOUT_MS, reporter: class {} as unknown as string });
mocha.cleanReferencesAfterRun(false);
for (const file of files) mocha.addFile(join(process.cwd(), file));
await mocha.loadFilesAsync();

const names = new Map<MochaModule.Test, string>();
const original = new Map<MochaModule.Suite, readonly MochaModule.Test[]>();

const fileOf = (test: MochaModule.Test): string => relative(process.cwd(), test.file ?? '');

const visit = (suite: MochaModule.Suite): void => {
  original.set(suite, [...suite.tests]);
  for (const test of suite.tests) names.set(test, `${fileOf(test)}: ${test.fullTitle()}`);
  for (const inner of suite.suites) visit(inner);
};
visit(mocha.suite);

/** Everything that may still happen in this process, apart from a message of its parent. */
const pendingWork = (): readonly string[] => process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap');

/** Of earlier tests. */
let timersLeft = 0;

mocha.suite.beforeEach(function () {
  timersLeft = pendingWork().filter((kind) => kind === 'Timeout').length;
  const { currentTest } = this as unknown as { readonly currentTest?: MochaModule.Test };
  state.currentTestId = currentTest === undefined ? undefined : names.get(currentTest);
  if (state.hitCount !== undefined) state.hitCount = 0;
});

type Waiting = MochaModule.Runnable & { readonly callback?: (error: Error) => void };

/**
 * Fails a test that can never end: it waits, while this process waits for nothing but a message of its parent. Without
 * this check, a mutant that keeps a promise from settling costs a whole timeout.
 */
const failWhereIdle = (runner: MochaModule.Runner): Disposable => {
  let waiting: Waiting | undefined;
  let checks = 0;
  const check = (): void => {
    const { currentRunnable } = runner as unknown as { readonly currentRunnable?: Waiting };
    const pending = pendingWork();
    // One timer is the timeout of the test.
    const isIdle = pending.length <= timersLeft + 1 && pending.every((kind) => kind === 'Timeout');
    checks = isIdle && currentRunnable === waiting ? checks + 1 : 0;
    waiting = currentRunnable;
    if (checks < IDLE_CHECKS) return;
    checks = 0;
    waiting?.callback?.(new Error('It waits, and nothing is left that could happen.'));
  };
  const timer = setInterval(check, IDLE_CHECK_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
};

interface Ran {
  readonly durations: ReadonlyMap<string, number>;
  /** The names of tests, with their errors. */
  readonly failed: Readonly<Record<string, string>>;
}

const runTests = async (isWanted: (name: string) => boolean, bail: boolean, timeoutMs: number): Promise<Ran> => {
  for (const [suite, tests] of original) {
    suite.tests = tests.filter((test) => isWanted(names.get(test) ?? ''));
    for (const test of suite.tests) test.timeout(timeoutMs);
  }
  mocha.bail(bail);
  mocha.suite.bail(bail);
  const failed: Record<string, string> = {};
  const durations = new Map<string, number>();
  await new Promise<void>((resolve) => {
    const runner = mocha.run(() => {
      watch[Symbol.dispose]();
      resolve();
    });
    const watch = failWhereIdle(runner);
    let startedAt = 0;
    runner.on('test', () => (startedAt = performance.now()));
    runner.on('test end', (test) => durations.set(names.get(test) ?? '', performance.now() - startedAt));
    runner.on('fail', (test, error) => {
      const [line = ''] = String(error).split('\n');
      // A hook fails for its test.
      const name = names.get(test as MochaModule.Test) ?? names.get(test.ctx?.currentTest as MochaModule.Test);
      failed[name ?? test.fullTitle()] = line;
    });
  });
  state.currentTestId = undefined;
  return { durations, failed };
};

const cover = async (): Promise<Coverage> => {
  const { durations, failed: failing } = await runTests(() => true, false, TIMEOUT_MS);
  const { static: atLoad = {}, perTest = {} } = state.mutantCoverage ?? {};
  const all: KnownTest[] = [];
  const tests: Record<string, number[]> = {};
  const hits: Record<string, number> = {};
  for (const [test, name] of names) {
    for (const [id, count] of Object.entries(perTest[name] ?? {})) {
      (tests[id] ??= []).push(all.length);
      hits[id] = Math.max(hits[id] ?? 0, count);
    }
    all.push({ name, file: fileOf(test), durationMs: durations.get(name) ?? 0 });
  }
  return { all, tests, hits, atLoad: Object.keys(atLoad), failing };
};

// A mutant may leave a promise rejected that its test does not wait for: that is a failure like any other.
let stray: string | undefined;
process.on('unhandledRejection', (error) => (stray ??= `unhandled rejection: ${String(error)}`));
process.on('uncaughtException', (error) => (stray ??= `uncaught exception: ${String(error)}`));

const attempt = async ({ id, tests, hitLimit, timeoutMs }: MutantTask): Promise<string | undefined> => {
  const wanted = tests === undefined ? undefined : new Set(tests);
  stray = undefined;
  state.activeMutant = id;
  state.hitCount = 0;
  state.hitLimit = hitLimit;
  try {
    const { failed } = await runTests((name) => wanted?.has(name) !== false, true, timeoutMs);
    return Object.keys(failed)[0] ?? stray;
  } finally {
    state.activeMutant = undefined;
  }
};

process.on('message', (message: ToWorker) => {
  if (message.kind === 'cover') void cover().then((coverage) => say({ kind: 'covered', coverage }));
  else void attempt(message.task).then((killedBy) => say({ kind: 'tried', killedBy }));
});
process.on('disconnect', () => process.exit(0));
say({ kind: 'loaded' });
