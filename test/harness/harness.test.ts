import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restoreApiGate } from './apiGate.ts';
import { affectedTests } from './changedFiles.ts';
import { hostOnly, platform, wronglyListed } from './platformTests.ts';
import { bundles } from './bundles.ts';
import { endTree, isAlive, processTree, run } from './processes.ts';
import { type Linted, filesToLint } from './lintedFiles.ts';
import { inProject } from './paths.ts';
import { readModule } from './sourceFigures.ts';
import { type CostMemory, costMemory, nextStages, runStages, select } from './stageRunner.ts';
import { runMocha, type Stage } from './stages.ts';
import { maximumSize, vsixProblems, zipEntries } from './vsix.ts';

const open = 'function Oe(i,t){return!0}';
const guard =
  "function M(i,t){if(!Oe(i,t))throw new Error(`Extension '${i.identifier.value}' CANNOT use API proposal: ${t}.`)}";

suite('The gate to proposed API', () => {
  test('is closed again if the server build opened it', () => {
    assert.equal(
      restoreApiGate(`var a;${open}${guard}`),
      `var a;function Oe(i,t){return!!(i.enabledApiProposals&&i.enabledApiProposals.includes(t))}${guard}`,
    );
  });

  test('is found under any minified name', () => {
    const source = `${open}${guard}`.replaceAll('Oe', '$9');
    assert.match(restoreApiGate(source) ?? '', /^function \$9\(i,t\)\{return!!\(i\.enabledApiProposals&&/);
  });

  test('is reported as missing if the editor changed, rather than left open', () => {
    assert.equal(restoreApiGate(open), undefined);
    assert.equal(restoreApiGate(guard), undefined);
    assert.equal(restoreApiGate(`function other(i,t){return!0}${guard}`), undefined);
  });
});

const packed = (...names: readonly string[]) => names.map((name) => ({ name: `extension/${name}`, size: 1 }));

const complete = packed(
  ...['package.json', 'package.nls.json', 'readme.md', 'changelog.md', 'LICENSE.txt', 'ThirdPartyNotices.txt'],
  ...bundles.map(({ to }) => `dist/${to}`),
  ...['media/mcpl.svg', 'media/mcp-live.d.ts', 'media/chatHooks/.plugin/plugin.json'],
  ...['hooks.json', 'hook.sh', 'hook.ps1'].map((name) => `media/chatHooks/hooks/${name}`),
);

suite('The content of the VSIX', () => {
  test('is accepted if it is complete', () => {
    assert.deepEqual(vsixProblems(complete, 1), []);
  });

  test('is refused with additional files, with a missing part, and above the size limit', () => {
    const others = packed('src/extension.ts', 'dist/extension.js.map', 'node_modules/a/index.js', 'test/a.js');
    const problems = vsixProblems([...complete.slice(1), ...others], maximumSize + 1);
    assert.deepEqual(
      problems.map((problem) => problem.split(' ').slice(0, 3).join(' ')),
      [
        'extension/src/extension.ts must not',
        'extension/dist/extension.js.map must not',
        'extension/node_modules/a/index.js must not',
        'extension/test/a.js must not',
        'extension/package.json is missing',
        'It has 700001',
      ],
    );
  });

  test('is read from the directory of the zip file', () => {
    const entry = Buffer.alloc(46 + 5);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt32LE(7, 24);
    entry.writeUInt16LE(5, 28);
    entry.write('a.txt', 46);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(1, 10);
    end.writeUInt32LE(0, 16);
    assert.deepEqual(zipEntries(Buffer.concat([entry, end])), [{ name: 'a.txt', size: 7 }]);
    assert.throws(() => zipEntries(Buffer.from('no')), /not a zip file/);
  });
});

suite('The stages of npm test', () => {
  const stage = (name: string, options: Partial<Stage> = {}): Stage => ({
    name,
    run: () => Promise.reject(new Error('not run')),
    ...options,
  });
  const namesOf = (stages: readonly Stage[]): string => stages.map(({ name }) => name).join(' ');
  const forgetful: CostMemory = { costs: () => ({}), remember: () => undefined };

  test('are selected by one of their names with the stages they need, and by the name of which they are parts', () => {
    const stages = [
      stage('setup', { also: 'first' }),
      stage('build'),
      stage('package', { needs: ['build'] }),
      stage('install', { needs: ['package'] }),
      ...['node:cases', 'node:host', 'node22'].map((name) => stage(name)),
    ];
    assert.equal(namesOf(select(stages, ['install'])), 'build package install');
    assert.equal(namesOf(select(stages, ['node', 'build'])), 'build node:cases node:host');
    assert.equal(namesOf(select(stages, ['node:host', 'first'])), 'setup node:host');
    assert.throws(
      () => select(stages, ['lnit', 'nod']),
      /no stage lnit, nod. Stages: setup, build, package, install, node:cases, node:host, node22\./,
    );
  });

  test('start the longest chain first, as many as fit', () => {
    const stages = [
      stage('short'),
      stage('build', { computes: true }),
      stage('journey', { needs: ['build'] }),
      stage('lint', { computes: true }),
      stage('long'),
    ];
    const costs = { short: 1, build: 2, journey: 90, lint: 50, long: 60 };
    assert.equal(namesOf(nextStages(stages, [], costs)), 'build long short');
    const [short, build, journey, lint, long] = stages as [Stage, Stage, Stage, Stage, Stage];
    assert.equal(namesOf(nextStages([journey, lint], [build, long, short], costs)), '');
    assert.equal(namesOf(nextStages([journey, lint], [long, short], costs)), 'journey');
    assert.equal(namesOf(nextStages([journey, lint], [long], costs)), 'journey lint');
    assert.equal(namesOf(nextStages([journey, lint], [], {})), 'journey lint');
  });

  test('run alone before or after all others', () => {
    const stages = [
      stage('bench', { alone: 'last', needs: ['a'] }),
      stage('a'),
      stage('setup', { alone: 'first' }),
      stage('late', { alone: 'last' }),
    ];
    const [bench, a, setup, late] = stages as [Stage, Stage, Stage, Stage];
    assert.equal(namesOf(nextStages(stages, [], {})), 'setup');
    assert.equal(namesOf(nextStages([bench, a, late], [setup], {})), '');
    assert.equal(namesOf(nextStages([bench, a, late], [], {})), 'a');
    assert.equal(namesOf(nextStages([bench, late], [a], {})), '');
    assert.equal(namesOf(nextStages([bench, late], [], {})), 'bench');
    assert.equal(namesOf(nextStages([late], [bench], {})), '');
  });

  test('all run: one whose needs failed fails, and costs of those that passed are remembered', async () => {
    const order: string[] = [];
    const remembered: string[] = [];
    const at = (name: string, options: Partial<Stage> = {}): Stage =>
      stage(name, {
        run: async () => {
          order.push(`${name} begins`);
          await new Promise((done) => setImmediate(done));
          order.push(`${name} ends`);
          return { counts: { passed: 1, failed: name === 'b' ? 1 : 0 }, log: '' };
        },
        ...options,
      });
    const counts = await runStages(
      [at('a'), at('b', { computes: true }), at('needy', { needs: ['b'] }), at('c', { computes: true })],
      {},
      { ...forgetful, remember: (name) => remembered.push(name) },
    );
    assert.equal(order.join(', '), 'a begins, b begins, a ends, c begins, b ends, c ends');
    assert.deepEqual(counts, { passed: 3, failed: 2 });
    assert.deepEqual(remembered, ['a', 'c']);
  });

  test('that wait for each other are an error', async () => {
    const circle = [stage('a', { needs: ['b'] }), stage('b', { needs: ['a'] })];
    await assert.rejects(runStages(circle, {}, forgetful), /wait for each other: a, b\./);
  });

  test('leave their costs in a file, which may be missing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcpl-costs-'));
    const memory = costMemory(join(folder, 'new/costs.json'));
    assert.deepEqual(memory.costs(), {});
    memory.remember('lint', 2.5);
    memory.remember('unit', 9);
    assert.deepEqual(memory.costs(), { lint: 2.5, unit: 9 });
    await rm(folder, { recursive: true });
  });
});

suite('A test that failed', () => {
  test('runs again where its stage asks for it, and is named even if it passes then', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcpl-retries-'));
    try {
      const file = join(folder, 'flaky.test.cjs');
      await writeFile(
        file,
        "let runs = 0; suite('A', () => test('b', () => { if (++runs === 1) throw new Error('lost\\nat'); }));",
      );
      const { counts, retried } = await runMocha(
        { name: 'retries', tests: [file], timeoutMs: 5_000, retries: 1 },
        undefined,
      );
      assert.deepEqual([counts.passed, counts.failed, retried], [1, 0, ['A b: lost']]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

suite('The tests of the platform', () => {
  test('are each listed once, with the reason why one or both versions of Node run it', () => {
    const tests = globSync('**/*.test.ts', { cwd: inProject('test/node') });
    assert.deepEqual(wronglyListed(tests, [platform, hostOnly]), []);
  });

  test('are reported when they are missing from the lists, or listed twice', () => {
    const problems = wronglyListed(
      ['a.test.ts', 'b/c.test.ts', 'new.test.ts'],
      [
        { 'a.test.ts': '', 'b/': '' },
        { 'b/c.test.ts': '', 'gone.test.ts': '' },
      ],
    );
    assert.deepEqual(problems, [
      'gone.test.ts matches no test',
      'b/c.test.ts is listed 2 times',
      'new.test.ts is listed 0 times',
    ]);
  });
});

suite('The tests that a change affects', () => {
  const files = {
    'src/core/a.ts': 'export const a = 1; export type A = 1;',
    'src/core/index.ts': "export * from './a.ts';",
    'src/node/user.ts': "import { a } from '../core/index.ts';",
    'src/node/types.ts': "import type { A } from '../core/a.ts'; import { type A as B } from '../core/a.ts';",
    'test/unit/user.test.ts': "import '../../src/node/user.ts';",
    'test/unit/types.test.ts': "import '../../src/node/types.ts';",
    'test/unit/page.test.ts': "read('docs/page.md'); read('../fixtures/near.txt'); spawn('onlyOne.mjs');",
    'test/node/fixtures/onlyOne.mjs': "import('../../../src/core/a.ts');",
    'esbuild.mjs': "build('src/core/a.ts');",
  };
  const modules = Object.entries(files).map(([path, text]) => readModule(path, text));
  const paths = [...Object.keys(files), 'docs/page.md', 'test/fixtures/near.txt', 'docs/other.md'];
  const affectedBy = (...changed: readonly string[]): string => affectedTests(modules, paths, changed).join(' ');

  test('import a value of it, directly or indirectly, but not only a type', () => {
    assert.equal(affectedBy('src/core/a.ts'), 'test/unit/page.test.ts test/unit/user.test.ts');
    assert.equal(affectedBy('src/node/types.ts'), 'test/unit/types.test.ts');
    assert.equal(affectedBy('test/unit/types.test.ts'), 'test/unit/types.test.ts');
  });

  test('name it in a text', () => {
    assert.equal(affectedBy('docs/page.md'), 'test/unit/page.test.ts');
    assert.equal(affectedBy('test/fixtures/near.txt'), 'test/unit/page.test.ts');
    assert.equal(affectedBy('docs/other.md', 'esbuild.mjs'), '');
  });
});

suite('The files to lint again', () => {
  const texts: Readonly<Record<string, string>> = {
    'src/a.ts': '',
    'src/b.ts': "import type { A } from './a.ts';",
    'src/c.ts': "export * from './b.ts';",
    'src/d.ts': '',
    'src/e.d.ts': '',
  };
  const now = Object.fromEntries(Object.keys(texts).map((path) => [path, 'now']));
  const toLint = (before: Linted | undefined): string =>
    filesToLint(before, now, (path) => texts[path] ?? '')?.join(' ') ?? 'all';

  test('are those that changed, and those that import them or their types', () => {
    assert.equal(toLint(now), '');
    assert.equal(toLint({ ...now, 'src/a.ts': 'before' }), 'src/a.ts src/b.ts src/c.ts');
    assert.equal(toLint({ ...now, 'src/c.ts': 'before', 'src/gone.ts': 'before' }), 'src/c.ts');
    const { 'src/d.ts': added, ...others } = now;
    assert.equal(added, 'now');
    assert.equal(toLint(others), 'src/d.ts');
  });

  test('are all of them at first, and after a change that affects all', () => {
    assert.equal(toLint(undefined), 'all');
    assert.equal(toLint({ ...now, 'src/e.d.ts': 'before' }), 'all');
    assert.equal(toLint({ ...now, 'package-lock.json': 'before' }), 'all');
  });
});

suite('Processes of the harness', () => {
  test('end with all their children, even if those ignore SIGTERM', async () => {
    const stubborn = "process.on('SIGTERM',()=>{});setInterval(()=>{},1000);";
    const code = `require('node:child_process').spawn(process.execPath,['-e',${JSON.stringify(`${stubborn}console.log('up')`)}],{stdio:'inherit'})`;
    const child = spawn(process.execPath, ['-e', `${code};setInterval(()=>{},1000)`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await new Promise((done) => child.stdout.once('data', done));
    const tree = processTree(child.pid ?? 0);
    assert.equal(tree.length, 2);
    await endTree(child.pid, 200);
    await new Promise((done) =>
      (child.exitCode ?? child.signalCode) === null ? child.once('exit', done) : done(undefined),
    );
    for (let round = 0; round < 50 && tree.some(isAlive); round++) await new Promise((done) => setTimeout(done, 20));
    assert.deepEqual(tree.filter(isAlive), []);
  });

  test('that are interrupted start no more processes', async () => {
    const module = JSON.stringify(inProject('test/harness/processes.ts'));
    const mark = `stage-${randomUUID()}`;
    const script = `
      import { endEverything, onInterrupt, run } from ${module};
      onInterrupt(endEverything);
      for (;;) await run(process.execPath, ['-e', 'setTimeout(() => {}, 20_000)', '${mark}']);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
    const marked = (): readonly string[] =>
      execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' })
        .split('\n')
        .filter((line) => line.endsWith(mark));
    const until = async (isThere: () => boolean): Promise<void> => {
      for (let round = 0; round < 40 && !isThere(); round++) await new Promise((done) => setTimeout(done, 100));
    };
    await until(() => marked().length === 1);
    child.kill('SIGTERM');
    await new Promise((done) => child.once('close', done));
    await until(() => marked().length === 0);
    assert.deepEqual([child.exitCode, marked()], [130, []]);
  });

  test('that cannot be started fail with the reason', async () => {
    const { code, output } = await run('no-such-program-here', []);
    assert.equal(code, 127);
    assert.match(output, /no-such-program-here: .*ENOENT/);
  });
});

suite('The dependencies', () => {
  let folder = '';

  setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mcpl-dependencies-'));
    await mkdir(join(folder, 'node_modules/node/bin'), { recursive: true });
  });

  teardown(() => rm(folder, { recursive: true, force: true }));

  const installed = async (wanted: object, present: object | undefined): Promise<string> => {
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ packages: wanted }));
    const hidden = join(folder, 'node_modules/.package-lock.json');
    await rm(hidden, { force: true });
    if (present !== undefined) await writeFile(hidden, JSON.stringify({ packages: present }));
    const module = JSON.stringify(inProject('test/harness/dependencies.mjs'));
    const script = `import(${module}).then((m) => console.log(m.dependenciesAreInstalled(${JSON.stringify(folder)})))`;
    return (await run(process.execPath, ['-e', script])).output.trim();
  };

  test('are installed once npm finished with the lockfile’s versions', async () => {
    const wanted = {
      '': {},
      'node_modules/a': { version: '1.0.0' },
      'node_modules/mac': { version: '1.0.0', optional: true },
    };
    assert.equal(await installed(wanted, { 'node_modules/a': { version: '1.0.0' } }), 'true');
    assert.equal(await installed(wanted, { 'node_modules/a': { version: '1.0.1' } }), 'false');
    assert.equal(await installed(wanted, {}), 'false');
    assert.equal(await installed(wanted, undefined), 'false');
  });
});
