import assert from 'node:assert/strict';
import { callTool, type ToolContext } from '../../../src/demo/tool.ts';
import { notesTools } from '../../../src/demo/noteTools.ts';

suite('The notes of the demo', () => {
  let tools: ReturnType<typeof notesTools>;
  let steps: string[];
  let context: ToolContext;

  setup(() => {
    tools = notesTools(() => new Date('2026-01-01T00:00:00Z'));
    steps = [];
    context = {
      signal: new AbortController().signal,
      progress: (done, total, message) => steps.push(`${done}/${total} ${message}`),
    };
  });

  async function call(name: string, args: object = {}): Promise<string> {
    const tool = tools.find((each) => each.name === name);
    assert.ok(tool !== undefined);
    const { text, isError } = await callTool(tool, args, context);
    return isError === true ? `ERROR ${text}` : text;
  }

  test('keep a note with everything it was given, and defaults for the rest', async () => {
    const tool = tools.find((each) => each.name === 'add_note');
    assert.ok(tool !== undefined);
    const args = { title: 'Milk', tags: ['shop'], priority: 'high', reminder: { date: '2026-02-01' } };
    assert.deepEqual(await callTool(tool, args, context), {
      text: 'Added note-1: Milk #shop',
      structured: {
        note: {
          id: 'note-1',
          title: 'Milk',
          text: '',
          tags: ['shop'],
          priority: 'high',
          importance: 3,
          pinned: false,
          reminder: { date: '2026-02-01', daysBefore: 0 },
          createdAt: '2026-01-01T00:00:00.000Z',
        },
      },
    });
  });

  test('list pinned notes first, filtered, sorted and limited', async () => {
    await call('add_note', { title: 'b', tags: ['x'] });
    await call('add_note', { title: 'a', tags: ['x'] });
    await call('add_note', { title: 'c', pinned: true, priority: 'low' });
    assert.equal(await call('list_notes'), 'note-3: c (pinned)\nnote-2: a #x\nnote-1: b #x');
    assert.equal(await call('list_notes', { sort: 'oldest' }), 'note-3: c (pinned)\nnote-1: b #x\nnote-2: a #x');
    assert.equal(await call('list_notes', { sort: 'title', tag: 'x' }), 'note-2: a #x\nnote-1: b #x');
    assert.equal(await call('list_notes', { pinnedOnly: true }), 'note-3: c (pinned)');
    assert.equal(await call('list_notes', { priority: 'high' }), 'There are no such notes.');
    assert.equal(await call('list_notes', { limit: 1 }), 'note-3: c (pinned)\n… and 2 more');
  });

  test('search in the given fields and mode', async () => {
    await call('add_note', { title: 'Milk', text: 'buy it' });
    await call('add_note', { title: 'Bread', text: 'no milk' });
    assert.equal(await call('search_notes', { query: 'MILK' }), 'note-2: Bread\nnote-1: Milk');
    assert.equal(await call('search_notes', { query: 'milk', caseSensitive: true }), 'note-2: Bread');
    assert.equal(await call('search_notes', { query: 'milk', fields: ['title'] }), 'note-1: Milk');
    assert.equal(await call('search_notes', { query: 'x' }), 'No note contains "x".');
    assert.equal(await call('search_notes'), 'ERROR query is missing.');
  });

  test('delete a note once', async () => {
    await call('add_note', { title: 'Milk' });
    assert.equal(await call('delete_note', { id: 'note-1' }), 'Deleted note-1: Milk');
    assert.equal(
      await call('delete_note', { id: 'note-1' }),
      'ERROR There is no note "note-1". List the notes to see their ids.',
    );
  });

  test('summarize step by step, and stop on cancellation', async () => {
    await call('add_note', { title: 'Milk', text: 'one two three' });
    await call('add_note', { title: 'Bread' });
    const args = { secondsPerStep: 0, maxWords: 2 };
    assert.equal(await call('summarize_notes', args), '- Milk: one two…\n- Bread');
    assert.deepEqual(steps, ['0/4 Reading "Milk"', '1/4 Reading "Bread"', '2/4 Sorting', '3/4 Sorting', '4/4 Done']);
    assert.equal(await call('summarize_notes', { ...args, style: 'paragraph' }), 'Milk: one two…. Bread.');
    const controller = new AbortController();
    context = { signal: controller.signal, progress: () => controller.abort() };
    await assert.rejects(call('summarize_notes', { secondsPerStep: 10 }), { name: 'AbortError' });
  });
});
