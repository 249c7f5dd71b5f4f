import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import Mocha from 'mocha';
import { person } from './person.ts';

const setting = (name: string): string | undefined => {
  const value = process.env[name];
  return value === '' ? undefined : value;
};

async function showFailure(this: Mocha.Context): Promise<void> {
  const state = this.currentTest?.state;
  // A test that will run again has no state.
  if (this.currentTest === undefined || state === 'passed' || state === 'pending') return;
  await person.screenshot(`failed ${this.currentTest.fullTitle()}`).catch(() => undefined);
}

const createMocha = (): Mocha => {
  const grep = setting('MCPL_TEST_GREP');
  return new Mocha({
    ui: 'tdd',
    color: false,
    timeout: 60_000,
    slow: 5_000,
    forbidOnly: true,
    retries: Number(setting('MCPL_TEST_RETRIES') ?? '0'),
    reporter: setting('MCPL_TEST_REPORTER') ?? 'spec',
    ...(grep === undefined ? {} : { grep }),
    rootHooks: { afterEach: showFailure },
  });
};

/** A module may register suites, or export `run` like the editor's own test modules, which counts as one test. */
const load = (mocha: Mocha, files: readonly string[]): void => {
  const require = createRequire(__filename);
  for (const file of files) {
    mocha.suite.emit('pre-require', globalThis, file, mocha);
    const loaded = require(file) as { readonly run?: () => Promise<void> };
    if (typeof loaded.run === 'function') mocha.suite.addTest(new Mocha.Test(`${basename(file)} runs`, loaded.run));
  }
};

/** Called by the editor in its extension host. A rejection fails the run. */
export const run = async (): Promise<void> => {
  const mocha = createMocha();
  const suites = join(__dirname, 'suites');
  load(
    mocha,
    readdirSync(suites)
      .sort()
      .map((name) => join(suites, name)),
  );
  const failures = await new Promise<number>((done) => mocha.run(done));
  if (failures > 0) throw new Error(`${failures} failed`);
};
