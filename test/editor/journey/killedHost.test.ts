import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { commandLineOf, isAlive, processTree } from '../../harness/processes.ts';
import { type JourneyEditor, openJourney } from './journeyEditor.ts';
import { until } from './until.ts';

/** It does not notice that its input ends, so nobody but the host can end it. */
const oldServer = join(
  dirname(createRequire(import.meta.url).resolve('server-everything-0.6.2/package.json')),
  'dist/index.js',
);

const pidsOf = (editor: JourneyEditor, text: string): readonly number[] =>
  processTree(editor.pid).filter((pid) => commandLineOf(pid).includes(text));

const allRunning = async (editor: JourneyEditor): Promise<boolean> => {
  const rows = await editor.person.treeRows();
  return ['demo', 'old'].every((id) => rows.some((row) => row.startsWith(`${id} running`)));
};

suite('A person whose extension host is killed', () => {
  let opened: JourneyEditor | undefined;

  suiteTeardown(async () => {
    await opened?.close();
  });

  test('has the servers back without a question, and none of the old ones is left', async () => {
    const servers = {
      demo: { command: 'mcpl-demo', enabled: true },
      old: { command: process.execPath, args: [oldServer], enabled: true },
    };
    const editor = await openJourney({ settings: { 'mcpl.servers': servers }, trust: 'yes' });
    opened = editor;
    await editor.person.openContainer('MCP Live');
    await editor.person.notification('Start', 'mcpl-demo');
    await editor.person.notification('Start', 'server-everything');
    await until('both servers', editor, () => allRunning(editor));

    const [host] = pidsOf(editor, '--type=extensionHost');
    const before = [...pidsOf(editor, 'demo.js'), ...pidsOf(editor, oldServer)];
    assert.ok(host !== undefined && before.length === 2);
    process.kill(host, 'SIGKILL');

    await until('the end of the old servers', editor, () => Promise.resolve(!before.some(isAlive)));
    await until('both servers again', editor, () => allRunning(editor));
    const after = [...pidsOf(editor, 'demo.js'), ...pidsOf(editor, oldServer)];
    assert.equal(after.length, 2);
    assert.deepEqual(
      after.filter((pid) => before.includes(pid)),
      [],
    );
  });
});
