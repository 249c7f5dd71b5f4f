// Runs the unit tests of an instrumented copy of the project: first all of them to see which test reaches which mutant, then
// those that reach one mutant, as often as it is asked. Its working directory is the copy.
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import type * as MochaModule from 'mocha';
import type { Coverage, FromWorker, MutantTask, MutationState, ToWorker } from './protocol.ts';

const Mocha = createRequire(import.meta.url)('mocha') as typeof MochaModule & (new (options: object) => MochaModule);
const files = process.argv.slice(2);
const state: MutationState = (globalThis.__stryker__ ??= {});

const say = (message: FromWorker): void => void process.send?.(message);

/** Instrumented code is several times slower, and the machine may be busy. An endless loop ends by its hits instead. */
const TIMEOUT_MS = 45_000;

const mocha = new Mocha({ ui: 'tdd', timeout: TIMEOUT_MS, reporter: class {} as unknown as string });
mocha.cleanReferencesAfterRun(false);
for (const file of files) mocha.addFile(join(process.cwd(), file));
await mocha.loadFilesAsync();

const ids = new Map<MochaModule.Test, string>();
const original = new Map<MochaModule.Suite, readonly MochaModule.Test[]>();

const idOf = (test: MochaModule.Test): string =>
  ids.get(test) ?? `${relative(process.cwd(), test.file ?? '')}: ${test.fullTitle()}`;

const visit = (suite: MochaModule.Suite): void => {
  original.set(suite, [...suite.tests]);
  for (const test of suite.tests) ids.set(test, idOf(test));
  for (const inner of suite.suites) visit(inner);
};
visit(mocha.suite);

mocha.suite.beforeEach(function () {
  const { currentTest } = this as unknown as { readonly currentTest?: MochaModule.Test };
  state.currentTestId = currentTest === undefined ? undefined : ids.get(currentTest);
});

/** Runs the tests that are wanted and returns the ids of those that fail, with their errors. */
const runTests = (isWanted: (id: string) => boolean, bail: boolean): Promise<Readonly<Record<string, string>>> =>
  new Promise((resolve) => {
    for (const [suite, tests] of original) suite.tests = tests.filter((test) => isWanted(idOf(test)));
    mocha.bail(bail);
    mocha.suite.bail(bail);
    const failed: Record<string, string> = {};
    const runner = mocha.run(() => {
      state.currentTestId = undefined;
      resolve(failed);
    });
    runner.on('fail', (test, error) => {
      const [line = ''] = String(error).split('\n');
      failed[ids.get(test as MochaModule.Test) ?? test.fullTitle()] = line;
    });
  });

const cover = async (): Promise<Coverage> => {
  const failing = await runTests(() => true, false);
  const { static: atLoad = {}, perTest = {} } = state.mutantCoverage ?? {};
  const tests: Record<string, string[]> = {};
  const hits: Record<string, number> = {};
  for (const [test, reached] of Object.entries(perTest))
    for (const [id, count] of Object.entries(reached)) {
      (tests[id] ??= []).push(test);
      hits[id] = (hits[id] ?? 0) + count;
    }
  return { tests, hits, atLoad: Object.keys(atLoad), failing };
};

const attempt = async ({ id, tests, hitLimit }: MutantTask): Promise<string | undefined> => {
  const wanted = new Set(tests);
  state.activeMutant = id;
  state.hitCount = 0;
  state.hitLimit = hitLimit;
  try {
    const [killedBy] = Object.keys(await runTests((test) => wanted.has(test), true));
    return killedBy;
  } finally {
    state.activeMutant = undefined;
    state.hitCount = undefined;
  }
};

// A mutant may leave a promise rejected that its test does not wait for: that is a failure like any other.
let stray: string | undefined;
process.on('unhandledRejection', (error) => (stray ??= `unhandled rejection: ${String(error)}`));
process.on('uncaughtException', (error) => (stray ??= `uncaught exception: ${String(error)}`));

process.on('message', (message: ToWorker) => {
  if (message.kind === 'cover') void cover().then((coverage) => say({ kind: 'covered', coverage }));
  else {
    stray = undefined;
    void attempt(message.task).then((killedBy) =>
      say({ kind: 'tried', id: message.task.id, killedBy: killedBy ?? stray }),
    );
  }
});
process.on('disconnect', () => process.exit(0));
say({ kind: 'loaded' });
