import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { eventually } from './eventually.ts';
import type { ServerSnapshot } from '../../../src/core/index.ts';
import { person } from '../person.ts';
import {
  cleanSlate,
  mcpLive,
  PLAIN_DEMO,
  readSettings,
  setServers,
  settingsUri,
  until,
  untilServer,
  untilState,
  untilTools,
  writeSettings,
} from './mcpLive.ts';

/** This extension's problems in settings.json, as `line: severity message`. */
const problems = (): readonly string[] =>
  vscode.languages
    .getDiagnostics(settingsUri())
    .filter(({ source }) => source === 'MCP Live')
    .map(({ range, severity, message }) => `${range.start.line}: ${vscode.DiagnosticSeverity[severity]} ${message}`);

/** The text that each problem underlines. */
const underlined = async (): Promise<readonly string[]> => {
  const document = await vscode.workspace.openTextDocument(settingsUri());
  return vscode.languages
    .getDiagnostics(settingsUri())
    .filter(({ source }) => source === 'MCP Live')
    .map(({ range }) => document.getText(range));
};

const pidOf = (server: ServerSnapshot | undefined): number | undefined =>
  server?.state.kind === 'running' ? server.state.pid : undefined;

/** Edits the user's settings.json in the file, because the editor cannot write unregistered settings of policies. */
const editUserSettings = async (change: (members: Readonly<Record<string, unknown>>) => object): Promise<void> => {
  await vscode.commands.executeCommand('workbench.action.openSettingsJson');
  await eventually(async () => vscode.window.activeTextEditor?.document.uri.path.endsWith('settings.json'), true);
  const editor = vscode.window.activeTextEditor;
  assert.ok(editor !== undefined);
  const { document } = editor;
  const text = document.getText();
  const members = change(JSON.parse(text.trim() === '' ? '{}' : text));
  const whole = new vscode.Range(new vscode.Position(0, 0), document.lineAt(document.lineCount - 1).range.end);
  assert.ok(await editor.edit((edit) => edit.replace(whole, JSON.stringify(members, undefined, 2))));
  await vscode.commands.executeCommand('workbench.action.files.save');
  await eventually(async () => document.isDirty, false);
  await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
};

suite('Settings', () => {
  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
  });
  teardown(cleanSlate);

  test('with a bad entry have a problem on its line, and the other servers run', async () => {
    await writeSettings(`{
  // by hand
  "mcpl.servers": {
    "bad": {
      "command": "x",
      "args": "not a list"
    },
    "empty": {},
    "good": { "command": "mcpl-demo", "enabled": true }
  }
}`);
    await untilTools('good');
    const said = ['5: Error Must be a list of texts.', '7: Error Add "command"'];
    const isTold = (): boolean => said.every((text) => problems().some((problem) => problem.startsWith(text)));
    await until(vscode.languages.onDidChangeDiagnostics, said.join(), isTold);
    assert.equal(problems().length, 2);

    await writeSettings('{ "mcpl.servers": { "good": { "command": "mcpl-demo", "enabled": true } } }');
    await until(vscode.languages.onDidChangeDiagnostics, 'no problem', () => problems().length === 0);
  });

  test('with an unknown key are underlined at the key', async () => {
    await writeSettings(
      '{ "mcpl.servers": { "good": { "command": "mcpl-demo", "comand": "node", "hooks": { "ordr": 5 } } } }',
    );
    await until(vscode.languages.onDidChangeDiagnostics, 'two problems', () => problems().length === 2);
    assert.deepEqual([...(await underlined())].sort(), ['"comand"', '"ordr"']);
  });

  test('that are not JSON change nothing until they are', async () => {
    const sound = '{ "mcpl.servers": { "good": { "command": "mcpl-demo", "enabled": true } } }';
    await writeSettings(sound);
    const before = pidOf(await untilTools('good'));
    await vscode.commands.executeCommand('mcpl.servers.focus');
    await writeSettings('{ "mcpl.servers": { "new": \n"good": { "command": "mcpl-demo", "enabled": true } } }');
    await person.waitFor('.sidebar :text("mistake in its JSON")');
    const { host } = await mcpLive();
    assert.deepEqual(
      host.servers().map((server) => [server.id, pidOf(server)]),
      [['good', before]],
    );
    await writeSettings(sound.replace('"good"', '"new": { "command": "mcpl-demo" }, "good"'));
    await untilServer('new', 'there', (server) => server !== undefined);
    assert.equal(pidOf(host.server('good')), before);
  });

  test('restart a server only when its connection changed', async () => {
    const demo = { command: 'mcpl-demo', enabled: true };
    await setServers({ demo });
    const first = pidOf(await untilTools('demo'));
    await setServers({ demo: { ...demo, tools: { hidden: ['add_note'] }, timeouts: { call: 5 } } });
    const hidden = await untilServer(
      'demo',
      'a hidden tool',
      (server) => server?.tools.some((tool) => !tool.offered) === true,
    );
    assert.equal(pidOf(hidden), first);
    await setServers({ demo: { ...demo, env: { MCPL_TEST: '1' } } });
    await untilServer('demo', 'a new process', (server) => pidOf(server) !== undefined && pidOf(server) !== first);
  });

  test('are written without touching comments and other members', async () => {
    const text = `{
  "editor.tabSize": 2, // mine
  "mcpl.servers": {
    // the one that comes along
    "demo": {
      "command": "mcpl-demo", /* no path */
      "timeouts": {
        "call": 9
      }
    }
  }
}
`;
    await writeSettings(text);
    await untilServer('demo', 'known', (server) => server !== undefined);
    const { settings } = (await mcpLive()).testing.services;
    await settings.setEnabled('demo', true);
    const withEnabled = text.replace('9\n      }\n', '9\n      },\n      "enabled": true\n');
    assert.equal(await readSettings(), withEnabled);
    await untilTools('demo');
    await Promise.all([
      settings.setToolOffered('demo', 'add_note', false),
      settings.setToolOffered('demo', 'list_notes', false),
    ]);
    await settings.setToolOffered('demo', 'add_note', true);
    const server = await untilServer('demo', 'one hidden tool', (each) => each?.definition?.hiddenTools.length === 1);
    assert.deepEqual(server?.definition?.hiddenTools, ['list_notes']);
    assert.match(await readSettings(), /\/\/ the one that comes along[^]*\/\* no path \*\//);
    await writeSettings('{}');
    await untilServer('demo', 'gone', (each) => each === undefined);
  });

  test('are the same file, byte for byte, after a click and the opposite click', async () => {
    const lines = [
      '{',
      '\t// by hand',
      '\t"mcpl.servers": {',
      '\t\t"demo": {',
      '\t\t\t"command": "mcpl-demo", "enabled": true,',
      '\t\t\t"args": ["notes"] // one line',
      '\t\t}',
      '\t},',
      '}',
      '',
    ];
    const text = lines.join('\r\n');
    await writeSettings(text);
    await untilTools('demo');
    const { settings } = (await mcpLive()).testing.services;
    await settings.setToolOffered('demo', 'add_note', true);
    assert.equal(await readFile(settingsUri().fsPath, 'utf8'), text);
    await settings.setFeatureSets('demo', ['notes.edit'], true);
    const on = await readFile(settingsUri().fsPath, 'utf8');
    assert.ok(on.includes('\t\t\t"args": ["notes"], // one line\r\n\t\t\t"featureSets": {'), on);
    await settings.setFeatureSets('demo', ['notes.edit'], false);
    assert.equal(await readFile(settingsUri().fsPath, 'utf8'), text);
    await settings.setToolOffered('demo', 'add_note', false);
    assert.notEqual(await readFile(settingsUri().fsPath, 'utf8'), text);
    await settings.setToolOffered('demo', 'add_note', true);
    assert.equal(await readFile(settingsUri().fsPath, 'utf8'), text);
    // The editor's own removal of the setting would leave a stray comma.
    await writeSettings('{}');
    await untilServer('demo', 'gone', (each) => each === undefined);
  });

  test('keep an empty list only where it overrides a list of the user', async () => {
    const configuration = vscode.workspace.getConfiguration();
    const mine = { command: 'mcpl-demo', protocol: { mcpl: 'off' }, tools: { hidden: ['add_note'] }, enabled: true };
    await configuration.update('mcpl.servers', { mine }, vscode.ConfigurationTarget.Global);
    try {
      await untilTools('mine');
      const { settings } = (await mcpLive()).testing.services;
      await settings.setToolOffered('mine', 'add_note', true);
      assert.match(await readSettings(), /"mine":\s*\{\s*"tools":\s*\{\s*"hidden":\s*\[\]/);
      await untilServer('mine', 'offers add_note', (server) => server?.tools.every(({ offered }) => offered) === true);
      await settings.setToolOffered('mine', 'add_note', false);
      assert.doesNotMatch(await readSettings(), /mine|mcpl\.servers/);
    } finally {
      await configuration.update('mcpl.servers', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  test('let a removed server be put back', async () => {
    const demo = { command: 'mcpl-demo', timeouts: { call: 9 } };
    await setServers({ demo, other: { command: 'mcpl-demo' } });
    await untilServer('other', 'known', (server) => server !== undefined);
    await vscode.commands.executeCommand('mcpl.server.remove', { server: 'demo' });
    await untilServer('demo', 'gone', (server) => server === undefined);
    await person.notification('Undo', 'Removed the server "demo"');
    const back = await untilServer('demo', 'back', (server) => server !== undefined);
    assert.equal(back?.definition?.timeouts.call, 9);
  });

  test('merge member by member over those of the user', async () => {
    const configuration = vscode.workspace.getConfiguration();
    const user = { mine: { command: 'mcpl-demo' } };
    await configuration.update('mcpl.servers', user, vscode.ConfigurationTarget.Global);
    try {
      let asked = 0;
      (await mcpLive()).testing.answerConsent(async () => {
        asked++;
        return 'start';
      });
      await setServers({ mine: { enabled: true } });
      assert.equal((await untilState('mine', 'running'))?.definedBy, 'user');
      assert.equal(asked, 0);
    } finally {
      await configuration.update('mcpl.servers', undefined, vscode.ConfigurationTarget.Global);
    }
    await untilServer('mine', 'without a command', (server) => server?.problems.length === 1);
  });

  test('of a workspace do not turn off the user’s guard before the user agrees', async () => {
    const configuration = vscode.workspace.getConfiguration();
    const guard = {
      command: 'mcpl-demo',
      enabled: true,
      featureSets: { enabled: ['compliance.redaction'] },
      hooks: { afterInference: 'failClosed' },
    };
    const isOn = (server: ServerSnapshot | undefined): boolean =>
      server?.mcpl?.sets.find(({ set }) => set.name === 'compliance.redaction')?.state === 'enabled';
    await configuration.update('mcpl.servers', { guard }, vscode.ConfigurationTarget.Global);
    try {
      await untilServer('guard', 'on', isOn);
      await setServers({ guard: { enabled: false } });
      await untilServer('guard', 'a warning', (server) => server?.problems.length === 1);
      const shown = async (): Promise<string> =>
        (await person.notifications()).filter((text) => text.includes('guard')).join();
      await eventually(async () => (await shown()).includes('it turns off this guard'), true);
      await person.openContainer('MCP Live');
      await person.screenshot('a workspace that tries to disable a guard');
      await person.notification('Keep Mine', 'guard');
      const { host } = await mcpLive();
      assert.equal(host.server('guard')?.state.kind, 'running');
      await setServers({ guard: { featureSets: { disabled: ['compliance.redaction'] } } });
      await eventually(async () => (await shown()).includes('featureSets.disabled'), true);
      assert.equal(isOn(host.server('guard')), true);
      await person.notification("Use the Workspace's", 'guard');
      await untilServer('guard', 'off', (server) => !isOn(server));
      // A choice in a view of the extension does not prompt.
      await setServers({});
      await untilServer('guard', 'on again', isOn);
      await (await mcpLive()).testing.services.settings.setEnabled('guard', false);
      await untilState('guard', 'stopped');
      assert.equal(await shown(), '');
    } finally {
      // Removes the workspace's entry first, which would prompt without the answer.
      await setServers({});
      await configuration.update('mcpl.servers', undefined, vscode.ConfigurationTarget.Global);
      await untilServer('guard', 'gone', (server) => server === undefined);
      await (await mcpLive()).host.forgetConsent('guard').catch(() => undefined);
    }
  });

  test('of the editor that allow no MCP server stop ours, and the tree says so', async () => {
    const configuration = vscode.workspace.getConfiguration();
    const { Global, Workspace } = vscode.ConfigurationTarget;
    const access = async (value: string | undefined, target = Global): Promise<void> => {
      await configuration.update('chat.mcp.access', value, target);
    };
    const rows = async (): Promise<string> => (await person.treeRows()).join(' | ');
    await configuration.update('mcpl.servers', { mine: { ...PLAIN_DEMO, enabled: true } }, Global);
    try {
      await untilState('mine', 'running');
      await person.openContainer('MCP Live');
      await access('none');
      const stopped = await untilState('mine', 'stopped');
      assert.deepEqual(stopped?.state, { kind: 'stopped', reason: 'notAllowed' });
      await person.clickTreeItem('mine');
      // Rows are painted one after the other.
      await eventually(async () => /mine\s*not allowed by your organisation/.test(await rows()), true);
      await eventually(async () => (await rows()).includes('"chat.mcp.access" is "none"'), true);
      await person.screenshot('a server that the organisation does not allow');
      // A workspace cannot allow more.
      await access('all', Workspace);
      await assert.rejects((await mcpLive()).host.start('mine'), { code: 'NOT_ALLOWED' });
      await access(undefined, Workspace);
      await access(undefined);
      await untilState('mine', 'running');
    } finally {
      await access(undefined, Workspace);
      await access(undefined);
      await configuration.update('mcpl.servers', undefined, Global);
    }
  });

  test('of the editor that allow or deny servers by name, command and URL stop ours until they are gone', async function () {
    this.timeout(180_000);
    const LISTS = ['chat.mcp.allowedServers', 'chat.mcp.deniedServers'] as const;
    const lists = (values: Partial<Record<(typeof LISTS)[number], readonly object[]>>): Promise<void> =>
      editUserSettings((members) => ({
        ...Object.fromEntries(Object.entries(members).filter(([key]) => !LISTS.some((list) => list === key))),
        ...values,
      }));
    const { host, gatewayAddress } = await mcpLive();
    const states = async (): Promise<readonly string[]> =>
      host.servers().map(({ id, state }) => `${id} ${state.kind === 'stopped' ? state.reason : state.kind}`);
    const rows = async (id: string): Promise<readonly string[]> => {
      const all = await person.treeRows();
      const from = all.findIndex((row) => row.startsWith(`${id} `));
      const next = all.findIndex((row, at) => at > from && !row.startsWith(' '));
      return all.slice(from, next < 0 ? undefined : next).filter((row) => !/^\s+(Log|Tools)/.test(row));
    };
    const local = {
      near: { ...PLAIN_DEMO, enabled: true },
      other: { ...PLAIN_DEMO, args: ['notes'], enabled: true },
    };
    await setServers(local);
    await Promise.all([untilTools('near'), untilTools('other')]);
    // A server with a URL, from the gateway.
    const { url, headers } = await gatewayAddress('near');
    await setServers({ far: { url, headers, enabled: true }, ...local });
    await untilTools('far');
    await person.openContainer('MCP Live');
    const ALL_RUN = ['far running', 'near running', 'other running'];
    const DENIED = '"chat.mcp.deniedServers" lists';
    const NOT_LISTED = '"chat.mcp.allowedServers" does not list it';
    const name = { serverName: 'other' };
    const command = { serverCommand: ['mcpl-demo', 'notes'] };
    const address = { serverUrl: 'http://127.0.0.1:*/*' };
    const cases = [
      [{ [LISTS[1]]: [name] }, 'other', `${DENIED} the name "other"`, ['far', 'near']],
      [{ [LISTS[1]]: [command] }, 'other', `${DENIED} the command "mcpl-demo notes"`, ['far', 'near']],
      [{ [LISTS[1]]: [address] }, 'far', `${DENIED} the URL "http://127.0.0.1:*/*"`, ['near', 'other']],
      [{ [LISTS[0]]: [{ serverName: 'near' }, address] }, 'other', NOT_LISTED, ['far', 'near']],
      [{ [LISTS[0]]: [{ serverCommand: ['mcpl-demo'] }, command] }, 'far', NOT_LISTED, ['near', 'other']],
    ] as const;
    try {
      for (const [values, id, rule, others] of cases) {
        await lists(values);
        await eventually(states, [...others.map((each) => `${each} running`), `${id} notAllowed`].sort());
        await person.clickTreeItem(id, 'expand');
        await eventually(
          () => rows(id),
          [
            `${id} not allowed by your organisation`,
            '  Ask your administrator to allow the server',
            `  ${rule}: not allowed by your organisation. user settings`,
          ],
        );
        await assert.rejects(host.start(id), { code: 'NOT_ALLOWED' });
        if (rule === NOT_LISTED) await person.screenshot(`the server ${id} that the organisation does not list`);
        await lists({});
        await eventually(states, ALL_RUN);
      }
    } finally {
      await lists({});
    }
  });

  test('open at the line of a server', async () => {
    const text = '{\n  "mcpl.servers": {\n    "a": { "command": "x" },\n    "b": { "command": "y" }\n  }\n}';
    await writeSettings(text);
    await untilServer('b', 'known', (server) => server !== undefined);
    // If the editor still has the file from an earlier test, it may know the server before it shows the new text.
    const stale = vscode.workspace.textDocuments.filter(
      (document) => document.uri.toString() === settingsUri().toString(),
    );
    await eventually(
      async () => stale.map((document) => document.isClosed || document.getText() === text),
      stale.map(() => true),
    );
    await vscode.commands.executeCommand('mcpl.server.openSettings', { server: 'b' });
    await eventually(async () => {
      const editor = vscode.window.activeTextEditor;
      return [editor?.document.uri.toString(), editor?.selection.start.line];
    }, [settingsUri().toString(), 3]);
  });

  test('ask for inputs once, keep secrets out of sight, and forget them on request', async () => {
    const configuration = vscode.workspace.getConfiguration();
    const inputs = [
      { id: 'token', type: 'promptString', description: 'The token of the demo', password: true },
      { id: 'region', type: 'pickString', options: ['eu', 'us'] },
    ];
    await configuration.update('mcpl.inputs', inputs, vscode.ConfigurationTarget.Workspace);
    const demo = { command: 'mcpl-demo', env: { TOKEN: '${input:token}', REGION: '${input:region}' } };
    await setServers({ demo });
    await untilServer('demo', 'known', (server) => server !== undefined);
    const starting = vscode.commands.executeCommand('mcpl.server.start', { server: 'demo' });
    await person.answerInput('s3cret-value');
    await person.pick('us');
    await starting;
    await untilState('demo', 'running');
    await vscode.commands.executeCommand('mcpl.server.restart', { server: 'demo' });
    await untilState('demo', 'running');
    const { inputs: memory } = (await mcpLive()).testing.services;
    assert.deepEqual(await memory.remembered(), ['region', 'token']);
    for (const id of await memory.remembered()) await memory.forget(id);
    assert.deepEqual(await memory.remembered(), []);
    await configuration.update('mcpl.inputs', undefined, vscode.ConfigurationTarget.Workspace);
  });
});
