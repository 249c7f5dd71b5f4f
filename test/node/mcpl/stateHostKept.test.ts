import assert from 'node:assert/strict';
import { stateCases } from './stateCase.ts';
import { tool } from './mcplCase.ts';

const A = { checkpoint: 'a', parent: null, data: { notes: [] } };
const add = (note: unknown): object => ({ op: 'add', path: '/notes/-', value: note });

/** A complete state, or a patch. */
function patched(checkpoint: string, parent: string | undefined, ...patch: readonly object[]) {
  return { checkpoint, ...(parent === undefined ? {} : { parent }), patch: patch as never[] };
}

const MISFIT = patched('bad', 'b', { op: 'remove', path: '/chapters/0' });

stateCases('kept by the host', (open) => {
  test('§8.2 to §8.4: what comes is kept, and goes along with the next call', async () => {
    const opened = await open();
    assert.equal(await opened.edit(A), 'kept a');
    assert.equal(await opened.edit(patched('b', 'a', add({ id: 1 }))), 'kept b');
    assert.equal(await opened.edit(patched('c', 'b', add({ id: 2 }))), 'kept c');
    assert.deepEqual(await opened.sent(), ['{}', '{"state":{"notes":[]}}', '{"state":{"notes":[{"id":1}]}}']);
    assert.deepEqual(await opened.tree(), ['a data', 'b < a patch', 'c < b patch head']);
    assert.equal(await opened.stateAt('c'), '{"notes":[{"id":1},{"id":2}]}');
    assert.deepEqual(await opened.summaries('c'), ['case book: host, 3, head c']);
    assert.deepEqual(opened.troubles, []);
  });

  test('a difference is one to the state of its parent, whatever is current, and makes a branch', async () => {
    const opened = await open();
    await opened.edit(A);
    await opened.edit(patched('b', 'a', add(1)));
    assert.equal(await opened.edit(patched('b2', 'a', add(3))), 'kept b2');
    assert.deepEqual(await opened.tree(), ['a data', 'b < a patch aside', 'b2 < a patch head']);
    assert.deepEqual([await opened.stateAt('b'), await opened.stateAt('b2')], ['{"notes":[1]}', '{"notes":[3]}']);
    await opened.edit(undefined);
    assert.equal((await opened.sent()).at(-1), '{"state":{"notes":[3]}}');
  });

  test('a patch that does not fit changes nothing, is reported, and blocks the next call', async () => {
    const opened = await open();
    await opened.edit(A);
    await opened.edit(patched('b', 'a', add(1)));
    const bad = patched('bad', 'b', add(2), { op: 'remove', path: '/chapters/0' });
    const { text, remarks } = await opened.call(bad);
    assert.match(text, /^broken bad: .*remove.*\/chapters\/0/);
    assert.match(remarks.join(), /^The state bad that came with it could not be made: /);
    assert.deepEqual(await opened.tree(), ['a data', 'b < a patch head', 'bad < b patch broken aside']);
    assert.deepEqual([await opened.stateAt('b'), await opened.stateAt('bad')], ['{"notes":[1]}', undefined]);
    assert.equal(opened.troubles.length, 1);
    assert.match(opened.troubles[0] ?? '', /^book edit stored: .*\/chapters\/0/);

    const refused = await opened.edit(patched('d', 'b', add(4)));
    assert.match(
      refused,
      /^STATE_BLOCKED The tool "edit" was not called: the state of "book" after checkpoint bad is not known/,
    );
    assert.equal((await opened.sent()).length, 3);
    assert.equal(await opened.continueFrom('b'), 'continued');
    assert.equal(await opened.edit(patched('d', 'b', add(4))), 'kept d');
    assert.equal((await opened.sent()).at(-1), '{"state":{"notes":[1]}}');
    assert.equal(await opened.stateAt('d'), '{"notes":[1,4]}');
  });

  test('after a rollback, a state that could not be computed no longer blocks calls', async () => {
    const opened = await open();
    await opened.edit(A);
    await opened.edit(patched('b', 'a', add(1)));
    await opened.edit(MISFIT);
    assert.equal(await opened.goBack('a'), 'rolledBack a');
    assert.equal(await opened.edit(patched('c', 'a', add(9))), 'kept c');
    assert.equal((await opened.sent()).at(-1), '{"state":{"notes":[]}}');
  });

  test('without a parent it is what was current when the call was sent', async () => {
    const opened = await open();
    await opened.edit(A);
    // All at once. They must wait for each other, because otherwise all patches would apply to the same state.
    const answers = await Promise.all([1, 2, 3].map((n) => opened.edit(patched(`n${n}`, undefined, add(n)))));
    assert.deepEqual(answers, ['kept n1', 'kept n2', 'kept n3']);
    assert.deepEqual(await opened.tree(), [
      'a data',
      'n1 < a (assumed) patch',
      'n2 < n1 (assumed) patch',
      'n3 < n2 (assumed) patch head',
    ]);
    assert.equal(await opened.stateAt('n3'), '{"notes":[1,2,3]}');
  });

  test('a parent that never came is a place without a state, and what builds on it has none', async () => {
    const opened = await open();
    assert.match(await opened.edit(patched('x', 'unknown', add(1))), /^broken x: /);
    assert.deepEqual(await opened.tree(), ['unknown placeholder aside', 'x < unknown patch broken aside']);
    assert.equal(await opened.stateAt('x'), undefined);
  });

  test('of both forms the whole state is taken', async () => {
    const opened = await open();
    await opened.edit(A);
    const both = { checkpoint: 'b', parent: 'a', data: { notes: ['whole'] }, patch: [{ op: 'remove', path: '/x' }] };
    assert.equal(await opened.edit(both), 'kept b');
    assert.equal(await opened.stateAt('b'), '{"notes":["whole"]}');
  });

  test('with neither it is the state of its parent', async () => {
    const opened = await open();
    await opened.edit(A);
    await opened.edit({ checkpoint: 'b', parent: 'a' });
    assert.deepEqual(await opened.tree(), ['a data', 'b < a same head']);
    assert.equal(await opened.stateAt('b'), '{"notes":[]}');
  });

  test('the same again changes nothing; another state of the same name gets one of its own', async () => {
    const opened = await open();
    await opened.edit(A);
    assert.equal(await opened.edit(A), 'known a');
    assert.deepEqual(await opened.tree(), ['a data head']);
    assert.match(await opened.edit({ ...A, data: { notes: ['other'] } }), /^kept a/);
    assert.deepEqual((await opened.tree()).slice(0, 1), ['a data aside']);
    assert.deepEqual([await opened.stateAt('a'), await opened.stateAt('a#2')], ['{"notes":[]}', '{"notes":["other"]}']);
  });

  test('no state is not null, and null is a state', async () => {
    const opened = await open();
    await opened.edit({ checkpoint: 'a', parent: null });
    await opened.edit({ checkpoint: 'b', parent: 'a', data: null });
    await opened.edit(undefined);
    assert.deepEqual(await opened.sent(), ['{}', '{}', '{"state":null}']);
  });

  test('a difference can put another state in the place of the whole', async () => {
    const opened = await open();
    await opened.edit(A);
    await opened.edit(patched('b', 'a', { op: 'replace', path: '', value: [1, 2] }));
    assert.equal(await opened.stateAt('b'), '[1,2]');
    await opened.edit(undefined);
    assert.equal((await opened.sent()).at(-1), '{"state":[1,2]}');
  });

  test('conversations work on from where each of them stands', async () => {
    const opened = await open();
    await opened.edit(A);
    await opened.edit(patched('b1', 'a', add(1)), { conversationId: 'one' });
    // The other conversation has not seen the first one's checkpoints, but its head did not move either.
    assert.equal(await opened.continueFrom('a', 'two'), 'continued');
    await opened.edit(patched('b2', 'a', add(2)), { conversationId: 'two' });
    await opened.edit(undefined, { conversationId: 'one' });
    await opened.edit(undefined, { conversationId: 'two' });
    assert.deepEqual((await opened.sent()).slice(-2), ['{"state":{"notes":[1]}}', '{"state":{"notes":[2]}}']);
  });

  test('a large state goes out as it came, and its text is nowhere else', async () => {
    const opened = await open();
    const notes = Array.from({ length: 3_000 }, (_, id) => ({ id, text: `Note ${id} – ☕ "quoted" \u2028` }));
    await opened.edit({ ...A, data: { notes } });
    await opened.edit(patched('b', 'a', add({ id: 'last' })));
    const [, second] = await opened.sent();
    assert.deepEqual(JSON.parse(second ?? ''), { state: { notes } });
    assert.deepEqual(JSON.parse((await opened.stateAt('b')) ?? ''), { notes: [...notes, { id: 'last' }] });
    assert.ok(opened.mcpl.log.every((line) => !line.includes('Note 2999')));
  });

  test('is neither sent nor kept while its set is off', async () => {
    const opened = await open();
    await opened.edit(A);
    await opened.mcpl.disable('book');
    assert.match(await opened.edit(patched('b', 'a', add(1))), /^(?:FEATURE_SET_OFF|UNKNOWN_TOOL|TOOL_HIDDEN) /);
    await opened.mcpl.enable('book');
    assert.equal(await opened.edit(patched('b', 'a', add(1))), 'kept b');
    assert.deepEqual(await opened.sent(), ['{}', '{"state":{"notes":[]}}']);
  });

  test('of a set that declares no state nothing is sent; what comes belongs to the only set that fits', async () => {
    const opened = await open({
      server: {
        sets: {
          book: { description: 'Writes.', uses: ['tools'], rollback: true, hostState: true },
          plain: { description: 'Reads.', uses: ['tools'] },
        },
        tools: [
          tool('edit', { _meta: { featureSet: 'book' } }),
          tool('look', { _meta: { featureSet: 'plain' } }),
          tool('stray'),
        ],
      },
    });
    await opened.edit(A);
    assert.equal(await opened.edit(patched('b', 'a', add(1)), { tool: 'stray' }), 'kept b');
    await opened.edit(undefined, { tool: 'look' });
    assert.deepEqual(await opened.sent(), ['{}', '{}', '{}']);
    assert.deepEqual(await opened.tree(), ['a data', 'b < a patch head']);
  });

  for (const [what, state, kept] of [
    ['no object', 'a', /^lost -: /],
    ['a checkpoint that is no name', { checkpoint: 7 }, /^lost -: /],
    ['a name that is too long', { checkpoint: 'x'.repeat(513), data: {} }, /^lost -: /],
    ['a difference that is none', { checkpoint: 'b', parent: 'a', patch: { op: 'add' } }, /^broken b: /],
    [
      'a way into what all objects have',
      { checkpoint: 'b', parent: 'a', patch: [{ op: 'add', path: '/__proto__/polluted', value: 1 }] },
      /^broken b: /,
    ],
  ] as const)
    test(`a hostile state is refused and harms nothing: ${what}`, async () => {
      const opened = await open();
      await opened.edit(A);
      assert.match(await opened.edit(state as never), kept);
      assert.equal(await opened.stateAt('a'), '{"notes":[]}');
      assert.equal(Reflect.get({}, 'polluted'), undefined);
      assert.equal((await opened.tree())[0], 'a data head');
    });

  test('§8.3: everything is there after a restart of the host, and calls go on from it', async () => {
    const opened = await open();
    await opened.edit(A);
    await opened.edit(patched('b', 'a', add(1)));
    await opened.edit(patched('c', 'a', add(2)), { conversationId: 'one' });
    const before = await opened.tree();
    await opened.reopen();
    await opened.lineages.loaded();
    assert.deepEqual(await opened.tree(), before);
    assert.deepEqual([await opened.stateAt('b'), await opened.stateAt('c')], ['{"notes":[1]}', '{"notes":[2]}']);
    assert.equal(await opened.edit(patched('d', 'c', add(3)), { conversationId: 'one' }), 'kept d');
    assert.deepEqual(await opened.sent(), ['{"state":{"notes":[2]}}']);
  });
});
