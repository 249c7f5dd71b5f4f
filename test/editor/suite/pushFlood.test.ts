import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { dose } from '../../support/dose.ts';
import { floodServer } from '../floodServerEntry.ts';
import { person } from '../person.ts';
import { cleanSlate, mcpLive, setServers, untilServer, untilTools } from './mcpLive.ts';

const SERVERS = ['one', 'two', 'three'] as const;
/** Per server. Together a thousand per second. */
const RATE = 334;
const SECONDS = dose(5, 60);
const KEPT = 500;

/** The times of editor commands, repeated until `over` settles. */
const commandTimes = async (over: Promise<unknown>): Promise<readonly number[]> => {
  const times: number[] = [];
  let isOver = false;
  void over.finally(() => (isOver = true));
  while (!isOver) {
    const began = performance.now();
    await vscode.commands.executeCommand('setContext', 'mcpl.test.flood', times.length);
    times.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return times;
};

const figures = (times: readonly number[]): string => {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  return `median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms (${sorted.length} commands)`;
};

suite('A flood of push events from three servers', function () {
  this.timeout(dose(120_000, 300_000));

  setup(async () => {
    await cleanSlate();
    const { host, testing } = await mcpLive();
    testing.answerConsent(async () => 'start');
    await host.events.clear();
    const settings = vscode.workspace.getConfiguration('mcpl');
    await settings.update('push.maxPerMinute', 100_000, vscode.ConfigurationTarget.Global);
    await settings.update('events.maxCount', KEPT, vscode.ConfigurationTarget.Global);
    await setServers(Object.fromEntries(SERVERS.map((id) => [id, floodServer])));
    for (const id of SERVERS) {
      await untilTools(id);
      await untilServer(id, 'its set on', (server) => server?.mcpl?.sets[0]?.state === 'enabled');
    }
  });
  teardown(async () => {
    const settings = vscode.workspace.getConfiguration('mcpl');
    await settings.update('push.maxPerMinute', undefined, vscode.ConfigurationTarget.Global);
    await settings.update('events.maxCount', undefined, vscode.ConfigurationTarget.Global);
    await (await mcpLive()).host.events.clear();
    await cleanSlate();
  });

  test('is answered whole, and the inbox keeps what its setting says', async function () {
    const { host } = await mcpLive();
    await vscode.commands.executeCommand('mcpl.events.focus');
    const flood = (rate: number): Promise<readonly unknown[]> =>
      Promise.all(
        SERVERS.map(async (server) => {
          const args = { rate, seconds: SECONDS };
          const { modelText } = await host.callTool({ server, tool: 'flood', args, route: 'api' });
          return JSON.parse(modelText) as unknown;
        }),
      );
    const pause = new Promise((resolve) => setTimeout(resolve, SECONDS * 1_000));
    const quiet = await commandTimes(pause);
    const before = process.memoryUsage().rss;
    const answers = flood(RATE);
    const busy = await commandTimes(answers);
    const grown = (process.memoryUsage().rss - before) / 1e6;
    // Only printed, because the time of a command also depends on the machine.
    const told = `editor commands at rest: ${figures(quiet)}; meanwhile: ${figures(busy)}; memory +${grown.toFixed(0)} MB`;
    if (this.test !== undefined) this.test.title += ` (${told})`;
    assert.deepEqual(
      await answers,
      SERVERS.map(() => ({ '{"accepted":true}': RATE * SECONDS })),
    );
    assert.equal(host.events.list().length, KEPT);
    await person.screenshot('the inbox after a flood');
  });
});
