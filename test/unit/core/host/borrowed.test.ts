import assert from 'node:assert/strict';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import type { Storage } from '../../../../src/core/ports.ts';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';

/** The start prompt as text. Empty without a prompt. */
async function questionOf(user: JsonObject, workspace: JsonObject = {}): Promise<string> {
  const t = new TestHost();
  t.files['/project/.env'] = '';
  t.files['/project/sub/.env'] = '';
  t.files['/home/me/.env'] = '';
  t.connect = () => new ScriptedServer({ 'tools/list': () => ({ tools: [tool('read')] }) });
  t.answer = 'dontStart';
  await t.user({ a: { ...user, enabled: true } }, { a: workspace });
  const text = t.questions.map(({ reason, target, remarks }) => [reason, target, ...remarks].join(' | ')).join();
  const outcome = t.show();
  await t.host.close();
  return text === '' ? outcome : text;
}

suite('What the workspace takes from the user', () => {
  test('is named before a server starts that the workspace made another one', async () => {
    const mine = {
      url: 'https://mine.test',
      headers: { Authorization: 'Bearer mine' },
      tools: { autoApprove: ['read'] },
    };
    assert.equal(
      await questionOf(mine, { url: 'https://theirs.test', headers: { Own: '${env:CLOUD_KEY} ${input:pin}' } }),
      'first | https://theirs.test | Models may call without asking: "read". | Your own settings give it: "Authorization".' +
        ' | It is given your answers to the inputs: "pin". | It is given your environment variables: "CLOUD_KEY".' +
        ' | It sends the headers: "Authorization", "Own".',
    );
    assert.equal(
      await questionOf({ command: 'x', tools: { autoApprove: ['read'] } }),
      'a: running 2025-06-18 pid 101 [read auto]',
    );
  });

  test('counts as the workspace’s where the user’s own settings lead into its files', async () => {
    const outcomes = await Promise.all(
      [
        { command: 'node', envFile: '.env' },
        { command: 'node', envFile: 'sub/.env' },
        { command: './run', cwd: '${workspaceFolder}' },
        { command: 'bin/run', cwd: 'sub' },
        { command: '${workspaceFolder}/run', cwd: '/elsewhere' },
        { command: 'node', envFile: '${userHome}/.env' },
        { command: 'node', args: ['./server.js'] },
        { command: './run', cwd: '/opt/mine' },
        { command: './run' },
        { command: '/opt/mine/run' },
        { command: '${userHome}/run' },
      ].map(async (entry) => ((await questionOf(entry)).startsWith('first') ? 'asks' : 'starts')),
    );
    assert.deepEqual(outcomes, [
      'asks',
      'asks',
      'asks',
      'asks',
      'asks',
      'starts',
      'starts',
      'starts',
      'starts',
      'starts',
      'starts',
    ]);
  });

  test('was allowed for the folders that were open then, and for no others', async () => {
    const storage: Storage = memoryStorage();
    const questions = async (folder: string): Promise<number> => {
      const t = new TestHost(storage);
      t.folders = [{ name: 'project', path: folder }];
      await t.workspace({ a: { command: '${workspaceFolder}/run', enabled: true } });
      await t.host.close();
      return t.questions.length;
    };
    assert.deepEqual([await questions('/one'), await questions('/one'), await questions('/two')], [1, 0, 1]);
  });
});
