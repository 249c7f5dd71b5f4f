import assert from 'node:assert/strict';
import {
  findCheckpoints,
  lineagesNamed,
  listedText,
  newestOf,
  planText,
} from '../../../../src/editor/chat/chatCheckpoints.ts';
import { AT, FakeLineages, line, node, plan, summary } from '../lineage/lineageFakes.ts';

suite('Checkpoints in the chat', () => {
  test('are those of the server or set that is named, or of all', () => {
    const all = [summary([]), summary([], { featureSet: 'other' }), summary([], { server: 'files', featureSet: '' })];
    const named = (wanted: string): readonly string[] =>
      lineagesNamed(all, wanted).map(({ server, featureSet }) => `${server}/${featureSet}`);
    assert.deepEqual(named(''), ['notes/notes.edit', 'notes/other', 'files/']);
    assert.deepEqual(named('Notes'), ['notes/notes.edit', 'notes/other']);
    assert.deepEqual(named('notes.edit'), ['notes/notes.edit']);
    assert.deepEqual(named('notes (other)'), ['notes/other']);
    assert.deepEqual(named('nothing'), []);
  });

  test('are listed with what made them, and nothing in them is markdown', async () => {
    const lineages = new FakeLineages();
    const hostile = node('**b**', { place: 2, tool: 'ed[it](command:x)', args: undefined, name: '<b>' });
    lineages.set([node('chk_a', { place: 1 }), hostile], { blocked: node('chk_c') });
    const [given] = lineages.list();
    assert.ok(given);
    assert.equal(
      listedText(given, await newestOf(lineages, given, 5), AT),
      '\n\n**notes \\(notes.edit\\)**, 2 checkpoints  \nThe state of chk\\_c could not be made.\n\n' +
        '- \\*\\*b\\*\\* "\\<b\\>" · head · ed\\[it\\] \\(command:x\\) · 2026\\-11\\-18 16:04:21, just now\n' +
        '- chk\\_a · edit · path: a.md · 2026\\-11\\-18 16:04:21, just now\n\n',
    );
  });

  test('are found by their id, copies included, and by the name that the user gave', async () => {
    const lineages = new FakeLineages();
    lineages.set([
      ...line(2),
      node('chk_2', { place: 3, copy: 2 }),
      node('chk_9', { place: 4, name: 'Before the move' }),
      node('odd#2', { place: 5 }),
    ]);
    const found = async (wanted: string): Promise<readonly string[]> =>
      (await findCheckpoints(lineages, wanted)).map(({ place, title }) => `${place} ${title}`);
    assert.deepEqual(await found('chk_1'), ['1 chk_1']);
    assert.deepEqual(await found('chk_2'), ['2 chk_2', '3 chk_2#2']);
    assert.deepEqual(await found('chk_2#2'), ['3 chk_2#2']);
    assert.deepEqual(await found('before the MOVE'), ['4 chk_9 "Before the move"']);
    assert.deepEqual(await found('before'), []);
    assert.deepEqual(await found('odd#2'), ['5 odd#2']);
  });

  test('say in short what going back would mean', () => {
    const tools = [{ tool: 'send_mail', count: 2, reachesOut: true }];
    assert.equal(
      planText(plan({ leftCount: 3, tools, hindrance: 'It does not run.' })).replaceAll('\\', ''),
      'Going back to chk_b of notes (notes.edit): 3 checkpoints are left as a branch. What send_mail may have done elsewhere stays done. It does not run.',
    );
  });
});
