import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createNodeHost } from '../../src/cli/nodeHost.ts';
import type { Host, JsonObject, ResultView } from '../../src/core/index.ts';
import { dose } from '../support/dose.ts';
import { descendants, isAlive, waitUntil } from '../support/processes.ts';

const require = createRequire(import.meta.url);

/** The script of a published server. */
function script(name: string): string {
  return join(dirname(require.resolve(`${name}/package.json`)), 'dist', 'index.js');
}

const everything = script('@modelcontextprotocol/server-everything');
const everythingOld = script('server-everything-0.6.2');
const filesystem = script('@modelcontextprotocol/server-filesystem');
const memory = script('@modelcontextprotocol/server-memory');

function hostOf(servers: JsonObject): { readonly host: Host; readonly log: string[] } {
  const log: string[] = [];
  const host = createNodeHost({ servers, onLog: ({ server, message }) => log.push(`${server}: ${message}`) });
  return { host, log };
}

const node = (...args: string[]): JsonObject => ({ command: process.execPath, args });

async function toolNames(host: Host, id: string): Promise<readonly string[]> {
  await waitUntil(`the tools of ${id}`, () => (host.server(id)?.tools.length ?? 0) > 0);
  return (host.server(id)?.tools ?? []).map(({ tool }) => tool.name);
}

function call(host: Host, server: string, tool: string, args: JsonObject): Promise<ResultView> {
  return host.callTool({ server, tool, args, route: 'api' });
}

function pidOf(host: Host, id: string): number {
  const state = host.server(id)?.state;
  assert.ok(state?.kind === 'running' && state.pid !== undefined);
  return state.pid;
}

suite('Published servers', function () {
  this.timeout(60_000);
  let folder: string;

  setup(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcpl-real-')));
  });
  teardown(() => {
    rmSync(folder, { recursive: true, force: true });
    assert.deepEqual(descendants(), [], 'no process is left behind');
  });

  test('server-everything, the newest: listed, called with progress, stopped', async () => {
    const { host } = hostOf({ every: node(everything, 'stdio') });
    await host.start('every');
    const names = await toolNames(host, 'every');
    assert.ok(names.includes('echo') && names.length >= 10, names.join(' '));
    assert.match((await call(host, 'every', 'echo', { message: 'hello' })).modelText, /hello/);
    const steps: number[] = [];
    const long = names.find((name) => /long-?running/i.test(name)) ?? '';
    const view = await host.callTool(
      { server: 'every', tool: long, args: { duration: 0.4, steps: 4 }, route: 'api' },
      { onProgress: (progress) => steps.push(progress.progress) },
    );
    assert.deepEqual(steps, [1, 2, 3, 4]);
    assert.match(view.modelText, /completed/i);
    const pid = pidOf(host, 'every');
    await host.stop('every');
    assert.equal(isAlive(pid), false);
    await host.close();
  });

  test('server-everything 0.6.2, which knows the oldest revision alone and ignores a closed stdin', async () => {
    const { host } = hostOf({ old: node(everythingOld) });
    await host.start('old');
    const state = host.server('old')?.state;
    assert.equal(state?.kind === 'running' && state.protocolVersion, '2024-11-05');
    assert.ok((await toolNames(host, 'old')).includes('echo'));
    assert.match((await call(host, 'old', 'add', { a: 2, b: 40 })).modelText, /42/);
    const pid = pidOf(host, 'old');
    await host.close();
    assert.equal(isAlive(pid), false);
  });

  test('server-filesystem reads inside its folder and refuses what lies outside', async () => {
    writeFileSync(join(folder, 'a.txt'), 'content of a');
    const { host } = hostOf({ files: node(filesystem, folder) });
    await host.start('files');
    assert.ok((await toolNames(host, 'files')).includes('read_text_file'));
    assert.match(
      (await call(host, 'files', 'read_text_file', { path: join(folder, 'a.txt') })).modelText,
      /content of a/,
    );
    const refused = await call(host, 'files', 'read_text_file', { path: '/etc/hostname' });
    assert.equal(refused.isError, true);
    assert.match(refused.modelText, /denied/i);
    await host.close();
  });

  test('server-memory keeps its input', async () => {
    const env = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') };
    const { host } = hostOf({ memory: { ...node(memory), env } });
    await host.start('memory');
    assert.equal((await toolNames(host, 'memory')).length, 9);
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes tests'] }];
    await call(host, 'memory', 'create_entities', { entities });
    const graph = await call(host, 'memory', 'read_graph', {});
    assert.match(graph.modelText, /likes tests/);
    assert.deepEqual((graph.structured as { entities?: unknown[] }).entities?.length, 1);
    await host.close();
  });

  test('four at once: one that is killed comes back, and the others do not notice', async () => {
    const { host } = hostOf({
      every: node(everything, 'stdio'),
      old: node(everythingOld),
      files: node(filesystem, folder),
      memory: { ...node(memory), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } },
    });
    const ids = ['every', 'old', 'files', 'memory'];
    await Promise.all(ids.map((id) => host.start(id)));
    const before = ids.map((id) => pidOf(host, id));
    const states: string[] = [];
    host.onDidChangeServer(({ server, what }) => {
      if (what === 'state') states.push(`${server} ${host.server(server)?.state.kind}`);
    });
    process.kill(before[1] ?? 0, 'SIGKILL');
    await waitUntil('the restart', () => states.includes('old running'));
    assert.deepEqual(states, ['old restarting', 'old starting', 'old running']);
    assert.deepEqual(
      ids.filter((id, index) => pidOf(host, id) !== before[index]),
      ['old'],
    );
    await host.close();
  });

  test('started and stopped again and again, leave no process, handle or listener', async () => {
    const { host } = hostOf({ every: node(everything, 'stdio') });
    const handles = (): number => process.getActiveResourcesInfo().filter((kind) => kind !== 'Immediate').length;
    await host.start('every');
    await host.stop('every');
    const before = handles();
    for (let cycle = 0; cycle < dose(8, 200); cycle++) {
      await host.start('every');
      await host.stop('every');
    }
    assert.deepEqual(descendants(), []);
    await waitUntil('the handles to close', () => handles() <= before);
    assert.equal(process.listenerCount('exit') <= 1, true);
    await host.close();
  }).timeout(dose(60_000, 600_000));
});
