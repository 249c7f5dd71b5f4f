import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createNodeHost } from '../../../src/cli/nodeHost.ts';
import {
  CancellationSource,
  type CallOptions,
  type Host,
  type JsonObject,
  type ResultView,
} from '../../../src/core/index.ts';
import { descendants, waitUntil } from '../../support/processes.ts';
import { ID } from './caseHost.ts';

const SERVER = join(import.meta.dirname, '..', 'fixtures', 'dialectServer.mjs');

/** How each server is reached, with the required settings. */
const WAYS = {
  lines: { dialect: 'auto' },
  // The dialect does not define this framing. It is tried if settings require the dialect and lines are not answered.
  contentLength: { dialect: 'force' },
  ws: { dialect: 'auto' },
} as const satisfies Record<string, JsonObject>;

for (const [way, protocol] of Object.entries(WAYS))
  suite(`A server of the short dialect, over ${way}, in the host`, () => {
    let host: Host;
    let child: ChildProcess | undefined;

    const serve = async (...flags: readonly string[]): Promise<void> => {
      const args = [SERVER, way, ...flags];
      // Silence shows that the server does not read lines.
      const common = { protocol, timeouts: { start: way === 'contentLength' ? 2 : 20 } };
      let entry: JsonObject = { command: process.execPath, args, ...common };
      if (way === 'ws') {
        child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
        assert.ok(child.stderr !== null);
        const [line] = await once(createInterface({ input: child.stderr }), 'line');
        entry = { url: `ws://127.0.0.1:${/^port (\d+)$/.exec(String(line))?.[1]}/`, ...common };
      }
      host = createNodeHost({ servers: { [ID]: entry } });
      await host.start(ID);
      await waitUntil('the lists', () => host.server(ID)?.listing.kind === 'read' && resources().length > 0);
    };
    teardown(async () => {
      await host.close();
      if (child !== undefined && child.exitCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      child = undefined;
      assert.deepEqual(descendants(), []);
    });

    const tools = (): readonly string[] => host.server(ID)?.tools.map(({ tool: { name } }) => name) ?? [];
    const resources = (): readonly string[] => host.server(ID)?.resources.map(({ uri }) => uri) ?? [];
    const call = (tool: string, args: JsonObject = {}, options?: CallOptions): Promise<ResultView> =>
      host.callTool({ server: ID, tool, args, route: 'api' }, options);

    test('is recognised, listed and called, its own errors being words of the tool', async () => {
      await serve();
      const state = host.server(ID)?.state;
      assert.ok(state?.kind === 'running');
      assert.deepEqual(
        [state.connection.isDialect, state.connection.era, state.info.name, state.info.version],
        [true, 'legacy', 'example-server', '1.0.0'],
      );
      assert.deepEqual(tools(), ['get_weather', 'slow', 'grow', 'fail']);
      assert.deepEqual(resources(), ['dialect003:user_files', 'file:///notes']);
      const weather = { temperature: 89, condition: 'Sunny', city: 'Zürich' };
      const { structured, isError } = await call('get_weather', { city: 'Zürich' });
      assert.deepEqual([structured, isError], [weather, false]);
      await assert.rejects(call('get_weather'), { code: 'INVALID_ARGUMENTS' });
      const refused = await host.callTool({
        server: ID,
        tool: 'get_weather',
        args: {},
        route: 'command',
        unchecked: true,
      });
      assert.deepEqual([refused.isError, refused.modelText], [true, "Missing required parameter 'city'"]);
      const failed = await call('fail');
      assert.deepEqual([failed.isError, failed.modelText], [true, 'No luck.']);
    });

    // The rest does not depend on the framing.
    if (way === 'contentLength') return;

    test('reports progress, and a cancelled call ends regardless of later messages', async () => {
      await serve();
      const source = new CancellationSource();
      const steps: unknown[] = [];
      const slow = call(
        'slow',
        {},
        {
          token: source.token,
          onProgress: (progress) => {
            steps.push(progress);
            source.cancel();
          },
        },
      );
      await assert.rejects(slow, { code: 'CANCELLED' });
      assert.deepEqual(steps, [{ progress: 42, total: 100, message: 'Searching...' }]);
      assert.equal((await call('fail')).modelText, 'No luck.');
    });

    test('announces other tools, which are then read again, and resources that changed', async () => {
      await serve();
      await call('grow');
      await waitUntil('the new tool', () => tools().includes('new_tool'));
      const heard: string[] = [];
      const watch = host.subscribeResource(ID, 'dialect003:user_files', (uri) => heard.push(uri));
      await watch.agreed.catch(() => undefined);
      await call('grow');
      await waitUntil('the change', () => heard.length > 0);
      assert.deepEqual(heard, ['dialect003:user_files']);
      watch.dispose();
    });

    test('that takes no other greeting than its own, and answers no farewell, is served and ended', async () => {
      await serve('--picky', '--mute');
      assert.equal((await call('fail')).modelText, 'No luck.');
      await host.stop(ID);
      assert.equal(host.server(ID)?.state.kind, 'stopped');
    });
  });
