import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject } from '../../src/core/index.ts';
import { endLeftovers } from '../../src/node/process/leftovers.ts';
import { processStartSync } from '../../src/node/process/processList.ts';
import { endOrphans, SpawnRecords } from '../../src/node/process/spawnRecords.ts';
import { isRunning, StdioBench } from './stdioServer.ts';

const HOST = fileURLToPath(new URL('fixtures/stdio/host.ts', import.meta.url));

suite('records of children', () => {
  let folder: string;
  const children: ChildProcess[] = [];
  const logged: string[] = [];
  const log = { log: (level: string, message: string): void => void logged.push(`${level}: ${message}`) };
  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'spawns-'));
    logged.length = 0;
  });
  teardown(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const start = (): number => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], {
      stdio: 'ignore',
      detached: true,
    });
    children.push(child);
    assert.ok(child.pid !== undefined);
    return child.pid;
  };
  const record = (name: string, content: unknown): void => writeFileSync(join(folder, name), JSON.stringify(content));
  const sweep = (): Promise<number> => endOrphans(folder, { log, termMs: 500 });

  /** A pid without a process. */
  const gone = async (): Promise<number> => {
    const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
    await once(child, 'exit');
    assert.ok(child.pid !== undefined);
    return child.pid;
  };

  test('are there from the spawn until nothing of the server is left', async () => {
    const bench = await StdioBench.open(['--stubborn'], {
      records: new SpawnRecords(folder),
      shutdown: { stdinMs: 50, termMs: 50 },
    });
    const names = readdirSync(folder);
    assert.deepEqual(names, [`${process.pid}-${bench.transport.pid}.json`]);
    const written: unknown = JSON.parse(readFileSync(join(folder, names[0] ?? ''), 'utf8'));
    assert.ok(isObject(written));
    assert.deepEqual(
      [written['pid'], written['ownerPid'], written['command']],
      [bench.transport.pid, process.pid, process.execPath.split(/[\\/]/).at(-1)],
    );
    assert.equal(await sweep(), 0);
    assert.equal(await isRunning(bench.transport.pid), true);
    await bench.close();
    assert.deepEqual(readdirSync(folder), []);
  });

  test('that cannot be written cost no server', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const bench = await StdioBench.open([], { records: new SpawnRecords(join(file, 'sub'), log) });
    await bench.close();
    assert.match(logged.join(), /^warn: The record of process \d+ could not be written: /);
  });

  if (process.platform !== 'win32') {
    test('end the servers of a host that was killed, stubborn ones and their children too', async () => {
      for (const flags of [[], ['--stubborn']]) {
        const host = spawn(process.execPath, [HOST, folder, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
        children.push(host);
        const [line]: unknown[] = await once(host.stdout, 'data');
        const told: unknown = JSON.parse(String(line));
        assert.ok(isObject(told) && isObject(told['grandchild']));
        const pids = [Number(told['server']), Number(told['grandchild']['pid'])];
        host.kill('SIGKILL');
        await once(host, 'exit');
        // A process that reads its input ends on its own, but its child stays.
        if (flags.length === 0) await waitForEnd(pids[0] ?? 0);
        assert.equal(await isRunning(pids[1] ?? 0), true);
        assert.equal(await sweep(), 1);
        assert.deepEqual(await Promise.all(pids.map(isRunning)), [false, false]);
        assert.deepEqual(readdirSync(folder), []);
      }
      assert.equal(logged.length, 2);
      assert.match(logged[0] ?? '', /^info: Ended node \(process \d+\), which an earlier session had left running\.$/);
    });
  }

  test('of a live owner, of another boot, or without an owner end nothing', async () => {
    const child = start();
    const [own, dead] = [processStartSync(process.pid), await gone()];
    const childStart = processStartSync(child);
    record('1-1.json', { pid: child, start: childStart, ownerPid: process.pid, ownerStart: own, command: 'c' });
    record('1-2.json', { pid: child, start: 'another', ownerPid: dead, ownerStart: 'x', command: 'c' });
    record('1-3.json', { pid: child, ownerPid: dead, ownerStart: 'x', command: 'c' });
    record('1-4.json', { pid: dead, start: childStart, ownerPid: dead, ownerStart: 'x', command: 'c' });
    assert.equal(await sweep(), 0);
    assert.equal(await isRunning(child), true);
    assert.deepEqual([readdirSync(folder), logged], [['1-1.json'], []]);
  });

  test('cost nothing if there are none, and are checked otherwise', async () => {
    await endLeftovers(join(folder, 'never written'), log);
    await endLeftovers(folder, log);
    assert.deepEqual(logged, []);
    record('a.json', []);
    await endLeftovers(folder, log);
    assert.deepEqual([readdirSync(folder), logged], [[], ['warn: Removed a.json: it is no record of a process.']]);
  });

  test('of an owner whose number another process has now count as left behind', async function () {
    if (process.platform !== 'linux') this.skip();
    const child = start();
    const owner = { ownerPid: process.pid, ownerStart: 'another' };
    record('1-1.json', { pid: child, start: processStartSync(child), command: 'c', ...owner });
    assert.equal(await sweep(), 1);
    assert.equal(await isRunning(child), false);
  });

  test('that are broken are removed, with a word', async () => {
    writeFileSync(join(folder, 'a.json'), '{"pid":');
    record('b.json', { pid: 1, start: 'x', ownerPid: 2, ownerStart: 'x', command: 'init' });
    record('c.json', { pid: -5, ownerPid: 7 });
    record('d.json', []);
    writeFileSync(join(folder, `${await gone()}-5.json.tmp`), '');
    writeFileSync(join(folder, 'other.txt'), '');
    assert.equal(await sweep(), 0);
    assert.deepEqual(readdirSync(folder), ['other.txt']);
    assert.deepEqual(
      logged.sort(),
      ['a', 'b', 'c', 'd'].map((name) => `warn: Removed ${name}.json: it is no record of a process.`),
    );
  });

  test('of a missing folder are empty', async () => {
    assert.equal(await endOrphans(join(folder, 'none')), 0);
  });
});

async function waitForEnd(pid: number): Promise<void> {
  for (let attempt = 0; attempt < 200 && (await isRunning(pid)); attempt++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal(await isRunning(pid), false);
}
