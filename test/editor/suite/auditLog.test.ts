import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { CancellationSource, isCancellation, NO_CANCELLATION } from '../../../src/core/index.ts';
import { writeAudit } from '../../../src/editor/audit/auditDocument.ts';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';
import { cleanSlate, mcpLive } from './mcpLive.ts';
import { push, startPushServer } from './pushServer.ts';

const lines = (): readonly string[] => (vscode.window.activeTextEditor?.document.getText() ?? '').split('\n');

suite('The audit log', () => {
  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    await startPushServer();
  });
  teardown(async () => {
    await (await mcpLive()).host.events.clear();
    await cleanSlate();
  });

  test('shows what servers did, the newest first, and goes on while it is open', async () => {
    await push('One');
    await vscode.commands.executeCommand('mcpl.showAuditLog');
    await eventually(async () => lines()[0]?.split(/ {2,}/).slice(0, 4), ['time', 'outcome', 'server', 'operation']);
    assert.match(lines()[1] ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}success +memory +(tools\/call|push\/event) /);
    assert.equal(vscode.window.activeTextEditor?.document.uri.scheme, 'mcpl-audit');
    await push('Refused', { featureSet: 'memory.unknown' });
    await eventually(
      async () => lines().some((line) => /refused +memory +push\/event +memory\.unknown/.test(line)),
      true,
    );
    await person.screenshot('the audit log');
    await vscode.commands.executeCommand('mcpl.showAuditLog', { server: 'nobody' });
    await eventually(async () => lines()[0]?.startsWith('Nothing is recorded yet.'), true);
  });

  test('is exported whole, and not in part when that is cancelled', async () => {
    for (let i = 0; i < 3; i++) await push(`Number ${i}`);
    const { host } = await mcpLive();
    const folder = await mkdtemp(join(tmpdir(), 'mcpl-audit-'));
    const target = vscode.Uri.file(join(folder, 'audit.jsonl'));
    const count = await writeAudit(host.audit, 'memory', target, NO_CANCELLATION);
    const records = (await readFile(target.fsPath, 'utf8')).trimEnd().split('\n');
    assert.equal(records.length, count);
    const pushes = records.map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.ok(
      pushes.filter(({ operation, outcome }) => operation === 'push/event' && outcome === 'success').length >= 3,
    );
    const source = new CancellationSource();
    source.cancel();
    await assert.rejects(writeAudit(host.audit, 'memory', target, source.token), isCancellation);
    assert.deepEqual(await readdir(folder), ['audit.jsonl']);
    assert.equal((await readFile(target.fsPath, 'utf8')).trimEnd().split('\n').length, count);
    await rm(folder, { recursive: true });
  });
});
