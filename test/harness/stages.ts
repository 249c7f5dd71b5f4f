import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runGuard } from '../bench/guardRun.ts';
import { count, runConformance, summary } from '../conformance/run.ts';
import { PARTS, report, runMutation, weakParts } from '../mutation/mutationRun.ts';
import { runInterop, unknownToPage } from '../servers/interop.ts';
import { type Counts, mochaRun } from './counts.ts';
import { type EditorName, ensureEditor } from './editorCache.ts';
import { runEditorTests } from './editorTests.ts';
import { prepareJourney } from './journeySetup.ts';
import { inProject, node22, node24, projectRoot } from './paths.ts';
import { preparedSources } from './preparedSources.ts';
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

/** Stages in turn. */
export type Lane = readonly Stage[];

/** Lanes side by side: they do not disturb each other. */
export type Row = readonly Lane[];

export const alone = (stage: Stage): Row => [[stage]];

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
  /** What the patterns match and another stage runs. */
  readonly ignored?: string;
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
    ...(options.ignored === undefined ? [] : ['--ignore', options.ignored]),
  ];
  const { code, output } = await run(
    program,
    [tool('mocha/bin/mocha.js'), ...settings, ...filter, ...options.patterns],
    {
      cwd: projectRoot,
      env: {
        ...process.env,
        PATH: `${join(program, '..')}:${process.env['PATH'] ?? ''}`,
        ...(await preparedSources()),
        // Starting a program takes as long as this process is large, and memory that threads gave back would stay in it.
        MALLOC_ARENA_MAX: '1',
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

const everyNodeTest = 'test/node/**/*.test.ts';
const mcplTests = 'test/node/mcpl/**/*.test.ts';

type NodeTests = Pick<MochaOptions, 'patterns' | 'ignored'>;

export const nodeStage = (name: string, node: string, tests: NodeTests = { patterns: [everyNodeTest] }): Stage => ({
  name,
  run: mochaStage({ name, node, ...tests, timeoutMs: nodeTimeout }),
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

/** What a message costs, beside peers. */
const benchStage: Stage = { name: 'bench', needs: ['build'], run: ({ grep }) => runGuard(grep) };

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

/** Of more than ten thousand mutants: all of them take hours (`npm run mutation`). */
const MUTANTS = 600;

/** Each part whose tests notice enough of the changes made to it counts as one. */
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

/** Installed the way a user installs it. */
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
  /** Of the stage that installs. */
  readonly needs?: string;
  readonly pattern: string;
}

/** What was installed, used from outside by a person who is a browser. */
export const journeyStage = (name: string, options: JourneyOptions): Stage => {
  const { editor = 'current', needs = 'install', pattern } = options;
  const env = { MCPL_TEST_JOURNEY_EDITOR: editor };
  return {
    name,
    needs: [needs],
    run: mochaStage({ name, patterns: [`test/editor/journey/${pattern}`], timeoutMs: 180_000, env }),
  };
};

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

/** Of files that are as they were, prettier and the compiler of the types remember what they found. */
const remembered = (name: string): string => inProject('out/remembered', name);

const formatStage: Stage = {
  name: 'format',
  run: commands(
    inNode(
      'prettier/bin/prettier.cjs',
      ...['--check', '--log-level', 'warn', '--cache', '--cache-strategy', 'content'],
      ...['--cache-location', remembered('format'), '.'],
    ),
  ),
};

const lintStage: Stage = { name: 'lint', run: commands(inNode('eslint/bin/eslint.js', '--max-warnings=0', '.')) };

const layersStage: Stage = {
  name: 'layers',
  run: commands(inNode('dependency-cruiser/bin/dependency-cruise.mjs', '--config', '.dependency-cruiser.cjs', 'src')),
};

const typesOf = (folder: string): Command =>
  inNode(
    'typescript/bin/tsc',
    ...['-p', folder, '--incremental'],
    ...['--tsBuildInfoFile', remembered(`${folder.replaceAll(/\W/g, '-')}.types`)],
  );

const typesStage: Stage = { name: 'types', run: commands(typesOf('.'), typesOf('src/core'), typesOf('src/webview')) };

const buildStage: Stage = {
  name: 'build',
  run: commands([process.execPath, 'esbuild.mjs'], [process.execPath, 'esbuild.mjs', '--core']),
};

const unitStage: Stage = {
  name: 'unit',
  run: mochaStage({
    name: 'unit',
    patterns: ['test/unit/**/*.test.ts', 'test/architecture/**/*.test.ts', 'test/harness/**/*.test.ts'],
    timeoutMs: 30_000,
    hooks: 'test/support/leakHooks.ts',
  }),
};

const editorStage: Stage = {
  name: 'editor',
  needs: ['build'],
  run: async ({ grep }) => {
    const { counts, log, editor } = await runEditorTests(grep === undefined ? {} : { grep });
    return { counts, log, note: editor };
  },
};

/** What is packed is built anew: nothing may read `dist` meanwhile. */
export const everyStage: readonly Row[] = [
  alone(setupStage),
  [
    [lintStage, buildStage, packageStage, installStage('current')],
    [formatStage, layersStage, typesStage, unitStage],
  ],
  // Alone: the suite measures how long a client waits.
  alone(conformanceStage),
  // Alone as well. It measures CPU time beside that of peers, and takes a minute at most.
  alone(benchStage),
  // As many lanes mostly wait for processes as for pages, and all of them end at about the same time.
  [
    [nodeStage('node', node24)],
    [nodeStage('node22', node22, { patterns: [everyNodeTest], ignored: mcplTests }), interopStage(true)],
    [editorStage, nodeStage('node22mcpl', node22, { patterns: [mcplTests] })],
    [journeyStage('journeyLive', { pattern: 'live/*.test.ts' }), journeyStage('journey', { pattern: '*.test.ts' })],
  ],
];
