import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';
import { fakeModel, selectFake } from './fakeModel.ts';
import { cleanSlate, mcpLive, PLAIN_DEMO, setServers, settingsUri, untilServer, untilTools } from './mcpLive.ts';

const named = (name: string): vscode.LanguageModelToolInformation | undefined =>
  vscode.lm.tools.find((tool) => tool.name.startsWith('mcp_') && tool.name.endsWith(name));

const until = async (what: string, test: () => boolean): Promise<void> => {
  for (let tries = 0; !test(); tries++) {
    if (tries > 200)
      throw new Error(`Waited for ${what}; there are: ${vscode.lm.tools.map((tool) => tool.name).join()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

suite('The tools of a running server', () => {
  setup(async () => {
    await cleanSlate();
    // The editor removes tools of an earlier test at its own pace.
    await until('no tool of an earlier test', () => named('add_note') === undefined);
    (await mcpLive()).testing.answerConsent(async () => 'start');
  });
  teardown(cleanSlate);

  test('are among the tools of the editor, and a call reaches the server', async () => {
    await setServers({ demo: { ...PLAIN_DEMO, enabled: true } });
    await untilTools('demo');
    await until('add_note among the tools of the editor', () => named('add_note') !== undefined);
    const tool = named('add_note');
    assert.ok(tool !== undefined);
    const { host } = await mcpLive();
    const routes: string[] = [];
    const listening = host.onDidChangeOperation(({ request, state }) => routes.push(`${request.route} ${state.kind}`));
    const input = { title: 'Shopping', text: 'Bread' };
    const result = await vscode.lm.invokeTool(tool.name, { input, toolInvocationToken: undefined });
    listening.dispose();
    const text = result.content
      .map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : ''))
      .join('');
    assert.match(text, /Shopping/);
    assert.ok(routes.includes('gateway succeeded'), routes.join());
  });

  test('are no longer offered when they are hidden', async () => {
    await setServers({ demo: { ...PLAIN_DEMO, enabled: true } });
    await untilTools('demo');
    await until('add_note', () => named('add_note') !== undefined);
    await setServers({ demo: { ...PLAIN_DEMO, enabled: true, tools: { hidden: ['add_note'] } } });
    await untilServer('demo', 'a hidden tool', (server) => server?.tools.some((tool) => !tool.offered) === true);
    await until('no add_note', () => named('add_note') === undefined);
    assert.ok(named('list_notes') !== undefined);
  });
});

const SERVER = 'chat';
/** The editor itself prompts for other tools. */
const APPROVED = ['ask_person', 'add_up', 'write_note'];
const chatServer = (): object => {
  const extension = vscode.extensions.getExtension('mcp-live.mcp-live');
  const path = ['test', 'node', 'fixtures', 'chatServer.mjs'];
  const file = vscode.Uri.joinPath(extension?.extensionUri ?? vscode.Uri.file('/'), ...path).fsPath;
  return { command: process.execPath, args: [file], enabled: true, tools: { autoApprove: APPROVED } };
};
const startChat = async (): Promise<void> => {
  await setServers({ [SERVER]: chatServer() });
  await untilServer(SERVER, 'running with all its lists', (server) => {
    const { state, tools = [], prompts = [], resources = [] } = server ?? {};
    return state?.kind === 'running' && tools.length > 0 && prompts.length > 0 && resources.length > 0;
  });
  await until('its tools', () => named('add_up') !== undefined);
};
const setTransport = (transport: string | undefined): Thenable<void> =>
  vscode.workspace.getConfiguration().update('mcpl.gateway.transport', transport, vscode.ConfigurationTarget.Workspace);
const invoke = async (name: string, input: object): Promise<string> => {
  const tool = named(name);
  assert.ok(tool !== undefined, name);
  const { content } = await vscode.lm.invokeTool(tool.name, { input, toolInvocationToken: undefined });
  return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
};
/** The level and subscription requests that the server got. */
const told = async (): Promise<readonly string[]> => {
  const { host } = await mcpLive();
  const { contents } = await host.readResource(SERVER, 'note:///today');
  return contents.flatMap((part) => (part.kind === 'text' ? part.text.split('\n') : []));
};

suite('What a running server has, in the editor’s chat', () => {
  setup(async () => {
    await cleanSlate();
    await until('no tool of an earlier test', () => named('add_up') === undefined && named('add_note') === undefined);
    (await mcpLive()).testing.answerConsent(async () => 'start');
    await fakeModel();
    await selectFake();
    await vscode.commands.executeCommand('workbench.action.chat.newChat');
  });
  teardown(async () => {
    await setTransport(undefined);
    await cleanSlate();
  });

  test('prompts are slash commands whose arguments are completed', async () => {
    await startChat();
    await vscode.commands.executeCommand('workbench.action.chat.open', { query: '', isPartialQuery: true });
    // The input may still contain a participant of an earlier chat, which has its own commands.
    await person.press('Control+a');
    await person.type('/mcp');
    const commands = (): Promise<readonly string[]> => person.texts('.suggest-widget .monaco-list-row');
    await eventually(async () => (await commands()).some((row) => row.includes('invite')), true);
    await person.screenshot('prompts as slash commands');
    await person.click('.suggest-widget .monaco-list-row:has-text("invite")');
    await person.waitFor('.quick-input-widget');
    await person.type('E');
    const proposals = (): Promise<readonly string[]> => person.texts('.quick-input-list .monaco-list-row');
    await eventually(async () => (await proposals()).join().includes('Engineers'), true);
    await person.screenshot('an argument of a prompt is completed');
    await person.pick('Engineers');
    const written = (): Promise<readonly string[]> => person.texts('.interactive-input-part .view-line');
    await eventually(async () => (await written()).join().replaceAll('\u00a0', ' '), 'Invite the Engineers to lunch.');
    await person.screenshot('a prompt in the chat');
  });

  test('a form of a server is shown where its tool was called from, and answered there', async () => {
    await startChat();
    const tool = named('ask_person');
    assert.ok(tool !== undefined);
    const model = await fakeModel();
    model.respondOnce([{ call: tool.name }], ['Done.']);
    await vscode.commands.executeCommand('workbench.action.chat.open', { query: '@fake order', isPartialQuery: false });
    await person.waitFor('.interactive-session :text("What shall I order?")');
    await person.screenshot('a form of a server in the chat');
    await person.click('.interactive-session input[placeholder="Enter your answer"]');
    await person.type('Ada');
    await person.press('Enter');
    await person.waitFor('.interactive-session :text-is("Size *")');
    await person.screenshot('the second field of a form in the chat');
    await person.click('.interactive-session :text-is("small")');
    await model.arrived(2);
    const { content } = model.requests[1]?.messages.at(-1) ?? {};
    assert.match(JSON.stringify(content), /accept.*Ada.*small/);
    const { testing } = await mcpLive();
    assert.deepEqual(testing.services.asked.waiting, []);
    assert.doesNotMatch((await person.notifications()).join(), /What shall I order/);
  });

  test('a form that stays open in the chat also has a notification', async () => {
    await startChat();
    const tool = named('ask_person');
    assert.ok(tool !== undefined);
    const model = await fakeModel();
    model.respondOnce([{ call: tool.name }], ['Done.']);
    await vscode.commands.executeCommand('workbench.action.chat.open', { query: '@fake order', isPartialQuery: false });
    await person.waitFor('.interactive-session :text("What shall I order?")');
    await person.notification('Decline', 'What shall I order?');
    await model.arrived(2);
    assert.match(JSON.stringify(model.requests[1]?.messages.at(-1)), /decline/);
    await eventually(async () => (await person.texts('.interactive-session')).join().includes('Size *'), false);
    await person.screenshot('a form of a server, declined in the notification');
  });

  test('a resource is found and read by the editor’s own client', async () => {
    await startChat();
    void vscode.commands.executeCommand('workbench.mcp.browseResources');
    await person.pick('today.md');
    const opened = (): vscode.TextDocument | undefined => vscode.window.activeTextEditor?.document;
    await eventually(async () => opened()?.uri.scheme, 'mcp-resource');
    assert.match(opened()?.getText() ?? '', /^note\n/);
    // The editor's client has set its log level, and subscribes to open resources.
    await eventually(async () => (await told()).includes('subscribe note:///today'), true);
    assert.ok((await told()).includes('level info'), (await told()).join());
    // It caches resources for some seconds and misses changes in that time.
    const change = async (): Promise<boolean> => {
      await invoke('write_note', { text: 'more' });
      return /^note!/.test(opened()?.getText() ?? '');
    };
    await eventually(change, true);
    await person.screenshot('a resource of a server, changed');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  test('a server of the editor with the same name does not affect this one', async () => {
    const { host } = await mcpLive();
    const own = vscode.Uri.joinPath(settingsUri(), '..', 'mcp.json');
    const { command, args } = chatServer() as { readonly command: string; readonly args: readonly string[] };
    const servers = { [SERVER]: { type: 'stdio', command, args } };
    await vscode.workspace.fs.writeFile(own, Buffer.from(JSON.stringify({ servers })));
    try {
      await startChat();
      const both = (): readonly string[] =>
        vscode.lm.tools.map(({ name }) => name).filter((name) => name.startsWith('mcp_') && name.endsWith('add_up'));
      const start = (): Thenable<unknown> =>
        vscode.commands.executeCommand('workbench.mcp.startServer', '*', { waitForLiveTools: true });
      for (let tries = 0; both().length < 2 && tries < 20; tries++) await start();
      assert.equal(both().length, 2, both().join());
      const calls: string[] = [];
      const listening = host.onDidChangeOperation(({ request, state }) => {
        if (state.kind === 'succeeded') calls.push(`${request.server} ${request.route}`);
      });
      for (const name of both())
        await vscode.lm.invokeTool(name, { input: { a: 1, b: 2 }, toolInvocationToken: undefined });
      listening.dispose();
      assert.deepEqual(calls, ['chat gateway'], both().join());
    } finally {
      await vscode.workspace.fs.delete(own);
    }
  });

  test('the way there can be changed, also to none, without a reload', async () => {
    await startChat();
    const { gatewayAddress } = await mcpLive();
    const before = await gatewayAddress(SERVER);
    assert.equal(await invoke('add_up', { a: 2, b: 3 }), '5');
    await setTransport('socket');
    const { socket } = await gatewayAddress(SERVER);
    assert.match(String(socket), /mcpl-gateway-/);
    await eventually(() => invoke('add_up', { a: 2, b: 4 }).catch(String), '6');
    await assert.rejects(fetch(before.url, { headers: before.headers }));
    await setTransport('off');
    await until('no tool', () => named('add_up') === undefined);
    await assert.rejects(gatewayAddress(SERVER), /The gateway is off/);
    await setTransport(undefined);
    await eventually(() => invoke('add_up', { a: 3, b: 4 }).catch(String), '7');
  });
});
