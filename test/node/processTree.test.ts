import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  listProcesses,
  parseProcStat,
  parsePsList,
  parseWindowsList,
  type ProcessEntry,
} from '../../src/node/process/processList.ts';
import { ProcessTree, send, treeOf } from '../../src/node/process/processTree.ts';
import { nodeClock } from '../../src/node/nodePorts.ts';

suite('the list of processes', () => {
  test('is read from /proc, whatever a process is called', () => {
    const stat = (name: string, state: string): string =>
      `42 (${name}) ${state} 7 41 40 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1000 200 18446744073709551615`;
    const expected = { pid: 42, parent: 7, group: 41, session: 40, isZombie: false, start: 'boot/987654' };
    assert.deepEqual(parseProcStat(stat('node', 'S'), 'boot'), expected);
    assert.deepEqual(parseProcStat(stat('a) Z (b) 1', 'R'), 'boot'), expected);
    assert.deepEqual(parseProcStat(stat('node', 'Z'), 'boot'), { ...expected, isZombie: true });
    assert.deepEqual([parseProcStat('', 'boot'), parseProcStat('42 (node) S 7', 'boot')], [undefined, undefined]);
  });

  test('is read from ps', () => {
    const text =
      '    1     0     1 Ss   Mon Nov  3 08:01:02 2025\n  812     1   812 Z    Tue Nov 18 10:11:12 2025\nrubbish\n';
    assert.deepEqual(parsePsList(text), [
      { pid: 1, parent: 0, group: 1, session: undefined, isZombie: false, start: 'Mon Nov 3 08:01:02 2025' },
      { pid: 812, parent: 1, group: 812, session: undefined, isZombie: true, start: 'Tue Nov 18 10:11:12 2025' },
    ]);
  });

  test('is read from PowerShell', () => {
    assert.deepEqual(parseWindowsList('4 0 133762345678901234\r\nrubbish\r\n5120 4 133762345678905678\r\n'), [
      { pid: 4, parent: 0, group: undefined, session: undefined, isZombie: false, start: '133762345678901234' },
      { pid: 5120, parent: 4, group: undefined, session: undefined, isZombie: false, start: '133762345678905678' },
    ]);
  });

  test('holds this process, with the same start each time', async () => {
    const [once, again] = await Promise.all([listProcesses(), listProcesses()]);
    const own = once.find((entry) => entry.pid === process.pid);
    assert.equal(own?.parent, process.ppid);
    assert.deepEqual(
      own,
      again.find((entry) => entry.pid === process.pid),
    );
  });
});

suite('a tree of processes', () => {
  const entry = (pid: number, parent: number, group: number, changes: Partial<ProcessEntry> = {}): ProcessEntry => ({
    pid,
    parent,
    group,
    session: group,
    isZombie: false,
    start: String(pid),
    ...changes,
  });
  const members = (processes: readonly ProcessEntry[]): readonly number[] =>
    treeOf(10, processes)
      .map(({ pid }) => pid)
      .sort((a, b) => a - b);

  test('is the group and session of its root and all that descends from them', () => {
    const processes = [
      entry(1, 0, 1),
      entry(9, 1, 9),
      entry(10, 9, 10),
      entry(11, 10, 10),
      entry(12, 1, 10),
      entry(13, 12, 13),
      entry(14, 13, 13),
      entry(15, 1, 15, { session: 10 }),
      entry(16, 10, 10, { isZombie: true }),
      entry(17, 1, 17),
    ];
    assert.deepEqual(members(processes), [10, 11, 12, 13, 14, 15]);
    assert.deepEqual(members(processes.filter(({ pid }) => pid !== 10)), [11, 12, 13, 14, 15]);
  });

  test('survives a circle of parents', () => {
    assert.deepEqual(members([entry(10, 11, 10), entry(11, 10, 10)]), [10, 11]);
  });

  if (process.platform !== 'win32') {
    test('ends as a whole, and says so', async () => {
      const child = spawn('/bin/sh', ['-c', 'sleep 60 & sleep 60 & echo up; wait'], {
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      await once(child.stdout, 'data');
      assert.ok(child.pid !== undefined);
      const tree = new ProcessTree(child.pid);
      const before = [await tree.isAlive(), await tree.waitForEnd(30, nodeClock)];
      await tree.signal('SIGKILL');
      assert.deepEqual(
        [before, await tree.waitForEnd(2_000, nodeClock), await tree.isAlive()],
        [[true, false], true, false],
      );
    });

    test('that does not exist is not alive', async () => {
      const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore', detached: true });
      await once(child, 'exit');
      assert.ok(child.pid !== undefined);
      assert.deepEqual([await new ProcessTree(child.pid).isAlive(), send(child.pid, 0)], [false, false]);
    });
  }
});
