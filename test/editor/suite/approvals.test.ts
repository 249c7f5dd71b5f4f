import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { isHostError, type JsonObject } from '../../../src/core/index.ts';
import { person } from '../person.ts';
import { scopeServer } from '../scopeServerEntry.ts';
import { eventually } from './eventually.ts';
import { cleanSlate, mcpLive, setServers, until, untilServer, untilTools } from './mcpLive.ts';

const HOSTS = 'files (files.edit) wants to append to /etc/hosts, outside this workspace.';
const REFUSED = /^\{"approved":false,"reason":".+"\}$/;

/** Calls the server's tool. Resolves with the answer as text. */
const call = async (tool: string, args: JsonObject): Promise<string> => {
  const { host } = await mcpLive();
  return (await host.callTool({ server: 'files', tool, args, route: 'api' })).modelText;
};
/**
 * Makes the server request a scope. Resolves with the answer. Each test uses another scope, because denied ones are not
 * asked about again for a while.
 */
const elevate = (label: string, payload: JsonObject = { path: label, mode: 'append' }): Promise<string> =>
  call('elevate', { label, payload });
const asks = async (count = 1): Promise<void> => {
  const { host } = await mcpLive();
  await until(host.approvals.onDidChange, `${count} requests`, () => host.approvals.pending().length === count);
};
const told = (message: string): Promise<void> =>
  eventually(async () => (await person.notifications()).includes(message), true);
const rows = async (): Promise<readonly string[]> =>
  (await person.treeRows()).filter((row) => /files \(files\.edit\)|^Remembered|^History/.test(row));
/** Without the time. */
const waitingRows = async (): Promise<readonly string[]> =>
  (await rows()).filter((row) => /^(Append|Call)/.test(row)).map((row) => row.replace(/\d\d:\d\d:\d\d$/, '…'));
const activeText = (): string => vscode.window.activeTextEditor?.document.getText() ?? '';

const forgetAll = async (): Promise<void> => {
  const { host } = await mcpLive();
  await host.approvals.loaded();
  await host.approvals.revoke(host.approvals.remembered().map(({ id }) => id));
};

suite('Approvals', () => {
  setup(async () => {
    await cleanSlate();
    await forgetAll();
    const { testing } = await mcpLive();
    testing.answerConsent(async () => 'start');
    await setServers({ files: scopeServer() });
    await untilTools('files');
    await untilServer('files', 'its set on', (server) => server?.mcpl?.sets[0]?.state === 'enabled');
    await vscode.commands.executeCommand('mcpl.approvals.focus');
  });
  teardown(async () => {
    await forgetAll();
    await cleanSlate();
  });
  // Collapses the history, whose rows would disturb other suites.
  suiteTeardown(() => person.click('.pane-header:has-text("Approvals")'));

  test('are asked for by a notification, and wait in the view', async () => {
    const answered = elevate('/etc/hosts');
    await told(HOSTS);
    await eventually(waitingRows, ['Append to /etc/hosts files (files.edit) · outside this workspace · expires at …']);
    await person.screenshot('an approval that waits');
    assert.deepEqual(await person.cutButtons('Verdana, "DejaVu Sans", sans-serif'), []);
    await person.notification('Allow Once', '/etc/hosts');
    assert.equal(await answered, '{"approved":true,"payload":{"path":"/etc/hosts","mode":"append"}}');
    await eventually(waitingRows, []);
    const again = elevate('/etc/hosts');
    await asks();
    await eventually(async () => (await waitingRows()).length, 1);
    await person.clickTreeItem('Append to /etc/hosts', 'Deny');
    assert.match(await again, REFUSED);
    await eventually(async () => (await rows()).at(-1), 'History');
    await person.clickTreeItem('History', 'expand');
    await eventually(
      async () =>
        (await person.treeRows()).filter((row) => /^ {2}\/etc\/hosts.*: You (allowed it once|denied it)/.test(row))
          .length >= 2,
      true,
    );
    await person.screenshot('what was decided of approvals');
  });

  test('for the session are not asked for again, until they are revoked', async () => {
    const answered = elevate('/etc/fstab');
    await asks();
    void vscode.commands.executeCommand('mcpl.approval.answer');
    await person.pick('Append to /etc/fstab');
    await person.screenshot('the answers in the quick pick');
    await person.pick('Allow for This Session');
    assert.match(await answered, /^\{"approved":true/);
    assert.match(await elevate('/etc/fstab'), /^\{"approved":true/);
    await eventually(
      async () => (await rows()).slice(0, 2),
      ['Remembered 1', '  /etc/fstab files (files.edit) · for this session'],
    );
    // Waits until both decisions are recorded, because a repaint of the view loses the click.
    await eventually(
      async () =>
        (await person.treeRows()).filter((row) =>
          /^ {2}\/etc\/fstab.*: You (had )?allowed it for the session/.test(row),
        ).length,
      2,
    );
    await person.clickTreeItem('/etc/fstab', 'Revoke');
    await eventually(async () => (await rows()).some((row) => row.startsWith('Remembered')), false);
    const again = elevate('/etc/fstab');
    await asks();
    await person.notification('Deny', '/etc/fstab');
    assert.match(await again, REFUSED);
  });

  test('of a workspace have an end that can be changed', async () => {
    const { host } = await mcpLive();
    const answered = elevate('/etc/services');
    await asks();
    await person.notification('Always', '/etc/services');
    assert.match(await answered, /^\{"approved":true/);
    const [grant] = host.approvals.remembered();
    assert.equal(grant?.lifetime, 'workspace');
    // Without a row, the user picks an approval.
    void vscode.commands.executeCommand('mcpl.approval.changeExpiry');
    await person.pick('/etc/services');
    await person.pick('Until revoked');
    await eventually(
      async () => (await rows()).slice(0, 2),
      ['Remembered 1', '  /etc/services files (files.edit) · until revoked'],
    );
    await person.screenshot('an approval that is remembered');
    await vscode.commands.executeCommand('mcpl.approval.copyTarget', { server: 'files', grant: grant.id });
    assert.equal(await vscode.env.clipboard.readText(), '/etc/services');
    // In the review, the user clears approvals to revoke them.
    void vscode.commands.executeCommand('mcpl.approvals.review');
    await person.pick('/etc/services');
    await person.press('Enter');
    await eventually(async () => host.approvals.remembered().length, 0);
  });

  test('are denied where the notification is closed, and nothing follows from a click that comes too late', async () => {
    const { host } = await mcpLive();
    const closed = elevate('/etc/group');
    await told(HOSTS.replace('hosts', 'group'));
    await vscode.commands.executeCommand('notifications.clearAll');
    assert.match(await closed, REFUSED);
    const late = elevate('/etc/passwd');
    await asks();
    await told(HOSTS.replace('hosts', 'passwd'));
    await host.approvals.answer(host.approvals.pending()[0]?.id ?? '', 'deny');
    assert.match(await late, REFUSED);
    await person.notification('Allow Once', '/etc/passwd');
    await told('That request had ended already: it was denied. Your answer changed nothing.');
    assert.deepEqual(host.approvals.remembered(), []);
  });

  test('are denied together where several are selected, and allowed one by one', async () => {
    const { host } = await mcpLive();
    const answered = [elevate('/opt/a'), elevate('/opt/b'), elevate('/opt/c')];
    await asks(3);
    const selected = host.approvals.pending().map(({ id }) => ({ server: 'files', approval: id }));
    await vscode.commands.executeCommand('mcpl.approval.allowOnce', selected[0], selected);
    assert.equal(host.approvals.pending().length, 2);
    await vscode.commands.executeCommand('mcpl.approval.deny', selected[1], selected);
    const replies = await Promise.all(answered);
    assert.equal(replies.filter((reply) => REFUSED.test(reply)).length, 2);
  });

  test('show both names where a server calls something by another, with the answer no first', async () => {
    const answered = elevate('src/a.ts', { path: '/etc/passwd', mode: 'write' });
    await asks();
    await told(
      'files (files.edit) wants to write to /etc/passwd and src/a.ts, 1 of 2 outside this workspace. ' +
        'It calls it "src/a.ts", which names something else.',
    );
    await person.screenshot('an approval under another name');
    await person.press('Escape');
    await vscode.commands.executeCommand('mcpl.approvals.focus');
    await person.clickTreeItem('Write to /etc/passwd and src/a.ts');
    await eventually(async () => activeText().startsWith('files (files.edit) wants to write to /etc/passwd'), true);
    assert.match(activeText(), /\nTargets\n[^]*Leads to {3}\/etc\/passwd\n[^]*This is policy, not a sandbox: /);
    await person.screenshot('the details of an approval');
    await person.notification('Deny', '/etc/passwd');
    assert.match(await answered, REFUSED);
    await eventually(async () => /\nEnd.*\n/.exec(activeText())?.[0], '\nEnded        denied\n');
  });

  test('are for calls of scoped tools as well, and are counted in the status bar', async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    assert.match(await call('edit_file', { path: `${folder}/src/a.ts` }), /"label"/);
    await assert.rejects(call('edit_file', { path: `${folder}/.env` }), (error) => isHostError(error, 'SCOPE_DENIED'));
    const allowed = call('edit_file', { path: `${folder}/docs/b.md` });
    await asks();
    await told('files (files.edit) wants to call edit_file on docs/b.md. No rule in your settings covers this file.');
    const item = '[id="mcp-live.mcp-live.mcpl.status"]';
    await eventually(async () => (await person.texts(item)).map((text) => text.trim().replace(/\s+/g, ' ')), ['1 1']);
    await person.click(item);
    await eventually(
      async () => (await person.texts('.quick-input-list .monaco-list-row .label-name')).slice(0, 2),
      ['Show Approvals', 'files'],
    );
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    await person.notification('Allow Once', 'edit_file');
    assert.match(await allowed, /docs\/b\.md/);
  });

  test('follow from scopes that are seen at the server, and lead to their setting', async () => {
    await vscode.commands.executeCommand('mcpl.servers.focus');
    await eventually(async () => (await person.treeRows()).some((row) => row.startsWith('files running')), true);
    await person.clickTreeItem('files', 'expand');
    await eventually(async () => (await person.treeRows()).includes('  Scopes 1 allowed · 1 denied'), true);
    await person.clickTreeItem('Scopes', 'expand');
    await person.clickTreeItem('files.edit', 'expand');
    await eventually(
      async () => (await person.treeRows()).filter((row) => /allowed$|denied$|touches/.test(row)),
      [
        '  Scopes 1 allowed · 1 denied',
        '    files.edit 1 allowed · 1 denied',
        '      ${workspaceFolder}/src/** allowed',
        '      **/.env denied',
        '    elevate touches nothing',
      ],
    );
    await person.screenshot('the scopes of a server');
    await person.clickTreeItem('**/.env');
    await eventually(async () => {
      const editor = vscode.window.activeTextEditor;
      return editor?.document.lineAt(editor.selection.active.line).text.trim().startsWith('"blacklist"') ?? false;
    }, true);
  });
});
