import assert from 'node:assert/strict';
import { STATE_BOUNDS } from '../../src/core/model/lineage.ts';
import { PatchableState } from '../../src/core/states/patches/patches.ts';
import { StoredStates } from '../../src/node/store/states/materialiser.ts';
import { runBatch } from '../../src/node/store/batch.ts';
import { data, note, patch, StateCase } from '../support/stateCase.ts';

suite('Recorded states (MCPL 8)', () => {
  let states: StateCase;

  setup(() => {
    states = new StateCase();
  });

  teardown(() => states.database.close());

  const treeIs = (...lines: readonly string[]): void => {
    assert.equal(states.tree, lines.join('\n'));
    states.reopen();
    assert.equal(states.tree, lines.join('\n'), 'the same after a restart');
  };

  test('8.2: checkpoints are a tree, and a patch is one to the state of its parent, not of the head', () => {
    states.call('a', { parent: null, body: data({ notes: [1] }) });
    states.call('b', { parent: 'a', body: note(2) });
    states.call('c', { parent: 'a', body: note(3) });
    states.call('d', { parent: 'b', body: note(4) });
    treeIs(
      'a data {"notes":[1]}',
      '  b patch {"notes":[1,2]}',
      '    d patch {"notes":[1,2,4]} <- head',
      '  c patch {"notes":[1,3]}',
    );
    assert.equal(states.counts, 'host, 4 kept, 139 characters, version 4');
  });

  test('8.3: what came before is found by what was the head when the request was sent, where no parent is named', () => {
    states.call('a', { body: data({ notes: [] }) });
    const { head } = states.base();
    states.call('b', { body: note('b') });
    states.call('c', { body: note('c'), base: head?.place });
    treeIs('a data {"notes":[]}', '  b patch (assumed) {"notes":["b"]}', '  c patch (assumed) {"notes":["c"]} <- head');
  });

  test('8.3: without data or patch the state is that of the parent', () => {
    states.call('a', { parent: null, body: data([1]) });
    states.call('b', { parent: 'a' });
    states.call('c', { parent: 'b', body: patch({ op: 'add', path: '/-', value: 2 }) });
    states.call('d', { parent: 'c' });
    treeIs('a data [1]', '  b same [1]', '    c patch [1,2]', '      d same [1,2] <- head');
  });

  test('8.3: a root without data has no state yet, and the next call goes without one', () => {
    states.call('a', { parent: null });
    states.call('b', { parent: 'a' });
    treeIs('a same', '  b same <- head');
    assert.deepEqual([states.base().state, states.base().blocked], [undefined, undefined]);
  });

  test('8.4: what the next call begins with is the state at the head, null included', () => {
    assert.deepEqual(states.base(), { keeper: 'host', head: undefined, state: undefined, blocked: undefined });
    states.call('a', { parent: null, body: data(null) });
    assert.equal(states.base().state, 'null');
    states.call('b', { body: data({ '10': 1, '9': 2 }) });
    assert.equal(states.base().state, '{"9":2,"10":1}');
    states.call('c', { body: patch({ op: 'replace', path: '', value: 'all' }) });
    assert.deepEqual([states.base().state, states.base().head?.checkpoint], ['"all"', 'c']);
    assert.equal(states.base().state, '"all"', 'as often as one asks');
  });

  test('a patch that does not fit keeps the head, changes nothing, and blocks calls', () => {
    states.call('a', { parent: null, body: data({ notes: [] }) });
    states.call('b', { body: note(1) });
    const half = patch({ op: 'add', path: '/notes/-', value: 2 }, { op: 'remove', path: '/gone' });
    const broken = states.call('c', { body: half });
    assert.deepEqual([broken.kind, states.states.at(broken.node.place)], ['broken', undefined]);
    assert.match(broken.node.problem ?? '', /^The patch does not fit the state before it\. .*\/gone/);
    treeIs(
      'a data {"notes":[]}',
      '  b patch (assumed) {"notes":[1]} <- head',
      '    c patch (assumed) broken <- blocks',
    );
    const { head, state, blocked } = states.base();
    assert.deepEqual([head?.checkpoint, state, blocked?.checkpoint], ['b', undefined, 'c']);
    const next = states.call('d', { parent: 'b', body: note(3) });
    assert.deepEqual([next.kind, states.state('d')], ['kept', '{"notes":[1,3]}']);
    assert.equal(states.base().blocked?.checkpoint, 'c', 'a patch heals nothing');
    states.call('e', { body: data({ notes: 'new' }) });
    assert.deepEqual([states.base().blocked, states.base().state], [undefined, '{"notes":"new"}']);
  });

  test('a patch on nothing, on what is not known, or on what is broken is broken', () => {
    const onNothing = states.call('a', { parent: null, body: note(1) });
    const onUnknown = states.call('b', { parent: 'elsewhere', body: note(2) });
    const onBroken = states.call('c', { parent: 'b', body: note(3) });
    const sameAsBroken = states.call('d', { parent: 'c' });
    const sameAsUnknown = states.call('e', { parent: 'elsewhere' });
    assert.deepEqual(
      [onNothing, onUnknown, onBroken, sameAsBroken, sameAsUnknown].map(({ node }) => node.problem),
      [
        'A patch came, but there is no state before it.',
        'It builds on elsewhere, of which nothing but the name is known.',
        'It builds on b, whose state could not be made.',
        'It builds on c, whose state could not be made.',
        'It builds on elsewhere, of which nothing but the name is known.',
      ],
    );
    treeIs(
      'a patch broken',
      'elsewhere placeholder',
      '  b patch broken',
      '    c patch broken',
      '      d same broken',
      '  e same broken <- blocks',
    );
  });

  test('a whole state is good wherever it comes from; its parent gets a place of its own', () => {
    const { remarks } = states.call('b', { parent: 'a', body: data([1]) });
    assert.deepEqual(remarks, ['Its parent a is not known here: what lies between cannot be shown.']);
    treeIs('a placeholder', '  b data [1] <- head');
    assert.match(states.counts, /^host, 2 kept/);
  });

  test('what was only a name is filled in when its server speaks of it; what was broken by it stays so', () => {
    states.call('root', { parent: null, body: data({ notes: [] }) });
    states.call('b', { parent: 'a', body: note('b') });
    states.call('a', { parent: 'root', body: note('a') });
    treeIs('root data {"notes":[]}', '  a patch {"notes":["a"]} <- head', '    b patch broken <- blocks');
    assert.match(states.counts, /^host, 3 kept/);
  });

  test('the head stays when an earlier placeholder is filled', () => {
    states.call('b', { parent: 'a', body: data([2]) });
    const { kind, remarks } = states.call('a', { parent: null, body: data([1]) });
    assert.deepEqual([kind, remarks], ['kept', ['It came after what builds on it, which stays what is worked on.']]);
    treeIs('a data [1]', '  b data [2] <- head');
  });

  test('nothing can come before itself', () => {
    states.call('a', { parent: 'a', body: data(1) });
    states.call('b', { parent: 'x', body: data(2) });
    states.call('x', { parent: 'b', body: data(3) });
    states.call('x', { parent: 'x', body: data(4) });
    treeIs('a data 1', 'x placeholder', '  b data 2', '    x#2 data 3', '      x#3 data 4 <- head');
  });

  test('the same said again changes nothing', () => {
    states.call('a', { parent: null, body: data([1]) });
    states.call('b', { parent: 'a', body: patch({ op: 'add', path: '/-', value: 2 }) });
    const before = [states.tree, states.counts];
    const answers = [
      states.call('b'),
      states.call('b', { parent: 'a' }),
      states.call('b', { body: patch({ op: 'add', path: '/-', value: 2 }), tool: 'other', at: 9 }),
      states.call('a', { parent: null, body: data([1]) }),
    ];
    assert.deepEqual([states.tree, states.counts], before);
    assert.deepEqual(
      answers.map(({ kind, node, remarks }) => [kind, node.checkpoint, remarks.length]),
      [
        ['known', 'b', 0],
        ['known', 'b', 0],
        ['known', 'b', 0],
        ['known', 'a', 1],
      ],
    );
  });

  test('what is said of a parent that was given up is no contradiction', () => {
    states.call('a', { parent: null, body: data([1]) });
    states.call('b', { body: data([2]) });
    states.database.exec(`DELETE FROM checkpoints WHERE checkpoint = 'a'`);
    states.database.exec(`UPDATE checkpoints SET parent = NULL, link = 'trimmed' WHERE checkpoint = 'b'`);
    assert.equal(states.call('b', { parent: 'a', body: data([2]) }).kind, 'known');
  });

  test('something else under the same name is kept beside it', () => {
    states.call('a', { parent: null, body: data([1]) });
    const { remarks } = states.call('a', { body: data([2]) });
    states.call('a', { parent: null, body: data([2]) });
    states.call('b', { parent: 'a', body: patch({ op: 'add', path: '/-', value: 3 }) });
    assert.deepEqual(remarks, ['Its server called something else a before: this is kept as a#2.']);
    treeIs('a data [1]', '  a#2 data (assumed) [2]', 'a#3 data [2]', '  b patch [2,3] <- head');
  });

  test('a repeated name means the head, if the head has that name', () => {
    states.call('a', { parent: null, body: data([1]) });
    const { head } = states.base();
    states.call('a', { parent: null, body: data([2]) });
    states.call('b', { parent: 'a', base: head?.place });
    treeIs('a data [1]', '  b same [1] <- head', 'a#2 data [2]');
  });

  test('8.7: of a state that its server keeps, nothing but the names is kept', () => {
    states.call('a', { keeper: 'server' });
    const { remarks } = states.call('b', { keeper: 'server', body: data('secret') });
    assert.deepEqual(remarks, [
      'A state came with it, but its server keeps its states itself: nothing of it was kept.',
    ]);
    treeIs('a opaque', '  b opaque (assumed) <- head');
    assert.equal(states.counts, 'server, 2 kept, 0 characters, version 2');
    const { keeper, head, state } = states.base(undefined, 'server');
    assert.deepEqual([keeper, head?.checkpoint, state], ['server', 'b', undefined]);
  });

  test('where the server decides by its answers, the host keeps states as soon as one comes', () => {
    states.call('a', { keeper: 'either' });
    assert.equal(states.base(undefined, 'either').keeper, 'server');
    states.call('b', { keeper: 'either', body: data([1]) });
    states.call('c', { keeper: 'either' });
    treeIs('a opaque', '  b data (assumed) [1]', '    c same (assumed) [1] <- head');
    assert.deepEqual(
      [states.base(undefined, 'either').keeper, states.base(undefined, 'either').state],
      ['host', '[1]'],
    );
  });

  test('what is larger than a state or a patch may be is not kept, and said to be so', () => {
    const huge = { kind: 'data', text: `"${'x'.repeat(STATE_BOUNDS.state)}"` } as const;
    const patchText = `[{"op":"add","path":"/a","value":"${'x'.repeat(STATE_BOUNDS.patch)}"}]`;
    states.call('a', { parent: null, body: data({}) });
    const tooLarge = [states.call('b', { body: huge }), states.call('c', { body: { kind: 'patch', text: patchText } })];
    assert.deepEqual(
      tooLarge.map(({ kind, node }) => [kind, node.problem, node.size]),
      [
        ['broken', 'The state has 32000002 characters; at most 32000000 are kept.', 0],
        ['broken', 'The patch has 16000037 characters; at most 16000000 are kept.', 0],
      ],
    );
    assert.equal(states.base().head?.checkpoint, 'a');
    assert.match(states.counts, /^host, 3 kept, 2 characters/);
  });

  test('patches that make a state larger than it may be are refused, and the state stays as it was', () => {
    const half = 'x'.repeat(STATE_BOUNDS.patch - 100);
    states.call('a', { parent: null, body: data({}) });
    for (const name of ['b', 'c']) states.call(name, { body: patch({ op: 'add', path: `/${name}`, value: half }) });
    const { kind, node } = states.call('d', { body: patch({ op: 'copy', from: '/b', path: '/d' }) });
    assert.equal(kind, 'broken');
    assert.match(
      node.problem ?? '',
      /copy "\/d"\) does not fit: the state would be larger than 32 million characters\.$/,
    );
    states.queries.move(
      { at: 2, kind: 'continue', from: undefined, to: states.place('c'), refusal: undefined },
      undefined,
    );
    assert.equal(states.base().state?.length, 2 * half.length + '{"b":"","c":""}'.length);
  });

  test('what is no JSON, or no patch, is broken and nothing worse', () => {
    states.call('a', { parent: null, body: data([]) });
    for (const body of ['', '{', 'null', '7', '{}', '[null]', '[{"op":"add"}]', '[{"op":"give","path":"/-"}]'])
      assert.equal(states.call(`b${body}`, { body: { kind: 'patch', text: body } }).kind, 'broken', body);
    assert.equal(states.call('c', { parent: 'a', body: patch() }).kind, 'kept', 'a patch of no operations');
    assert.equal(states.state('c'), '[]');
  });

  test('what was the head of another lineage is no parent', () => {
    states.call('a', { parent: null, body: data('other'), featureSet: 'notes.other' });
    states.call('b', { base: 1, body: data(1) });
    treeIs('a data "other" <- head', 'b data 1');
  });

  test('a long way from what is written down is cut short, whatever it consists of', () => {
    states.call('a', { parent: null, body: data({ notes: [] }) });
    for (let i = 0; i < 200; i++) states.call(`same ${i}`);
    for (let i = 0; i < 200; i++) states.call(`note ${i}`, { body: note(i) });
    const ways = states.database.prepare('SELECT max(replay) AS longest, avg(replay) AS mean FROM checkpoints').get();
    const written = states.database.prepare('SELECT count(*) AS count FROM snapshots').get();
    assert.ok(Number(ways?.['longest']) < 45_000 && Number(ways?.['mean']) > 10_000, JSON.stringify(ways));
    assert.ok(Number(written?.['count']) > 8 && Number(written?.['count']) < 30, JSON.stringify(written));
    states.reopen();
    assert.equal(states.state('note 150'), JSON.stringify({ notes: Array.from({ length: 151 }, (_, i) => i) }));
    assert.equal(states.state('same 199'), '{"notes":[]}');
    assert.match(states.counts, /^host, 401 kept/);
  });

  for (const [what, event] of [
    ['before it is written', 'BEFORE INSERT ON checkpoints'],
    ['after it was written', 'BEFORE UPDATE ON lineages'],
  ])
    test(`an update that fails ${what} leaves no trace in memory`, () => {
      states.call('a', { parent: null, body: data({ notes: [] }) });
      states.call('b', { body: note(1) });
      states.database.exec(`CREATE TRIGGER full ${event} BEGIN SELECT RAISE(ABORT, 'no room'); END; BEGIN`);
      assert.throws(() => states.call('c', { body: note('lost') }), /no room/);
      states.database.exec('ROLLBACK; DROP TRIGGER full');
      states.call('c', { body: data([]) });
      states.call('d', { parent: 'b', body: note(3) });
      treeIs(
        'a data {"notes":[]}',
        '  b patch (assumed) {"notes":[1]}',
        '    c data (assumed) []',
        '    d patch {"notes":[1,3]} <- head',
      );
    });

  test('updates whose transaction is lost leave no trace in memory', () => {
    states.call('a', { parent: null, body: data({ notes: [] }) });
    const handlers = {
      record: { writes: true, run: () => states.call('b', { body: note('lost') }) },
      lose: { writes: true, run: () => states.database.exec('ROLLBACK') },
    };
    const requests = ['record', 'lose'].map((operation, id) => ({ id, operation, params: null }));
    assert.throws(() => runBatch(states.database, handlers, requests, () => states.states.forget()));
    states.call('b', { body: data([]) });
    treeIs('a data {"notes":[]}', '  b data (assumed) [] <- head');
  });
});

suite('States in memory', () => {
  const state = (size: number): PatchableState => new PatchableState({}, size);

  test('are those that were used last, as many as there is room for, and one however large it is', () => {
    const live = new StoredStates();
    const held = (): readonly number[] => [1, 2, 3, 4, 5].filter((place) => live.get(place) !== undefined);
    for (const place of [1, 2, 3]) live.put(place, state(12_000_000));
    assert.deepEqual(held(), [2, 3]);
    live.get(2);
    live.put(4, state(10_000_000));
    assert.deepEqual(held(), [2, 4]);
    live.put(5, state(100_000_000));
    assert.deepEqual(held(), [5]);
    live.move(5, 1);
    assert.deepEqual(held(), [1]);
    live.clear();
    assert.deepEqual(held(), []);
  });
});
