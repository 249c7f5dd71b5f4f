import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createNodeHost } from '../../src/cli/nodeHost.ts';
import type { Host, JsonObject } from '../../src/core/index.ts';
import { type Gateway, startGateway } from '../../src/node/gateway/gatewayServer.ts';
import { nodeIds } from '../../src/node/nodePorts.ts';
import { visit } from '../bench/gatewayVisit.ts';
import { type IdleServers, startIdleServers } from '../bench/idleServers.ts';
import { TimerCount } from '../bench/timerCount.ts';

/** A timer that fires every second would fire twice in this time. */
const LOOK_MS = 3_000;
/** Work from the start may continue until then. */
const LOOKS = 5;

suite('Ten real servers that have nothing to do', function () {
  this.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), 'mcpl-idle-'));
  // Only timers of this project. The text is the stack at the call, or the callback if the stack only has Node's
  // frames.
  const timers = new TimerCount((text) => text.includes('/src/'));
  let servers: IdleServers;
  let host: Host;
  let gateway: Gateway;
  let leave: () => Promise<unknown>;

  suiteSetup(async () => {
    timers.watch();
    servers = await startIdleServers();
    const entries = JSON.parse(JSON.stringify(servers.entries)) as JsonObject;
    host = createNodeHost({ servers: entries, storageFile: join(folder, 'mcpl.sqlite') });
    const ids = Object.keys(entries);
    await Promise.all(ids.map((id) => host.start(id)));
    await Promise.all([host.events.loaded(), host.approvals.loaded(), host.lineages.loaded()]);
    gateway = await startGateway({ host, ids: nodeIds });
    leave = await visit(ids.map((id) => gateway.address(id)));
  });
  suiteTeardown(async () => {
    timers.unwatch();
    await leave();
    await gateway.dispose();
    await host.close();
    await servers.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('set no timer that fires more than once a second', async () => {
    const running = host.servers().map(({ id, state }) => `${id} ${state.kind}`);
    assert.deepEqual(running, [
      'memory running',
      'filesystem running',
      'everything running',
      'stateless running',
      'push running',
      'demo running',
      'http running',
      'sse running',
      'statelessHttp running',
      'websocket running',
    ]);
    let seen: readonly string[] = ['nothing yet'];
    for (let look = 0; look < LOOKS && seen.length > 0; look++) {
      timers.start();
      await wait(LOOK_MS);
      seen = timers
        .stop()
        .filter(({ isOurs, shortestMs }) => isOurs && shortestMs < 1_000)
        .map(({ where, fired, shortestMs }) => `${fired} x ${shortestMs} ms ${where}`);
    }
    assert.deepEqual(seen, []);
  });
});
