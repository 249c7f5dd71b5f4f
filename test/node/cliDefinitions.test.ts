import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { DrivenHost, type Message } from './cliProgram.ts';

const CHANGING = {
  command: process.execPath,
  args: [fileURLToPath(new URL('fixtures/changingServer.mjs', import.meta.url))],
};

interface Shown {
  readonly name: string;
  readonly description: string;
  readonly autoApproved: boolean;
  readonly change?: { readonly form: string; readonly isFrequent: boolean; readonly isDeclined: boolean };
}

suite('mcpl host --control and a tool whose definition changes', function () {
  this.timeout(60_000);
  let host: DrivenHost;
  let lastId: number;

  setup(() => {
    lastId = 0;
    host = new DrivenHost();
  });

  teardown(() => host.end());

  function ask(command: string, members: object = {}): Promise<unknown> {
    return host.ask(++lastId, command, { server: 'pad', ...members });
  }

  async function begin(...autoApprove: readonly string[]): Promise<void> {
    await ask('configure', { servers: { pad: { ...CHANGING, tools: { autoApprove } } } });
    await ask('start');
  }

  async function shown(name: string): Promise<Shown | undefined> {
    return ((await ask('tools')) as readonly Shown[]).find((tool) => tool.name === name);
  }

  /** The tool after it was approved, with a different description than before. */
  async function approved(name: string, before?: string): Promise<Shown> {
    for (;;) {
      const tool = await shown(name);
      if (tool?.autoApproved === true && tool.description !== before) return tool;
      await host.hear({ event: 'server', what: 'tools' });
    }
  }

  async function renamed(to: string): Promise<Message> {
    await ask('call', { tool: 'rename', args: { to } });
    return host.hear({ event: 'definitionChanged' });
  }

  /** The answer as `approved` or `asks`, or the code of the refusal. */
  async function answer(tool: string, form: unknown, given: string): Promise<string> {
    const said = (await ask('answerDefinition', { tool, form, answer: given })) as Shown & { readonly code?: string };
    return (
      said.code ?? `${said.autoApproved ? 'approved' : 'asks'}${said.change?.isDeclined === true ? ', declined' : ''}`
    );
  }

  test('sends the change to the driver, and takes an answer for exactly that definition', async () => {
    await begin('note');
    await approved('note');
    const first = await renamed('Sends the note to everyone.');
    assert.deepEqual(
      [first['server'], first['tool'], first['isFrequent'], first['isDeclined']],
      ['pad', 'note', false, false],
    );
    assert.match(String(first['before']), /"description": "Writes a note\."/);
    assert.match(String(first['now']), /"description": "Sends the note to everyone\."/);
    const { autoApproved, change } = (await shown('note')) ?? assert.fail();
    assert.deepEqual([autoApproved, change?.form], [false, first['form']]);

    assert.deepEqual(
      [await answer('note', first['form'], 'approveAny'), await answer('note', 'another', 'approve')],
      ['INVALID_ANSWER', 'DEFINITION_CHANGED'],
    );
    assert.equal(await answer('note', first['form'], 'keepAsking'), 'asks, declined');
    assert.equal(await answer('note', first['form'], 'approve'), 'approved');
    assert.equal(await answer('note', first['form'], 'approve'), 'DEFINITION_CHANGED');

    const second = await renamed('Sends the note to the author.');
    assert.equal(await answer('note', first['form'], 'approve'), 'DEFINITION_CHANGED');
    assert.equal((await shown('note'))?.autoApproved, false);
    assert.equal(await answer('note', second['form'], 'approve'), 'approved');
  });

  test('lets the driver approve any definition of a tool that changed at each of three starts', async () => {
    await begin('mood');
    await approved('mood');
    const frequent: unknown[] = [];
    let form: unknown;
    for (let start = 0; start < 3; start++) {
      await ask('restart');
      const event = await host.hear({ event: 'definitionChanged', tool: 'mood' });
      frequent.push(event['isFrequent']);
      form = event['form'];
    }
    assert.deepEqual(frequent, [false, false, true]);
    assert.equal(await answer('mood', form, 'approveAny'), 'approved');
    const { description } = await approved('mood');
    await ask('restart');
    assert.equal((await approved('mood', description)).change, undefined);
  });
});
