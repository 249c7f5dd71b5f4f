import assert from 'node:assert/strict';
import { isHostError } from '../../../../src/core/base/errors.ts';
import { PromptCatalog } from '../../../../src/core/offer/promptCatalog.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { failWith, ScriptedServer } from '../../../support/scriptedServer.ts';
import { connect, type Connected } from '../session/connection.ts';

const ASKING = { timeoutMs: 10_000 };

class Setting {
  readonly clock = new FakeClock();
  readonly told: string[] = [];
  readonly catalog = new PromptCatalog({
    clock: this.clock,
    log: { log: (level, message) => this.told.push(`${level}: ${message}`) },
    listTimeoutMs: () => 30_000,
    onPrompts: (prompts) => this.told.push(`prompts ${prompts.map(({ name }) => name).join(' ')}`),
    onFailed: (error) => this.told.push(`failed: ${error.message}`),
  });

  connect(server: ScriptedServer, capabilities = { prompts: {} }): Promise<Connected> {
    return connect([this.catalog], { capabilities, clock: this.clock, server });
  }

  /** Why a prompt is not available. */
  async refusal(name: string): Promise<string> {
    try {
      await this.catalog.get(name, {}, ASKING);
      return 'given';
    } catch (error) {
      return isHostError(error)
        ? `${error.code} ${error.rpcCode}: ${error.message} ${error.suggestion}`
        : String(error);
    }
  }
}

function prompts(): ScriptedServer {
  return new ScriptedServer({ 'prompts/list': () => ({ prompts: [{ name: 'greet' }, { name: 'sum' }] }) });
}

suite('Prompts', () => {
  test('are listed, and listed again when the server says that they changed', async () => {
    const s = new Setting();
    const c = await s.connect(prompts());
    c.server.on('prompts/list', () => ({ prompts: [] }));
    c.server.notify('notifications/prompts/list_changed');
    await s.clock.advance(200);
    assert.deepEqual(s.told, ['prompts greet sum', 'prompts ']);
    assert.deepEqual(await s.catalog.fresh(), []);
    c.dispose();
  });

  test('are filled in with the arguments there are, and come back as messages with content of every kind', async () => {
    const s = new Setting();
    const answer = {
      description: 'd',
      messages: [
        { role: 'user', content: { type: 'text', text: 'hi' } },
        { role: 'assistant', content: { type: 'resource', resource: { uri: 'mem://a', text: 'x' } } },
      ],
    };
    const c = await s.connect(prompts().on('prompts/get', () => answer));
    const { description, messages, raw } = await s.catalog.get('greet', { who: 'Ü' }, ASKING);
    assert.deepEqual(
      [description, messages, raw],
      [
        'd',
        [
          { role: 'user', content: { type: 'text', text: 'hi' } },
          { role: 'assistant', content: { type: 'resource', resource: { uri: 'mem://a', text: 'x' } } },
        ],
        answer,
      ],
    );
    await s.catalog.get('sum', {}, ASKING);
    assert.deepEqual(c.heard().slice(1), [
      'prompts/get {"name":"greet","arguments":{"who":"Ü"}}',
      'prompts/get {"name":"sum"}',
    ]);
    c.dispose();
  });

  test('that cannot be had say whether it is the name or the arguments', async () => {
    const s = new Setting();
    assert.match(await s.refusal('greet'), /^SERVER_NOT_RUNNING/);
    const c = await s.connect(prompts().on('prompts/get', () => failWith(-32602, 'bad')));
    assert.deepEqual(
      [await s.refusal('greet'), await s.refusal('none')],
      [
        'INVALID_ARGUMENTS -32602: The prompt "greet" does not take these: bad Correct the arguments, then try again.',
        'UNKNOWN_PROMPT -32602: The server has no prompt "none": bad List its prompts again.',
      ],
    );
    c.server.on('prompts/get', () => failWith(-32603, 'broken'));
    assert.match(await s.refusal('greet'), /^REMOTE_ERROR -32603: broken/);
    c.server.on('prompts/get', () => ({ messages: 'hi' }));
    assert.match(await s.refusal('greet'), /^INVALID_MESSAGE/);
    c.dispose();
  });

  test('are neither listed nor asked for where the server has none', async () => {
    const s = new Setting();
    const c = await connect([s.catalog], { capabilities: { tools: {} }, clock: s.clock, server: prompts() });
    assert.match(await s.refusal('greet'), /^CAPABILITY_MISSING/);
    assert.deepEqual([s.told, c.heard()], [['prompts '], []]);
    c.dispose();
  });
});
