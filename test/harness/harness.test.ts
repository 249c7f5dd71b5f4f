import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restoreApiGate } from './apiGate.ts';
import { endTree, isAlive, processTree, run } from './processes.ts';
import { inProject } from './paths.ts';
import { runStages, select } from './stageRunner.ts';
import type { Stage } from './stages.ts';
import { maximumSize, vsixProblems, zipEntries } from './vsix.ts';

const open = 'function Oe(i,t){return!0}';
const guard =
  "function M(i,t){if(!Oe(i,t))throw new Error(`Extension '${i.identifier.value}' CANNOT use API proposal: ${t}.`)}";

suite('The gate to proposed API', () => {
  test('is closed again where the server build opened it', () => {
    assert.equal(
      restoreApiGate(`var a;${open}${guard}`),
      `var a;function Oe(i,t){return!!(i.enabledApiProposals&&i.enabledApiProposals.includes(t))}${guard}`,
    );
  });

  test('is found under any minified name', () => {
    const source = `${open}${guard}`.replaceAll('Oe', '$9');
    assert.match(restoreApiGate(source) ?? '', /^function \$9\(i,t\)\{return!!\(i\.enabledApiProposals&&/);
  });

  test('is reported as missing where the editor changed, rather than left open', () => {
    assert.equal(restoreApiGate(open), undefined);
    assert.equal(restoreApiGate(guard), undefined);
    assert.equal(restoreApiGate(`function other(i,t){return!0}${guard}`), undefined);
  });
});

const packed = (...names: readonly string[]) => names.map((name) => ({ name: `extension/${name}`, size: 1 }));

const complete = packed(
  ...['package.json', 'package.nls.json', 'readme.md', 'changelog.md', 'LICENSE.txt', 'ThirdPartyNotices.txt'],
  ...['dist/extension.js', 'dist/storeWorker.js', 'dist/host.cjs', 'dist/cli.js', 'dist/demo.js'],
  ...[
    'dist/schemaWorker.js',
    'dist/schemaChecker.js',
    'dist/remote.js',
    'dist/children.js',
    'dist/opener.js',
    'dist/gatewayServer.js',
  ],
  ...[
    'dist/hostCore.js',
    'dist/storeParts.js',
    'dist/credentials.js',
    'dist/engine.js',
    'dist/serverInputs.js',
    'dist/scopeDesk.js',
    'dist/startInquiry.js',
    'dist/stateDesk.js',
    'dist/definitionTrust.js',
    'dist/lineageDesk.js',
    'dist/approvalDesk.js',
    'dist/serverRows.js',
    'dist/settingsSyntax.js',
    'dist/conversation.js',
    'dist/extensionApi.js',
    'dist/inbox.js',
    'dist/pages.js',
  ],
  ...[
    'dist/webview/toolForm.js',
    'dist/webview/question.js',
    'dist/webview/trace.js',
    'dist/webview/lineage.js',
    'media/mcpl.svg',
    'media/mcp-live.d.ts',
    'media/chatHooks/.plugin/plugin.json',
    'media/chatHooks/hooks/hooks.json',
    'media/chatHooks/hooks/hook.sh',
    'media/chatHooks/hooks/hook.ps1',
  ],
);

suite('The content of the VSIX', () => {
  test('is accepted when it is what runs', () => {
    assert.deepEqual(vsixProblems(complete, 1), []);
  });

  test('is refused with anything else, with a part missing, and above the size', () => {
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
  const stage = (name: string, ...needs: readonly string[]): Stage => ({
    name,
    needs,
    run: () => Promise.reject(new Error('not run')),
  });
  const rows = [
    [[stage('setup')]],
    [[stage('lint')], [stage('types'), stage('build')]],
    [[stage('package'), stage('install', 'package')], [stage('node')]],
  ];

  test('asked for by name bring what they need, in order', () => {
    const names = (...only: readonly string[]): unknown =>
      select(rows, only).map((row) => row.map((lane) => lane.map(({ name }) => name)));
    assert.deepEqual(names('install', 'lint'), [[['lint']], [['package', 'install']]]);
    assert.deepEqual(names('node', 'build', 'package'), [[['build']], [['package'], ['node']]]);
  });

  test('of a lane run in turn, beside those of other lanes, and a row only after the row before', async () => {
    const order: string[] = [];
    const at = (name: string): Stage => ({
      name,
      run: async () => {
        order.push(`${name} begins`);
        await new Promise((done) => setImmediate(done));
        order.push(`${name} ends`);
        return { counts: { passed: 1, failed: name === 'b' ? 1 : 0 }, log: '' };
      },
    });
    const needy: Stage = { ...at('needy'), needs: ['b'] };
    const counts = await runStages(
      [
        [[at('a'), at('b')], [at('c')]],
        [[needy], [at('d')]],
      ],
      {},
    );
    assert.equal(order.join(', '), 'a begins, c begins, a ends, b begins, c ends, b ends, d begins, d ends');
    assert.deepEqual(counts, { passed: 4, failed: 2 });
  });

  test('with an unknown name list those that exist', () => {
    assert.throws(
      () => select(rows, ['lnit']),
      /no stage lnit. Stages: setup, lint, types, build, package, install, node\./,
    );
  });
});

suite('Processes of the harness', () => {
  test('end with everything they started, also what ignores a polite request', async () => {
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

  test('that are interrupted begin nothing more', async () => {
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
      for (let round = 0; round < 200 && !isThere(); round++) await new Promise((done) => setTimeout(done, 20));
    };
    await until(() => marked().length === 1);
    child.kill('SIGTERM');
    await new Promise((done) => child.once('close', done));
    await until(() => marked().length === 0);
    assert.deepEqual([child.exitCode, marked()], [130, []]);
  });

  test('that cannot be started say so', async () => {
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

  test('are installed when npm finished with what the lockfile says', async () => {
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
