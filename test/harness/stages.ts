import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { count, runConformance, summary } from '../conformance/run.ts';
import { runInterop, unknownToPage } from '../servers/interop.ts';
import { type Counts, mochaRun } from './counts.ts';
import { type EditorName, ensureEditor } from './editorCache.ts';
import { runEditorTests } from './editorTests.ts';
import { prepareJourney } from './journeySetup.ts';
import { inProject, node22, node24, projectRoot } from './paths.ts';
import { run } from './processes.ts';
import { ensureSystem } from './systemPackages.ts';
import { packageExtension } from './vsix.ts';

export interface StageOptions {
  readonly grep?: string;
}

export interface StageResult {
  readonly counts: Counts;
  readonly log: string;
  /** Said on the progress line. */
  readonly note?: string;
}

export interface Stage {
  readonly name: string;
  /** Stages whose result it uses; run before it even when only this one is asked for. */
  readonly needs?: readonly string[];
  readonly run: (options: StageOptions) => Promise<StageResult>;
}

type Command = readonly [program: string, ...args: readonly string[]];

const tool = (path: string): string => inProject('node_modules', path);

const one = (passed: boolean): Counts => ({ passed: passed ? 1 : 0, failed: passed ? 0 : 1 });

/** Commands in turn; the stage counts as one check. */
const commands =
  (...list: readonly Command[]): Stage['run'] =>
  async () => {
    let log = '';
    let passed = true;
    for (const [program, ...args] of list) {
      const { code, output } = await run(program, args, { cwd: projectRoot });
      log += `$ ${[program, ...args].join(' ')}\n${output}\n`;
      passed &&= code === 0;
    }
    return { counts: one(passed), log };
  };

const inNode = (path: string, ...args: readonly string[]): Command => [process.execPath, tool(path), ...args];

export interface MochaOptions {
  readonly name: string;
  readonly node?: string;
  readonly patterns: readonly string[];
  readonly timeoutMs: number;
  readonly env?: Readonly<Record<string, string>>;
  /** A module of root hooks. */
  readonly hooks?: string;
}

export const runMocha = async (options: MochaOptions, grep: string | undefined): Promise<StageResult> => {
  const program = options.node ?? node24;
  const mocha = await mochaRun(options.name);
  const filter = grep === undefined ? [] : ['--grep', grep];
  const settings = [
    '--ui',
    'tdd',
    '--forbid-only',
    '--timeout',
    String(options.timeoutMs),
    '--reporter',
    mocha.env['MCPL_TEST_REPORTER'] ?? '',
    ...(options.hooks === undefined ? [] : ['--require', options.hooks]),
  ];
  const { code, output } = await run(
    program,
    [tool('mocha/bin/mocha.js'), ...settings, ...filter, ...options.patterns],
    {
      cwd: projectRoot,
      env: {
        ...process.env,
        PATH: `${join(program, '..')}:${process.env['PATH'] ?? ''}`,
        ...mocha.env,
        ...options.env,
      },
      timeoutMs: 3_600_000,
    },
  );
  const counts = await mocha.counts();
  const log = `${await mocha.report()}\n${output}`;
  if (counts === undefined)
    return { counts: one(false), log: `${log}\nThe tests did not get to their end (exit code ${code}).` };
  // For instance something kept the process alive, or a hook failed after the last test.
  const silent = code !== 0 && counts.failed === 0;
  const missing = counts.passed + counts.failed === 0 && grep === undefined;
  return {
    counts: silent || missing ? { passed: counts.passed, failed: 1 } : counts,
    log: missing ? `${log}\nNo test was found in ${options.patterns.join(', ')}.` : log,
  };
};

const mochaStage =
  (options: MochaOptions): Stage['run'] =>
  ({ grep }) =>
    runMocha(options, grep);

const nodeTimeout = process.env['MCPL_TEST_DOSE'] === 'full' ? 600_000 : 60_000;

export const nodeStage = (name: string, node: string): Stage => ({
  name,
  run: mochaStage({ name, node, patterns: ['test/node/**/*.test.ts'], timeoutMs: nodeTimeout }),
});

/** The official conformance suite; each of its scenarios counts as one. */
const conformanceStage: Stage = {
  name: 'conformance',
  run: async ({ grep }) => {
    const outcomes = await runConformance({ only: grep });
    const failures = outcomes.filter(({ verdict }) => verdict === 'failed');
    return {
      counts: { passed: count(outcomes, 'passed'), failed: failures.length },
      log: failures.map(({ scenario, log }) => `${scenario.window} ${scenario.name}\n${log}`).join('\n\n'),
      note: summary(outcomes),
    };
  },
};

/** Servers that others wrote; each transport of each counts as one, and docs/interop.md has to say the same. */
export const interopStage = (quick: boolean): Stage => ({
  name: 'interop',
  run: async ({ grep }) => {
    const results = await runInterop({ quick, only: grep });
    const failures = results.filter(({ problems }) => problems.length > 0);
    const good = results.filter(({ problems }) => problems.length === 0);
    const unknown = await unknownToPage(good);
    return {
      counts: { passed: good.length - unknown.length, failed: failures.length + unknown.length },
      log: [
        ...failures.map(({ cells, problems }) => `${cells.join('  ')}: ${problems.join(' ')}`),
        ...unknown.map((row) => `docs/interop.md does not say this; "npm run interop" rewrites it: ${row}`),
      ].join('\n'),
    };
  },
});

/** Installed the way a user installs it, and used from outside by a person who is a browser. */
export const journeyStages = (editor: EditorName, suffix = ''): readonly Stage[] => [
  {
    name: `install${suffix}`,
    needs: ['package'],
    run: async () => {
      const log = await prepareJourney(editor);
      return { counts: one(true), log };
    },
  },
  {
    name: `journey${suffix}`,
    needs: [`install${suffix}`],
    run: mochaStage({
      name: `journey${suffix}`,
      patterns: [suffix === '' ? 'test/editor/journey/**/*.test.ts' : 'test/editor/journey/smoke.test.ts'],
      timeoutMs: 180_000,
      env: { MCPL_TEST_JOURNEY_EDITOR: editor },
    }),
  },
];

export const packageStage: Stage = {
  name: 'package',
  run: async () => {
    const { log } = await packageExtension();
    return { counts: one(true), log };
  },
};

export const setupStage: Stage = {
  name: 'setup',
  run: async () => {
    await ensureEditor();
    await ensureSystem(['browser']);
    const missing = [node24, node22].filter((path) => !existsSync(path));
    return {
      counts: one(missing.length === 0),
      log: missing.map((path) => `${path} is missing. Run "npm ci" with install scripts.`).join('\n'),
    };
  },
};

/** In order; those of one row do not disturb each other and run side by side. */
export const everyStage: readonly (readonly Stage[])[] = [
  [setupStage],
  [
    { name: 'format', run: commands(inNode('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.')) },
    { name: 'lint', run: commands(inNode('eslint/bin/eslint.js', '--max-warnings=0', '.')) },
  ],
  [
    {
      name: 'layers',
      run: commands(
        inNode('dependency-cruiser/bin/dependency-cruise.mjs', '--config', '.dependency-cruiser.cjs', 'src'),
      ),
    },
    {
      name: 'types',
      run: commands(
        inNode('typescript/bin/tsc', '-p', '.'),
        inNode('typescript/bin/tsc', '-p', 'src/core'),
        inNode('typescript/bin/tsc', '-p', 'src/webview'),
      ),
    },
  ],
  [
    { name: 'build', run: commands([process.execPath, 'esbuild.mjs'], [process.execPath, 'esbuild.mjs', '--core']) },
    {
      name: 'unit',
      run: mochaStage({
        name: 'unit',
        patterns: ['test/unit/**/*.test.ts', 'test/architecture/**/*.test.ts', 'test/harness/**/*.test.ts'],
        timeoutMs: 30_000,
        hooks: 'test/support/leakHooks.ts',
      }),
    },
  ],
  // They wait for processes most of the time.
  [nodeStage('node', node24), nodeStage('node22', node22)],
  // Alone: the suite measures how long a client waits.
  [conformanceStage],
  [interopStage(true)],
  [
    {
      name: 'editor',
      needs: ['build'],
      run: async ({ grep }) => {
        const { counts, log, editor } = await runEditorTests(grep === undefined ? {} : { grep });
        return { counts, log, note: editor };
      },
    },
  ],
  [packageStage],
  ...journeyStages('current').map((stage) => [stage]),
];
