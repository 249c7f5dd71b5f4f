import assert from 'node:assert/strict';
import { stateCases } from './stateCase.ts';

const KEPT_BY_SERVER = { book: { hostState: false } } as const;

stateCases('kept by the server', (open) => {
  test('§8.7: calls carry the name of the checkpoint, and no state', async () => {
    const opened = await open(KEPT_BY_SERVER);
    assert.equal(await opened.edit({ checkpoint: 'a', parent: null }), 'kept a');
    assert.equal(await opened.edit({ checkpoint: 'b', parent: 'a' }), 'kept b');
    await opened.edit(undefined);
    assert.deepEqual(await opened.sent(), ['{}', '{"checkpoint":"a"}', '{"checkpoint":"b"}']);
    assert.deepEqual(await opened.tree(), ['a opaque', 'b < a opaque head']);
    assert.deepEqual(await opened.summaries('b'), ['case book: server, 2, head b']);
  });

  test('what it says of the state all the same is not kept', async () => {
    const opened = await open(KEPT_BY_SERVER);
    await opened.edit({ checkpoint: 'a', parent: null, data: { secret: 'of the server' } });
    await opened.edit({ checkpoint: 'b', parent: 'a', patch: [{ op: 'remove', path: '/nothing' }] });
    assert.deepEqual(await opened.tree(), ['a opaque', 'b < a opaque head']);
    assert.deepEqual([await opened.stateAt('a'), await opened.stateAt('b')], [undefined, undefined]);
    const { rows } = await opened.window();
    const details = await Promise.all(rows.map(({ node }) => opened.lineages.checkpoint(node.place)));
    assert.deepEqual(
      details.map((detail) => detail?.body),
      [undefined, undefined],
    );
    await opened.edit(undefined);
    assert.equal((await opened.sent()).at(-1), '{"checkpoint":"b"}');
    assert.deepEqual(opened.troubles, []);
  });

  test('a parent that is not named is the checkpoint that was sent', async () => {
    const opened = await open(KEPT_BY_SERVER);
    await opened.edit({ checkpoint: 'a', parent: null });
    const answers = await Promise.all(['b', 'c', 'd'].map((checkpoint) => opened.edit({ checkpoint })));
    assert.deepEqual(answers, ['kept b', 'kept c', 'kept d']);
    assert.deepEqual(await opened.sent(), ['{}', '{"checkpoint":"a"}', '{"checkpoint":"b"}', '{"checkpoint":"c"}']);
    assert.deepEqual(await opened.tree(), [
      'a opaque',
      'b < a (assumed) opaque',
      'c < b (assumed) opaque',
      'd < c (assumed) opaque head',
    ]);
  });

  test('§8.2: a tree with branches, also below an unknown parent', async () => {
    const opened = await open(KEPT_BY_SERVER);
    await opened.edit({ checkpoint: 'a', parent: null });
    await opened.edit({ checkpoint: 'b', parent: 'a' });
    await opened.edit({ checkpoint: 'c', parent: 'a' });
    await opened.edit({ checkpoint: 'e', parent: 'd' });
    await opened.edit({ checkpoint: 'd', parent: 'a' });
    assert.deepEqual(await opened.tree(), [
      'a opaque',
      'b < a opaque aside',
      'c < a opaque aside',
      // It arrived after a checkpoint that builds on it, which stays the head.
      'd < a opaque',
      'e < d opaque head',
    ]);
  });

  test('conversations have separate heads', async () => {
    const opened = await open(KEPT_BY_SERVER);
    await opened.edit({ checkpoint: 'a', parent: null });
    await opened.edit({ checkpoint: 'b', parent: 'a' }, { conversationId: 'one' });
    opened.rollback = ({ checkpoint = null }) => ({ checkpoint, success: true });
    assert.equal(await opened.goBack('a', { conversation: 'two' }), 'rolledBack a');
    await opened.edit(undefined, { conversationId: 'one' });
    await opened.edit(undefined, { conversationId: 'two' });
    assert.deepEqual((await opened.sent()).slice(-2), ['{"checkpoint":"b"}', '{"checkpoint":"a"}']);
  });

  test('a call that fails leaves everything as it was', async () => {
    const opened = await open({
      ...KEPT_BY_SERVER,
      server: { answers: { 'tools/call': () => ({ error: { code: -32000, message: 'No.' } }) } },
    });
    assert.match(await opened.edit({ checkpoint: 'a' }), /^REMOTE_ERROR /);
    assert.deepEqual(await opened.tree(), []);
  });

  test('the head is known after a restart of the host', async () => {
    const opened = await open(KEPT_BY_SERVER);
    await opened.edit({ checkpoint: 'a', parent: null });
    await opened.edit({ checkpoint: 'b' });
    await opened.reopen();
    assert.deepEqual(await opened.tree(), ['a opaque', 'b < a (assumed) opaque head']);
    await opened.edit({ checkpoint: 'c', parent: 'b' });
    assert.deepEqual(await opened.sent(), ['{"checkpoint":"b"}']);
  });

  test('the head is known after the server has ended', async () => {
    const opened = await open(KEPT_BY_SERVER);
    await opened.edit({ checkpoint: 'a', parent: null });
    await opened.mcpl.host.restart('case');
    await opened.mcpl.until('the next process', () => opened.mcpl.peer().lives.length >= 2);
    await opened.mcpl.start();
    await opened.edit({ checkpoint: 'b' });
    assert.deepEqual(await opened.sent(), ['{"checkpoint":"a"}']);
    assert.deepEqual(await opened.tree(), ['a opaque', 'b < a (assumed) opaque head']);
  });
});
