import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createNodeHost } from '../../../src/cli/nodeHost.ts';
import { type Host, NO_LOG } from '../../../src/core/index.ts';
import { openStore } from '../../../src/node/store/sqliteStore.ts';
import { mcplServer, serverCommand } from '../../bench/clients/client.ts';
import { type PaceReport, readPaceReport, sumOfReports } from '../../bench/mcplReadings.ts';
import { dose } from '../../support/dose.ts';

const workerPath = new URL('../../../src/node/store/storeWorker.ts', import.meta.url);

const FEEDS = ['feed0', 'feed1', 'feed2'];
/** Events per second of all servers together. */
const RATE = 999;
/** Long enough that events which stay in memory would show. */
const LENGTH = 4_000;
const MAX_EVENTS = 200;
/** By then all caches per server are full, and the code is compiled. */
const WARM_UP_SECONDS = 3;
const SECONDS = dose(5, 60);
/** The store trims after this many new events. */
const SLACK = 256;

const collect = ((): (() => void) => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
})();

const heapAfterCollection = (): number => {
  collect();
  return process.memoryUsage().heapUsed;
};

suite('a flood of push events', function () {
  this.timeout((WARM_UP_SECONDS + SECONDS) * 1_000 * 4 + 60_000);
  let folder: string;
  let host: Host;

  setup(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-flood-'));
    const feed = {
      ...mcplServer(),
      featureSets: { enabled: ['bench.events'] },
      // The call that starts a flood lasts until its end.
      timeouts: { call: 300 },
    };
    host = createNodeHost({
      servers: { ...Object.fromEntries(FEEDS.map((name) => [name, feed])), other: { ...serverCommand } },
      limits: { pushPerMinute: 100_000, maxEvents: MAX_EVENTS },
      storageFile: join(folder, 'mcpl.sqlite'),
    });
    await Promise.all([...FEEDS, 'other'].map((id) => host.start(id)));
  });

  teardown(async () => {
    await host.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function flood(seconds: number): Promise<PaceReport> {
    const args = { rate: RATE / FEEDS.length, seconds, length: LENGTH };
    const calls = FEEDS.map((server) => host.callTool({ server, tool: 'pace', args, route: 'api' }));
    return sumOfReports((await Promise.all(calls)).map(({ modelText }) => readPaceReport(modelText)));
  }

  /** Calls another server one by one until the flood ends. Returns the slowest time. */
  async function callMeanwhile(over: Promise<unknown>): Promise<{ readonly calls: number; readonly slowest: number }> {
    let isOver = false;
    void over.finally(() => (isOver = true));
    let slowest = 0;
    let calls = 0;
    for (; !isOver; calls++) {
      const started = performance.now();
      await host.callTool({ server: 'other', tool: 'echo', args: {}, route: 'api' });
      slowest = Math.max(slowest, performance.now() - started);
      await wait(50);
    }
    return { calls, slowest };
  }

  test('each is answered once, all else goes on, and nothing grows with their number', async () => {
    let longest = 0;
    host.events.onDidChange(() => (longest = Math.max(longest, host.events.list().length)));

    const first = await flood(WARM_UP_SECONDS);
    const before = heapAfterCollection();
    const flooding = flood(SECONDS);
    const meanwhile = await callMeanwhile(flooding);
    const second = await flooding;
    const grown = heapAfterCollection() - before;

    const sent = RATE * SECONDS;
    assert.deepEqual(
      [first, second],
      [RATE * WARM_UP_SECONDS, sent].map((count) => ({ sent: count, accepted: count, refused: 0, unasked: 0 })),
    );
    assert.ok(longest <= MAX_EVENTS && host.events.list().length === MAX_EVENTS, `${longest} events in the list`);
    assert.equal(host.events.unread, MAX_EVENTS);
    // A tenth of the size of the texts.
    assert.ok(grown < (sent * LENGTH) / 10, `${grown} bytes more for ${sent} events`);
    assert.ok(meanwhile.calls > SECONDS && meanwhile.slowest < 5_000, JSON.stringify(meanwhile));

    await host.close();
    const kept = await stored();
    assert.equal(kept.records, RATE * (WARM_UP_SECONDS + SECONDS));
    assert.ok(kept.events >= MAX_EVENTS && kept.events <= MAX_EVENTS + SLACK, `${kept.events} events in the store`);
  });

  /** Stored events, and audit records of accepted events. */
  async function stored(): Promise<{ readonly events: number; readonly records: number }> {
    const store = openStore({ file: join(folder, 'mcpl.sqlite'), workerPath, log: NO_LOG });
    const events = (await store.events.list(1_000_000)).length;
    let records = 0;
    for (let before: number | undefined; ;) {
      const page = await store.audit.list({ limit: 5_000, before });
      records += page.filter(({ operation, outcome }) => operation === 'push/event' && outcome === 'success').length;
      before = page.at(-1)?.place;
      if (before === undefined) break;
    }
    await store.close();
    return { events, records };
  }
});
