import { existsSync, globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runGuard } from '../bench/guardRun.ts';
import { count, runConformance, summary } from '../conformance/run.ts';
import { PARTS, report, runMutation, weakParts } from '../mutation/mutationRun.ts';
import { runInterop, unknownToPage } from '../servers/interop.ts';
import type { Change } from './changedFiles.ts';
import { type Counts, editorRetries, mochaRun, nothing } from './counts.ts';
import { type EditorName, ensureEditor } from './editorCache.ts';
import { projectSuites, runEditorTests } from './editorTests.ts';
import { prepareJourney } from './journeySetup.ts';
import { planLint } from './lintedFiles.ts';
import { inProject, node22, node24, projectRoot } from './paths.ts';
import { platformTests } from './platformTests.ts';
import { preparedSources } from './preparedSources.ts';
import { run } from './processes.ts';
import { ensureSystem } from './systemPackages.ts';
import { packBuilt } from './vsix.ts';

export interface StageOptions {
  readonly grep?: string;
  /** Check only these files, and run only the tests that they reach. */
  readonly change?: Change;
}

export interface StageResult {
  readonly counts: Counts;
  readonly log: string;
  /** Shown in the progress line. */
  readonly note?: string;
  /** Tests that failed and ran again. Shown even if all passed in the end. */
  readonly retried?: readonly string[];
}

export interface Stage {
  readonly name: string;
  /** Another name for it. */
  readonly also?: string;
  /** Stages whose results it uses. They run first, even if only this stage was requested. */
  readonly needs?: readonly string[];
  /** Runs alone, before or after all other stages. */
  readonly alone?: 'first' | 'last';
  /** Keeps a core busy. Other stages mostly wait. */
  readonly computes?: boolean;
  readonly run: (options: StageOptions) => Promise<StageResult>;
}

type Command = readonly [program: string, ...args: readonly string[]];

const tool = (path: string): string => inProject('node_modules', path);

const one = (passed: boolean): Counts => ({ passed: passed ? 1 : 0, failed: passed ? 0 : 1 });

/** Runs commands one after the other. The stage counts as one check. */
const commands = async (...list: readonly Command[]): Promise<StageResult> => {
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

const isFullDose = process.env['MCPL_TEST_DOSE'] === 'full';

export interface MochaOptions {
  readonly name: string;
  readonly node?: string;
  /** Files or patterns. */
  readonly tests: readonly string[];
  readonly timeoutMs: number;
  readonly env?: Readonly<Record<string, string>>;
  /** A module of root hooks. */
  readonly hooks?: string;
  readonly retries?: number;
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
    '--retries',
    String(options.retries ?? 0),
    '--reporter',
    mocha.env['MCPL_TEST_REPORTER'] ?? '',
    ...(options.hooks === undefined ? [] : ['--require', options.hooks]),
  ];
  const { code, output } = await run(program, [tool('mocha/bin/mocha.js'), ...settings, ...filter, ...options.tests], {
    cwd: projectRoot,
    env: {
      ...process.env,
      PATH: `${join(program, '..')}:${process.env['PATH'] ?? ''}`,
      ...(await preparedSources()),
      // Forking costs more the larger this process is, and memory freed by threads would stay in it.
      MALLOC_ARENA_MAX: '1',
      ...mocha.env,
      ...options.env,
    },
    // On a busy machine, the full dose of the unit tests takes longer than an hour.
    timeoutMs: isFullDose ? 10_800_000 : 3_600_000,
  });
  const counts = await mocha.counts();
  const log = `${await mocha.report()}\n${output}`;
  if (counts === undefined)
    return { counts: one(false), log: `${log}\nThe tests did not get to their end (exit code ${code}).` };
  // For example, a hook failed after the last test, or something kept the process alive.
  const silent = code !== 0 && counts.failed === 0;
  const missing = counts.passed + counts.failed === 0 && grep === undefined;
  return {
    counts: silent || missing ? { passed: counts.passed, failed: 1 } : counts,
    retried: counts.retried,
    log: missing ? `${log}\nNo test was found in ${options.tests.join(', ')}.` : log,
  };
};

const nothingReached: StageResult = { counts: nothing, log: '', note: 'no test depends on the change' };

const filesOf = (patterns: readonly string[]): readonly string[] =>
  patterns.flatMap((pattern) => globSync(pattern, { cwd: projectRoot })).sort();

const mochaStage =
  (options: MochaOptions): Stage['run'] =>
  async ({ grep, change }) => {
    if (change === undefined) return runMocha(options, grep);
    const tests = filesOf(options.tests).filter((path) => change.tests.includes(path));
    return tests.length === 0 ? nothingReached : runMocha({ ...options, tests }, grep);
  };

/** Generous, because real processes are slow on a busy machine. */
const nodeTimeout = isFullDose ? 600_000 : 120_000;

export const nodeStage = (name: string, node: string, tests: readonly string[]): Stage => ({
  name,
  run: mochaStage({ name: name.replace(':', '-'), node, tests, timeoutMs: nodeTimeout }),
});

/** The official conformance suite. Each scenario counts as one test. */
const conformanceStage: Stage = {
  name: 'conformance',
  // It measures waiting times of a client.
  alone: 'last',
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

/** Measures the CPU time of a message compared with peers, for at most a minute. */
const benchStage: Stage = { name: 'bench', alone: 'last', needs: ['build'], run: ({ grep }) => runGuard(grep) };

/** Published servers. Each transport of each server counts as one test, and docs/interop.md must match. */
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

/** A sample of more than ten thousand mutants. All of them take hours (`npm run mutation`). */
const MUTANTS = 600;

/** Each part counts as one test. It passes if its tests detect enough mutants. */
export const mutationStage: Stage = {
  name: 'mutation',
  run: async () => {
    const outcomes = await runMutation({ say: () => undefined, sample: MUTANTS, seed: 1 });
    const weak = weakParts(outcomes).length;
    return {
      counts: { passed: Object.keys(PARTS).length - weak, failed: weak },
      log: report(outcomes).join('\n'),
      note: report(outcomes).slice(0, Object.keys(PARTS).length).join('; '),
    };
  },
};

/** Installs the VSIX like a user. */
export const installStage = (editor: EditorName, suffix = ''): Stage => ({
  name: `install${suffix}`,
  needs: ['package'],
  run: async () => {
    const log = await prepareJourney(editor);
    return { counts: one(true), log };
  },
});

interface JourneyOptions {
  readonly editor?: EditorName;
  /** The stage that installs. */
  readonly needs?: string;
  readonly pattern: string;
}

/** Uses the installed extension through a browser. */
export const journeyStage = (name: string, options: JourneyOptions): Stage => {
  const { editor = 'current', needs = 'install', pattern } = options;
  const env = { MCPL_TEST_JOURNEY_EDITOR: editor };
  return {
    name,
    needs: [needs],
    run: mochaStage({
      name,
      tests: [`test/editor/journey/${pattern}`],
      timeoutMs: 180_000,
      env,
      retries: editorRetries,
    }),
  };
};

export const packageStage: Stage = {
  name: 'package',
  needs: ['build'],
  run: async () => {
    const { log } = await packBuilt();
    return { counts: one(true), log };
  },
};

export const setupStage: Stage = {
  name: 'setup',
  alone: 'first',
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

/** The cache of prettier, which skips unchanged files. */
const remembered = (name: string): string => inProject('out/remembered', name);

const isCode = (path: string): boolean => /\.(ts|mjs|cjs|js)$/.test(path);

const formatStage: Stage = {
  name: 'format',
  computes: true,
  run: ({ change }) =>
    commands(
      inNode(
        'prettier/bin/prettier.cjs',
        ...['--check', '--log-level', 'warn', '--ignore-unknown', '--cache', '--cache-strategy', 'content'],
        ...['--cache-location', remembered('format'), ...(change?.files ?? ['.'])],
      ),
    ),
};

/** With the default heap, a fifth of the time goes to garbage collection. */
const ROOMY_HEAP = ['--max-semi-space-size=64', '--initial-old-space-size=2048'];

/**
 * Types and rules: one program checks both, and again only what may have changed since it last passed. `--changed` lints
 * only the changed files.
 */
const lintStage: Stage = {
  name: 'lint',
  also: 'types',
  computes: true,
  run: async ({ change }) => {
    const { files, remember } = await planLint();
    if (files?.length === 0) return { counts: one(true), log: '', note: 'no file changed' };
    const linted = change?.files.filter(isCode) ?? files ?? [];
    const rules = change !== undefined && linted.length === 0 ? [] : ['--lint', ...linted];
    const program = [...ROOMY_HEAP, inProject('test/harness/checkSources.ts')];
    const result = await commands([process.execPath, ...program, '--types', ...(files ?? []), ...rules]);
    if (change === undefined && result.counts.failed === 0) await remember();
    return { ...result, note: files === undefined ? 'all files' : `${files.length} files` };
  },
};

const layersStage: Stage = {
  name: 'layers',
  computes: true,
  run: mochaStage({ name: 'layers', tests: ['test/architecture/layers.test.ts'], timeoutMs: 60_000 }),
};

/** The only stage that writes `dist`. */
export const buildStage: Stage = {
  name: 'build',
  computes: true,
  run: () => commands([process.execPath, 'esbuild.mjs'], [process.execPath, 'esbuild.mjs', '--core']),
};

export const unitStage: Stage = {
  name: 'unit',
  computes: true,
  run: mochaStage({
    name: 'unit',
    tests: ['test/unit/**/*.test.ts', 'test/architecture/!(layers).test.ts', 'test/harness/**/*.test.ts'],
    timeoutMs: isFullDose ? 1_200_000 : 60_000,
    hooks: 'test/support/leakHooks.ts',
  }),
};

const editorStage: Stage = {
  name: 'editor',
  needs: ['build'],
  run: async ({ grep, change }) => {
    const suites = change && projectSuites().filter((path) => change.tests.includes(relative(projectRoot, path)));
    if (suites?.length === 0) return nothingReached;
    const { counts, log, editor, retried } = await runEditorTests({
      ...(grep !== undefined && { grep }),
      ...(suites !== undefined && { suites }),
    });
    return { counts, log, note: editor, retried };
  },
};

/** Split into parts that run in parallel. */
const nodeParts = {
  'node:mcpl': ['test/node/mcpl/**/*.test.ts'],
  'node:cases': ['test/node/{auth,cases}/**/*.test.ts'],
  'node:host': ['test/node/*.test.ts'],
};

/** `--changed` runs these. */
const CHANGE_STAGES = ['format', 'lint', 'layers', 'unit', 'node', 'editor'];

export const changeStages = ({ tests }: Change): readonly string[] =>
  CHANGE_STAGES.filter((name) => name !== 'editor' || tests.some((path) => path.startsWith('test/editor/suite/')));

export const everyStage: readonly Stage[] = [
  setupStage,
  buildStage,
  lintStage,
  unitStage,
  packageStage,
  installStage('current'),
  journeyStage('journey', { pattern: '*.test.ts' }),
  journeyStage('journeyLive', { pattern: 'live/*.test.ts' }),
  editorStage,
  ...Object.entries(nodeParts).map(([name, tests]) => nodeStage(name, node24, tests)),
  nodeStage('node22', node22, platformTests),
  interopStage(true),
  formatStage,
  layersStage,
  conformanceStage,
  benchStage,
];
