import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inProject, outFolder } from './paths.ts';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** How often a test of a real editor runs again after a failure: once in CI, where a lost click would refuse a change. */
export const editorRetries = process.env['CI'] === undefined ? 0 : 1;

export interface MochaCounts extends Counts {
  /** Tests that ran again, with the reason. */
  readonly retried: readonly string[];
}

export const nothing: Counts = { passed: 0, failed: 0 };

export const add = (a: Counts, b: Counts): Counts => ({ passed: a.passed + b.passed, failed: a.failed + b.failed });

export const reporter = inProject('test/harness/countingReporter.cjs');

/** The results of one mocha run. */
export interface MochaRun {
  readonly env: Readonly<Record<string, string>>;
  /** Undefined if the run did not finish. */
  readonly counts: () => Promise<MochaCounts | undefined>;
  readonly report: () => Promise<string>;
}

export const mochaRun = async (name: string): Promise<MochaRun> => {
  const folder = join(outFolder, 'counts');
  await mkdir(folder, { recursive: true });
  const counts = join(folder, `${name}.json`);
  const report = join(folder, `${name}.log`);
  await rm(counts, { force: true });
  await rm(report, { force: true });
  return {
    env: { MCPL_TEST_COUNTS: counts, MCPL_TEST_REPORT: report, MCPL_TEST_REPORTER: reporter },
    counts: async () => {
      try {
        const { passed, failed, retried } = JSON.parse(await readFile(counts, 'utf8')) as MochaCounts;
        return { passed, failed, retried };
      } catch {
        return undefined;
      }
    },
    report: () => readFile(report, 'utf8').catch(() => ''),
  };
};
