import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ContributedServer, Disposable, EventInfo, ModelMessage } from '../../../media/mcp-live.d.ts';
import { lineageServer } from '../lineageServerEntry.ts';
import { pushServer } from '../pushServerEntry.ts';
import { person } from '../person.ts';
import { contributor } from './contributor.ts';
import { eventually } from './eventually.ts';
import { fakeModel } from './fakeModel.ts';
import { cleanSlate, mcpLive, PLAIN_DEMO, setServers, untilServer, untilState, untilTools } from './mcpLive.ts';
import { push, startPushServer } from './pushServer.ts';

const DB: ContributedServer = { id: 'db', label: 'Acme Database', definition: PLAIN_DEMO };
const ACME = 'mcp-live-test.contributor';

suite('The API for other extensions', () => {
  const given: Disposable[] = [];
  const keep = (disposable: Disposable): void => void given.push(disposable);
  const release = async (): Promise<void> => {
    for (const disposable of given.splice(0)) disposable.dispose();
    await vscode.workspace
      .getConfiguration()
      .update('mcpl.inference.model', undefined, vscode.ConfigurationTarget.Global);
  };
  const known = (id: string): Promise<unknown> => untilServer(id, 'known', (server) => server !== undefined);
  const servers = async (): Promise<readonly string[]> => {
    const { mcpLive: api } = await contributor();
    return (await api.servers()).map(({ id, label, contributedBy, isEnabled, state }) =>
      [id, label, contributedBy, isEnabled ? 'enabled' : 'off', state].join(' '),
    );
  };

  setup(async () => {
    await cleanSlate();
    await (await mcpLive()).host.events.clear();
    await vscode.commands.executeCommand('mcpl.servers.focus');
  });
  teardown(async () => {
    await release();
    await cleanSlate();
  });

  test('has versions, says which there are, and gives nothing that answers for the user', async () => {
    const { mcpLive: api } = await contributor();
    assert.equal(api.version, 1);
    assert.deepEqual(Object.keys(api).sort(), [
      'callTool',
      'events',
      'lineages',
      'onDidChangeServers',
      'registerModelRunner',
      'registerServers',
      'servers',
      'version',
    ]);
    assert.deepEqual(Object.keys(api.events).sort(), ['list', 'onDidReceiveEvent']);
    assert.deepEqual(Object.keys(api.lineages).sort(), ['checkpoints', 'list', 'onDidChangeLineages']);
    const { exports } =
      vscode.extensions.getExtension<{ getApi(version: number): unknown }>('mcp-live.mcp-live') ?? assert.fail();
    assert.throws(() => exports.getApi(2), /MCP Live has no API of version 2: it has version 1\./);
    assert.ok(Object.isFrozen(exports) && Object.isFrozen(api) && Object.isFrozen(api.events));
  });

  test('shows servers of an extension, off, with its name; the user enables one and allows its command line', async () => {
    const acme = await contributor();
    keep(acme.contribute({ provideServers: () => [DB] }));
    await known('db');
    assert.deepEqual(await servers(), [`db Acme Database ${ACME} off stopped`]);
    await eventually(person.treeRows, ['db off · from Acme Tools']);
    await person.screenshot('a server of another extension');

    await vscode.commands.executeCommand('mcpl.server.enable', { server: 'db' });
    await untilState('db', 'asking');
    const [text] = (await person.notifications()).filter((shown) => shown.includes('db'));
    assert.match(
      text ?? '',
      /The extension "Acme Tools" \("mcp-live-test\.contributor"\) wants to run "db": "mcpl-demo/,
    );
    await person.screenshot('the question whether a server of another extension may start');
    await person.notification('Start', 'db');
    await untilTools('db');
    assert.deepEqual(await servers(), [`db Acme Database ${ACME} enabled running`]);

    const [server] = await acme.mcpLive.servers();
    assert.ok(server !== undefined && Object.isFrozen(server.tools[0]?.inputSchema));
    assert.deepEqual(
      server.tools.map(({ name, isOffered }) => `${name} ${isOffered}`),
      ['add_note', 'list_notes', 'search_notes', 'delete_note', 'summarize_notes'].map((name) => `${name} true`),
    );
    const added = await acme.mcpLive.callTool('db', 'add_note', { title: 'From Acme' });
    assert.deepEqual([added.isError, Object.isFrozen(added.content)], [false, true]);
    assert.match((await acme.mcpLive.callTool('db', 'list_notes', {})).text, /From Acme/);
    await assert.rejects(acme.mcpLive.callTool('db', 'nothing', {}), { code: 'UNKNOWN_TOOL', effect: 'none' });
    await assert.rejects(acme.mcpLive.callTool('nowhere', 'x', {}), { code: 'UNKNOWN_SERVER' });

    await release();
    // Settings still enable it, but that does not define a server.
    await untilServer('db', 'without a definition', (each) => each?.definition === undefined && each !== undefined);
    await untilState('db', 'stopped');
    keep(acme.contribute({ provideServers: () => [DB] }));
    // Already allowed in this form, so there is no prompt.
    await untilTools('db');
  });

  test('leaves a server of the settings alone, and says whose contribution is not used', async () => {
    const acme = await contributor();
    await setServers({ db: { command: 'mine' } });
    await known('db');
    keep(acme.contribute({ provideServers: () => [DB] }));
    const server = await untilServer('db', 'with a problem', (each) => each?.problems.length === 1);
    assert.deepEqual([server?.definedBy, server?.contributor], ['workspace', undefined]);
    await person.clickTreeItem('db', 'expand');
    const row = '  The settings define a server with this name: the one of the extension is not used.';
    await eventually(async () => (await person.treeRows()).some((each) => each.startsWith(row)), true);
  });

  test('shows the problem of a provider, and affects no other', async () => {
    const acme = await contributor();
    const changed = new vscode.EventEmitter<void>();
    let answer: () => unknown = () => {
      throw new Error('out of order');
    };
    const provideServers = (): readonly ContributedServer[] => answer() as readonly ContributedServer[];
    keep(acme.contribute({ provideServers, onDidChangeServers: changed.event }));
    const problems = async (): Promise<readonly string[]> =>
      (await mcpLive()).host.problems().map(({ path, message }) => `${path.join('.')}: ${message}`);
    await eventually(problems, [': "Acme Tools" could not tell its servers: out of order']);
    await eventually(person.treeRows, ['"Acme Tools" could not tell its servers: out of order from Acme Tools']);
    await person.screenshot('a provider of servers that fails');

    answer = () => [{ ...DB, definition: { command: 7, enabled: true } }, 'garbage', { id: 'lost' }];
    changed.fire();
    await known('db');
    assert.deepEqual(await problems(), [
      ': "Acme Tools": its server number 2 is no object.',
      ': "Acme Tools": its server number 3 has no definition, such as { command: "node" }.',
      'db.command: Must be a text that is not empty.',
      'db.enabled: An extension cannot enable a server: only you can, in the settings.',
    ]);
    answer = () => [DB];
    changed.fire();
    await eventually(problems, []);
    // The servers stay while the provider fails.
    answer = () => Promise.reject(new Error('no network'));
    changed.fire();
    await eventually(problems, [': "Acme Tools" could not tell its servers: no network']);
    assert.deepEqual(await servers(), [`db Acme Database ${ACME} off stopped`]);
    assert.throws(
      () => acme.mcpLive.registerServers({ extensionId: 'no.body', provideServers: () => [] }),
      /extensionId/,
    );
  });

  test('reports events and lineages, as frozen copies', async () => {
    const acme = await contributor();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    const received: EventInfo[] = [];
    keep(acme.mcpLive.events.onDidReceiveEvent((event) => received.push(event)));
    await startPushServer();
    await push('The first');
    await push('The second');
    await eventually(async () => received.map(({ text }) => text), ['The first', 'The second']);
    const [first] = received;
    assert.deepEqual(
      { ...first, id: '', eventId: '', receivedAt: 0 },
      {
        id: '',
        server: 'memory',
        featureSet: 'memory.reminders',
        eventId: '',
        occurredAt: '2026-11-18T16:00:00Z',
        receivedAt: 0,
        origin: { source: 'conversation' },
        text: 'The first',
        isRead: false,
        answer: undefined,
      },
    );
    assert.ok(Object.isFrozen(first) && Object.isFrozen(first?.origin));
    assert.deepEqual(
      (await acme.mcpLive.events.list()).map(({ text }) => text),
      ['The second', 'The first'],
    );

    await setServers({ notes: lineageServer() });
    await untilTools('notes');
    await untilServer('notes', 'its set on', (server) => server?.mcpl?.sets[0]?.state === 'enabled');
    let changes = 0;
    keep(acme.mcpLive.lineages.onDidChangeLineages(() => changes++));
    await acme.mcpLive.callTool('notes', 'edit', { text: 'a' });
    await acme.mcpLive.callTool('notes', 'edit', { text: 'b' });
    const lineages = async (): Promise<readonly string[]> =>
      (await acme.mcpLive.lineages.list()).map(
        ({ server, featureSet, count, head }) => `${server} ${featureSet} ${count} ${head?.checkpoint}`,
      );
    await eventually(lineages, ['notes notes.edit 2 chk_2']);
    await eventually(async () => changes > 0, true);
    const checkpoints = await acme.mcpLive.lineages.checkpoints('notes', 'notes.edit');
    assert.deepEqual(
      checkpoints.map(({ checkpoint, tool }) => `${checkpoint} ${tool}`),
      ['chk_2 edit', 'chk_1 edit'],
    );
    await (await mcpLive()).host.lineages.forget({ server: 'notes', featureSet: 'notes.edit' });
  });

  test('adds a model, used only where the settings name it', async () => {
    const acme = await contributor();
    const { host } = await mcpLive();
    const fake = await fakeModel();
    const asked: (readonly ModelMessage[])[] = [];
    keep(
      acme.addModel('quiet', {
        name: 'Acme Quiet',
        maxInputTokens: 1_000,
        run: async (messages, onText) => {
          asked.push(messages);
          onText('Hush');
          onText('.');
        },
      }),
    );
    assert.throws(
      () => acme.addModel('quiet', { name: 'Again', maxInputTokens: 1, run: () => Promise.resolve() }),
      /The model of mcp-live-test\.contributor was not added: the id "quiet" is taken\./,
    );
    const turn = async (): Promise<string> => {
      const { text, model } = await host.runTurn({
        conversationId: 'c',
        turnIndex: 0,
        userMessage: 'Hello',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
        justification: 'A test.',
      });
      return `${model.vendor}/${model.id} ${text}`;
    };
    fake.respondWith(['Loud']);
    assert.equal(await turn(), 'fake/sees Loud');
    const name = async (model: string): Promise<void> => {
      await vscode.workspace
        .getConfiguration()
        .update('mcpl.inference.model', model, vscode.ConfigurationTarget.Global);
    };
    await name('acme quiet');
    await eventually(turn, `${ACME}/quiet Hush.`);
    assert.deepEqual(asked.at(-1), [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }]);

    keep(
      acme.addModel('broken', {
        name: 'Acme Broken',
        maxInputTokens: 1_000,
        run: () => {
          throw new Error('It has no power.');
        },
      }),
    );
    await name(`${ACME}/broken`);
    const failure = (): Promise<string> => turn().catch((error: unknown) => String(error));
    await eventually(
      async () =>
        (await failure()).includes(
          '"Acme Broken" of the extension "Acme Tools" (mcp-live-test.contributor) failed: It has no power.',
        ),
      true,
    );
    await release();
    await eventually(turn, 'fake/sees Loud');
  });

  test('lends its model to a server, once the user lets servers use models', async () => {
    const acme = await contributor();
    const { host, testing } = await mcpLive();
    testing.answerConsent(async () => 'start');
    // A separate name, because model use counts for a day, also in other tests.
    await setServers({ reminders: { ...pushServer(), inference: { model: `${ACME}/quiet` } } });
    await untilServer('reminders', 'its sets on', (server) => server?.mcpl?.sets[0]?.state === 'enabled');
    await untilTools('reminders');
    keep(
      acme.addModel('quiet', {
        name: 'Acme Quiet',
        maxInputTokens: 1_000,
        run: async (_messages, onText) => onText('Call Alice.'),
      }),
    );
    const payload = { content: [{ type: 'text', text: 'You mentioned following up with Alice' }] };
    const event = { featureSet: 'memory.reminders', eventId: 'alice', timestamp: '2026-11-18T16:00:00Z', payload };
    await acme.mcpLive.callTool('reminders', 'push', event);
    await eventually(async () => host.events.list().length, 1);
    const ask = async (): Promise<string> => {
      const outcome = await host.events.ask(host.events.list()[0]?.id ?? '').then(
        (event) => event.outcome,
        (error: unknown) => ({ kind: 'refused', message: String(error) }) as const,
      );
      return outcome.kind === 'answered' ? `${outcome.model}: ${outcome.text}` : JSON.stringify(outcome);
    };
    try {
      assert.match(await ask(), /Allow Language Model Use/);
      await testing.allowModels(true);
      assert.match(await ask(), /quiet: Call Alice\.$/);
    } finally {
      await testing.allowModels(false);
    }
    const choosing = vscode.commands.executeCommand('mcpl.chooseLanguageModel', { server: 'reminders' });
    await person.waitFor('.quick-input-list .monaco-list-row:has-text("Acme Quiet")');
    await person.screenshot('a model of another extension for a server');
    await person.pick('Fake reads');
    await choosing;
  });
});
