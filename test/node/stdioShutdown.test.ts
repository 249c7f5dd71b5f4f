import assert from 'node:assert/strict';
import { isJsonObject } from '../../src/core/index.ts';
import { isRunning, StdioBench } from './stdioServer.ts';

const QUICK = { stdinMs: 150, termMs: 150 };

async function grandchild(bench: StdioBench, params = {}): Promise<number> {
  const answer = await bench.ask('spawn', params);
  assert.ok(isJsonObject(answer) && typeof answer['pid'] === 'number');
  return answer['pid'];
}

suite('the end of a server over stdio', () => {
  test('is its own when its input ends', async () => {
    const bench = await StdioBench.open();
    const start = performance.now();
    await Promise.all([bench.close(), bench.transport.close()]);
    await bench.transport.close();
    assert.equal(await bench.closed, undefined);
    assert.ok(performance.now() - start < 1_500);
    assert.equal(await isRunning(bench.transport.pid), false);
  });

  test('is forced on one that minds neither its input nor SIGTERM', async () => {
    const bench = await StdioBench.open(['--stubborn'], { shutdown: QUICK });
    await bench.ask('echo');
    await bench.close();
    assert.equal(await bench.closed, undefined);
    assert.equal(await isRunning(bench.transport.pid), false);
  });

  test('also ends its children, whether it exits or is killed', async () => {
    for (const args of [[], ['--stubborn']]) {
      const bench = await StdioBench.open(args, { shutdown: QUICK });
      const pid = await grandchild(bench);
      assert.equal(await isRunning(pid), true);
      await bench.close();
      assert.deepEqual([await isRunning(bench.transport.pid), await isRunning(pid)], [false, false]);
    }
  });

  test('comes to a child that made a process group of its own', async () => {
    const bench = await StdioBench.open(['--stubborn'], { shutdown: QUICK });
    const pid = await grandchild(bench, { detached: true });
    await bench.close();
    assert.deepEqual([await isRunning(bench.transport.pid), await isRunning(pid)], [false, false]);
  });

  test('is reported although a grandchild holds the output open', async () => {
    const bench = await StdioBench.open([], { shutdown: QUICK });
    const pid = await grandchild(bench);
    void bench.ask('die', { code: 1 }).catch(() => undefined);
    assert.equal((await bench.closed)?.code, 'SERVER_EXITED');
    await bench.close();
    assert.equal(await isRunning(pid), false);
  });

  test('comes to a grandchild that goes on writing', async () => {
    const bench = await StdioBench.open([], { shutdown: QUICK });
    const pid = await grandchild(bench, { chatty: true });
    await bench.close();
    assert.equal(await bench.closed, undefined);
    assert.equal(await isRunning(pid), false);
  });

  test('leaves nothing behind in twenty rounds', async () => {
    const pids: number[] = [];
    const handles = (): number => process.getActiveResourcesInfo().filter((name) => /Wrap|Timeout/.test(name)).length;
    const warmUp = await StdioBench.open();
    await warmUp.close();
    const before = handles();
    for (let round = 0; round < 20; round++) {
      const bench = await StdioBench.open();
      pids.push(bench.transport.pid);
      await bench.ask('echo', { round });
      await bench.close();
    }
    // The event loop closes a pipe some turns later on a busy machine, and emits no event for the last one.
    for (let turn = 0; turn < 500 && handles() > before; turn++) await new Promise((resolve) => setTimeout(resolve, 2));
    // Handles of earlier tests may be closed meanwhile.
    assert.ok(handles() <= before, process.getActiveResourcesInfo().join());
    assert.deepEqual(
      await Promise.all(pids.map(isRunning)),
      pids.map(() => false),
    );
  });
});
