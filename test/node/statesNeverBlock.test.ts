import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createNodeHost } from '../../src/cli/nodeHost.ts';
import type { Host, LineageWindow } from '../../src/core/index.ts';
import { isFullDose } from '../support/dose.ts';
import { CAN_MEASURE_TURNS, longestTurn } from '../support/longestTurn.ts';

const serverPath = fileURLToPath(new URL('fixtures/largeStateServer.mjs', import.meta.url));
/** Maximum time in the extension host, which all extensions share. */
const MAX_MS = 50;
const MAX_ROUNDS = 3;
const KEY = { server: 'large', featureSet: 'notes.edit' };
const KINDS = ['notes', 'text', 'foreign', 'tiny', 'wide'];
/** Other transports only differ in how messages arrive. */
const KINDS_OVER = { stdio: KINDS, WebSocket: isFullDose ? KINDS : ['notes', 'wide'] } as const;

// With the plain parser, states of 10 MB took 30 ms (a few long texts) to 740 ms (very many members).
suite('States of 10 MB never keep the extension host for more than 50 ms', function () {
  this.timeout(120_000);
  let folder: string;
  let host: Host;
  let child: ChildProcess | undefined;

  setup(function () {
    if (!CAN_MEASURE_TURNS) this.skip();
    folder = mkdtempSync(join(tmpdir(), 'mcpl-blocks-'));
  });

  teardown(async () => {
    if (!CAN_MEASURE_TURNS) return;
    await host.close();
    child?.stdin?.end();
    child = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  async function started(kind: string, over: 'stdio' | 'WebSocket'): Promise<void> {
    const common = { enabled: true, protocol: { era: 'legacy' }, featureSets: { enabled: ['*'] } };
    const large = { ...common, ...(await connection(kind, over)) };
    host = createNodeHost({ storageFile: join(folder, 'mcpl.sqlite'), servers: { large } });
    await host.start('large');
    await host.lineages.loaded();
  }

  async function connection(kind: string, over: 'stdio' | 'WebSocket'): Promise<object> {
    if (over === 'stdio') return { command: process.execPath, args: [serverPath, kind] };
    child = spawn(process.execPath, [serverPath, kind, '--socket'], { stdio: ['pipe', 'pipe', 'inherit'] });
    assert.ok(child.stdout !== null);
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    return { url: `ws://127.0.0.1:${String(port).trim()}` };
  }

  const call = (tool: string) => async (): Promise<void> => {
    await host.callTool({ server: 'large', tool, args: {}, route: 'api' });
  };

  const window = (): Promise<LineageWindow> =>
    host.lineages.window({ ...KEY, filter: { text: '', only: 'all' }, from: 0, count: 50 });

  async function looked(): Promise<void> {
    const { rows } = await window();
    const place = rows[0]?.node.place ?? 0;
    await host.lineages.state(place, 'compact');
    await host.lineages.checkpoint(place);
    await host.lineages.exportTo(KEY, join(folder, 'exported.jsonl'));
  }

  /** Turns that were too long in every attempt, because necessary work is never faster. */
  async function tooLong(): Promise<Readonly<Record<string, number>>> {
    const work = { whole: call('whole'), edit: call('edit'), looked } as const;
    let long: Record<string, number> = { whole: Infinity, edit: Infinity, looked: Infinity };
    for (let round = 0; round < MAX_ROUNDS && Object.keys(long).length > 0; round++) {
      const again: Record<string, number> = {};
      for (const [what, doing] of Object.entries(work)) {
        const ms = Math.min(long[what] ?? 0, await longestTurn(doing));
        if (ms > MAX_MS) again[what] = ms;
      }
      long = again;
    }
    return long;
  }

  for (const over of ['stdio', 'WebSocket'] as const)
    for (const kind of KINDS_OVER[over])
      test(`when they come, go along with a call and are looked at: ${kind}, over ${over}`, async () => {
        await started(kind, over);
        assert.deepEqual(await tooLong(), {});
        const { total, rows } = await window();
        // One complete state and one patched state in each round.
        assert.ok(total >= 2 && total % 2 === 0, `${total} checkpoints`);
        const whole = rows.at(-1);
        const size = (await host.lineages.state(whole?.node.place ?? 0, 'compact'))?.length ?? 0;
        assert.ok(size > 3_000_000, `${size} characters`);
      });
});
