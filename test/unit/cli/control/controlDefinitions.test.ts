import assert from 'node:assert/strict';
import { toolView } from '../../../../src/cli/control/controlViews.ts';
import type { ToolChange } from '../../../../src/core/index.ts';
import { Driver } from './driver.ts';
import { type FakeHost, tool } from '../fakeHost.ts';

const CHANGE: ToolChange = { form: 'f2', before: 'one', now: 'two', isFrequent: false, isDeclined: false };

suite('A driver and the changed definition of an approved tool', () => {
  let driver: Driver;
  let host: FakeHost;

  setup(() => {
    driver = new Driver();
    ({ host } = driver);
    host.change = CHANGE;
  });

  teardown(() => driver.dispose());

  /** The reported definitions after a change of the server's tools. */
  function told(): readonly unknown[] {
    host.changed.fire({ server: 'files', what: 'tools' });
    const heard = driver.heard() as readonly { event: string }[];
    return heard.filter(({ event }) => event === 'definitionChanged');
  }

  /** The answer to `answerDefinition`: the code of a refusal, or the remaining change. */
  async function answer(given: string, members: object = {}): Promise<unknown> {
    const line = { id: 1, command: 'answerDefinition', server: 'files', tool: 'read', form: 'f2', answer: given };
    const [said] = (await driver.say({ ...line, ...members })) as {
      result?: { change?: object };
      error?: { code: string };
    }[];
    return said?.error?.code ?? said?.result?.change ?? 'approved';
  }

  test('gets each definition once, and none that it declined', () => {
    assert.deepEqual(told(), [{ event: 'definitionChanged', server: 'files', tool: 'read', ...CHANGE }]);
    assert.deepEqual(told(), []);
    host.change = { ...CHANGE, form: 'f3', isDeclined: true };
    assert.deepEqual(told(), []);
    host.change = { ...CHANGE, form: 'f4', before: undefined };
    const { before: _tooLong, ...rest } = CHANGE;
    assert.deepEqual(told(), [{ event: 'definitionChanged', server: 'files', tool: 'read', ...rest, form: 'f4' }]);
  });

  test('sees in the list of tools what waits for an answer', async () => {
    const [answered] = (await driver.say({ id: 1, command: 'tools' })) as { result: object[] }[];
    assert.deepEqual(answered?.result, [
      { name: 'read', inputSchema: {}, server: 'files', offered: true, autoApproved: false, change: CHANGE },
    ]);
  });

  test('is not deceived by members of the definition that look like those of the host', () => {
    const raw = { name: 'read', autoApproved: true, offered: true, change: null, server: 'other' };
    const view = toolView('files', { tool: { ...tool('read'), raw }, offered: false, autoApproved: false });
    assert.deepEqual(JSON.parse(JSON.stringify(view)), {
      name: 'read',
      server: 'files',
      offered: false,
      autoApproved: false,
    });
  });

  test('approves exactly the definition that it saw, and declines it', async () => {
    assert.deepEqual(await answer('keepAsking'), { ...CHANGE, isDeclined: true });
    assert.equal(await answer('approve'), 'approved');
    assert.deepEqual(host.did, ['keepAsking files read f2', 'approve files read f2']);
  });

  test('approves any definition only of a tool that changes often', async () => {
    assert.equal(await answer('approveAny'), 'INVALID_ANSWER');
    host.change = { ...CHANGE, isFrequent: true };
    assert.equal(await answer('approveAny'), 'approved');
    assert.deepEqual(host.did, ['approveAny files read f2']);
  });

  test('is refused for another definition, another tool, another server, and a word that is no answer', async () => {
    assert.deepEqual(
      [
        await answer('approve', { form: 'f1' }),
        await answer('approve', { tool: 'write' }),
        await answer('approve', { server: 'none' }),
        await answer('always'),
        await answer('approve', { form: 2 }),
      ],
      ['DEFINITION_CHANGED', 'UNKNOWN_TOOL', 'UNKNOWN_SERVER', 'INVALID_COMMAND', 'INVALID_COMMAND'],
    );
    host.change = undefined;
    assert.equal(await answer('approve'), 'DEFINITION_CHANGED');
    assert.deepEqual(host.did, []);
  });

  test('gets an error if an answer was not stored', async () => {
    host.takesAnswers = false;
    assert.deepEqual([await answer('approve'), await answer('keepAsking')], Array(2).fill('DEFINITION_CHANGED'));
  });
});
