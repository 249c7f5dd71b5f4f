import { type ChildProcess, fork } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inProject, outFolder } from '../harness/paths.ts';
import { preparedSources } from '../harness/preparedSources.ts';
import { endTree, track } from '../harness/processes.ts';
import { checkCompleteness, readScenarios, type Scenario } from './scenarios.ts';

export interface Outcome {
  readonly scenario: Scenario;
  readonly passed: number;
  readonly failed: number;
  /** Number of distinct successful checks. Some are repeated for each message of a client. */
  readonly distinct: number;
  /** `untested` if the suite found nothing to check, because the host does not offer the feature. */
  readonly verdict: 'passed' | 'failed' | 'untested';
  /** Why it failed, as readable text. */
  readonly log: string;
}

export interface Check {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly description?: string;
  readonly errorMessage?: string;
}

export interface RunOptions {
  /** Only scenarios whose name or window contains this. */
  readonly only?: string | undefined;
  /** Another client, to find out what the suite expects. */
  readonly client?: string | undefined;
}

const AT_ONCE = 2;
const TIMEOUT_MS = 60_000;
const folder = join(outFolder, 'conformance');
const ourClient = inProject('test/conformance/client.ts');

/** The suite writes its results into a folder named after the time. */
const findFile = async (root: string, name: string): Promise<string | undefined> => {
  const entries = await readdir(root, { recursive: true }).catch(() => []);
  const found = entries.find((entry) => entry.endsWith(name));
  return found === undefined ? undefined : readFile(join(root, found), 'utf8');
};

const isBad = ({ status }: Check): boolean => status === 'FAILURE' || status === 'WARNING';

const failureText = (checks: readonly Check[], missing: number): string =>
  [
    ...checks
      .filter(isBad)
      .map(({ id, name, description, errorMessage }) => `${id} ${name}: ${errorMessage ?? description ?? ''}`),
    ...(missing > 0 ? [`${missing} of the checks that it should make succeed were not made.`] : []),
  ].join('\n');

const verdictOf = (scenario: Scenario, distinct: number, failed: number): Outcome['verdict'] => {
  if (failed > 0 || distinct < scenario.checks) return 'failed';
  return distinct > 0 ? 'passed' : 'untested';
};

export const outcomeOf = (scenario: Scenario, checks: readonly Check[], output: string): Outcome => {
  const good = checks.filter(({ status }) => status === 'SUCCESS');
  const distinct = new Set(good.map(({ id, name }) => `${id} ${name}`)).size;
  const failed = checks.filter(isBad).length;
  const verdict = verdictOf(scenario, distinct, failed);
  const log = verdict === 'failed' ? `${failureText(checks, scenario.checks - distinct)}\n${output}`.trim() : '';
  return { scenario, passed: good.length, failed, distinct, verdict, log };
};

const quoted = (path: string): string => `"${path}"`;

/** The suite in a process of its own, for scenarios in turn. */
class Suite {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #output = '';

  private constructor(child: ChildProcess) {
    this.#child = track(child);
    this.#ended = new Promise((resolve) => child.once('exit', () => resolve()));
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.#output += chunk.toString()));
  }

  static async start(): Promise<Suite> {
    const env = { ...process.env, ...(await preparedSources()), NO_COLOR: '1', NODE_NO_WARNINGS: '1' };
    return new Suite(fork(inProject('test/conformance/suite.ts'), { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] }));
  }

  get hasEnded(): boolean {
    return !this.#child.connected;
  }

  /** Runs one scenario and returns the output of the suite. */
  async run(args: readonly string[]): Promise<string> {
    this.#output = '';
    const timer = setTimeout(() => {
      this.#output += `\nStopped: it took longer than ${TIMEOUT_MS / 1000} s.\n`;
      void this.stop();
    }, TIMEOUT_MS);
    const answered = new Promise<void>((resolve) => this.#child.once('message', () => resolve()));
    this.#child.send(args);
    await Promise.race([answered, this.#ended]);
    clearTimeout(timer);
    return this.#output;
  }

  stop(): Promise<void> {
    return endTree(this.#child.pid);
  }
}

const runScenario = async (suite: Suite, scenario: Scenario, client: string): Promise<Outcome> => {
  const results = join(folder, scenario.window, scenario.name.replaceAll('/', '-'));
  const version = scenario.version === undefined ? [] : ['--spec-version', scenario.version, '--force'];
  const command = `${quoted(process.execPath)} ${quoted(client)}`;
  const output = await suite.run([
    'client',
    ...['--command', command],
    ...['--scenario', scenario.name, ...version],
    ...['--output-dir', results],
  ]);
  const text = await findFile(results, 'checks.json');
  const said = await findFile(results, 'stderr.txt');
  if (text === undefined) return outcomeOf(scenario, [], output);
  return outcomeOf(scenario, JSON.parse(text) as readonly Check[], said ?? '');
};

/** Runs the scenarios in expectations.json, two at a time, and reports each at its end. */
export const runConformance = async (
  options: RunOptions,
  tell: (outcome: Outcome) => void = () => undefined,
): Promise<readonly Outcome[]> => {
  const all = await readScenarios();
  await checkCompleteness(all);
  const { only } = options;
  const scenarios = only === undefined ? all : all.filter(({ name, window }) => `${window} ${name}`.includes(only));
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const outcomes = new Map<Scenario, Outcome>();
  const waiting = [...scenarios];
  const worker = async (): Promise<void> => {
    let suite: Suite | undefined;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (suite === undefined || suite.hasEnded) suite = await Suite.start();
      const outcome = await runScenario(suite, next, options.client ?? ourClient);
      outcomes.set(next, outcome);
      tell(outcome);
    }
    await suite?.stop();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const ordered = scenarios.flatMap((scenario) => outcomes.get(scenario) ?? []);
  await writeFile(join(folder, 'table.txt'), `${table(ordered)}\n`);
  return ordered;
};

const HEAD = ['', 'scenario', 'window', 'passed', 'failed', 'checks', 'expected'] as const;

const SIGNS = { passed: '✓', failed: '✗', untested: '–' } as const;

export const table = (outcomes: readonly Outcome[]): string => {
  const rows = outcomes.map(({ scenario, passed, failed, distinct, verdict }) => [
    SIGNS[verdict],
    scenario.name,
    scenario.window,
    String(passed),
    String(failed),
    String(distinct),
    String(scenario.checks),
  ]);
  const widths = HEAD.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [[...HEAD], ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

export const count = (outcomes: readonly Outcome[], wanted: Outcome['verdict']): number =>
  outcomes.filter(({ verdict }) => verdict === wanted).length;

/** `2025-11-25 18/18, 2026-07-28 32/32`. */
export const summary = (outcomes: readonly Outcome[]): string => {
  const windows = [...new Set(outcomes.map(({ scenario }) => scenario.window))];
  return windows
    .map((window) => {
      const inside = outcomes.filter(({ scenario }) => scenario.window === window);
      return `${window} ${count(inside, 'passed')}/${inside.length - count(inside, 'untested')}`;
    })
    .join(', ');
};
