import assert from 'node:assert/strict';
import fc from 'fast-check';
import { checkpointName, type LineageFilter, type LineageWindow } from '../../src/core/model/lineage.ts';
import { LineageLayout } from '../../src/core/states/patches/lineageLayout.ts';
import { Retention } from '../../src/node/store/states/retention.ts';
import { dose } from '../support/dose.ts';
import { LineageReader } from '../support/lineageReader.ts';
import { data, note, StateCase, stateUpdate } from '../support/stateCase.ts';

suite('Rows of a lineage', () => {
  let states: StateCase;
  let reader: LineageReader;

  setup(() => {
    states = new StateCase();
    reader = new LineageReader(states);
  });

  teardown(() => states.database.close());

  function fill(): void {
    states.call('a', { parent: null, body: data({ notes: [] }), tool: 'open', args: 'path: Übung.md' });
    states.call('b', { body: note('b') });
    states.call('c', { body: note('c'), conversation: 'chat', tool: 'a_b' });
    states.call('x', { parent: 'a', body: note('x'), conversation: 'other' });
    states.call('lost', { parent: 'never', body: note('y') });
  }

  const drawn = ({ rows }: LineageWindow): readonly string[] =>
    rows.map(({ position, node, isHead, isOnLine, conversations, rollbacks, graph }) => {
      const marks = [isHead ? 'head' : '', isOnLine ? 'line' : '', conversations > 0 ? `${conversations} here` : ''];
      if (rollbacks > 0) marks.push(`${rollbacks} back`);
      const lane = graph === undefined ? '-' : graph.lane;
      return `${position} ${checkpointName(node)} ${lane} ${marks.filter((mark) => mark !== '').join(', ')}`.trim();
    });

  test('are the newest first, with the head, its line, and where conversations stand', () => {
    fill();
    const window = reader.window();
    assert.deepEqual(drawn(window), [
      '0 lost 0',
      '1 never 0',
      '2 x 1 head, line',
      '3 c 0 1 here',
      '4 b 0',
      '5 a 0 line',
    ]);
    const { version, rows: _, ...counts } = window;
    assert.deepEqual(counts, { total: 6, all: 6, head: 2, lanes: 2 });
    assert.ok(Number.isSafeInteger(version) && version > 0);
    assert.deepEqual(drawn(reader.window({ from: 4, count: 1 })), ['4 b 0']);
    assert.deepEqual(drawn(reader.window({ from: 6, count: 5 })), []);
    assert.deepEqual(drawn(reader.window({ from: -5, count: -1 })), []);
  });

  test('count rollbacks to them, but not refused ones, or continuations from there', () => {
    fill();
    const move = { at: 9, kind: 'rollback', from: undefined, to: states.place('b'), refusal: undefined } as const;
    states.queries.move(move, 'chat');
    states.queries.move(move, 'other');
    states.queries.move({ ...move, to: states.place('a'), refusal: 'No.' }, undefined);
    states.queries.move({ ...move, to: states.place('a'), kind: 'continue' }, undefined);
    states.call('c2', { cause: 'rollback', base: states.place('c'), at: 9 });
    assert.deepEqual(
      drawn(reader.window()).filter((row) => row.includes('back')),
      ['0 c2 2 head, line, 1 back', '5 b 0 line, 2 back'],
    );
    assert.deepEqual(
      drawn(reader.window({ from: 1, count: 2 })).filter((row) => row.includes('back')),
      [],
    );
  });

  test('a lineage that was never started has none', () => {
    assert.deepEqual(reader.window({ server: 'nobody' }), {
      version: 0,
      total: 0,
      all: 0,
      head: undefined,
      lanes: 0,
      rows: [],
    });
    assert.deepEqual(reader.lineages, []);
  });

  test('are found by their names, the tool and the arguments, whatever the case, and nothing in it is a pattern', () => {
    fill();
    states.call('a', { body: data(2) });
    states.queries.annotate(states.place('b'), { name: 'Before 100%' });
    const found = (text: string): string => reader.names({ text });
    assert.deepEqual(
      [
        'LOST',
        'a#2',
        'before',
        '100%',
        '%',
        '_',
        'a_B',
        'ü',
        'ÜBUNG',
        'übung.MD',
        'Ö',
        'open',
        'none at all',
        '\\',
      ].map(found),
      ['lost', 'a#2', 'b', 'b', 'b', 'c', 'c', 'a', 'a', 'a', '', 'a', '', ''],
    );
  });

  test('filters keep matching rows, and return the position of the head among them', () => {
    fill();
    states.queries.annotate(states.place('c'), { isPinned: true });
    states.queries.annotate(states.place('b'), { name: 'mine' });
    states.queries.markPruned(states.place('a'));
    const only = (only: LineageFilter['only'], text = ''): string => {
      const { head, total, all } = reader.window({ filter: { only, text } });
      return `${reader.names({ only, text })} | head ${head}, ${total} of ${all}`;
    };
    assert.deepEqual(
      [only('all'), only('line'), only('marked'), only('problems'), only('line', 'A'), only('marked', 'mine')],
      [
        'lost never x c b a | head 2, 6 of 6',
        'x a | head 0, 2 of 6',
        'c b | head undefined, 2 of 6',
        'lost never a | head undefined, 3 of 6',
        'a | head undefined, 1 of 6',
        'b | head undefined, 1 of 6',
      ],
    );
    assert.deepEqual(drawn(reader.window({ filter: { only: 'line', text: '' }, from: 1 })), ['1 a - line']);
  });

  test('no more than a thousand come at once', () => {
    for (let i = 0; i < 1_100; i++) states.call(`n${i}`, { body: data(i) });
    const { rows, total } = reader.window({ count: 5_000 });
    assert.deepEqual([rows.length, total, rows.at(-1)?.node.checkpoint], [1_000, 1_100, 'n100']);
  });

  test('every change gives another version, and no other lineage has it', () => {
    const seen = new Set<number>();
    const changed = (change: () => void): void => {
      change();
      const { version } = reader.window();
      assert.ok(!seen.has(version));
      seen.add(version);
      assert.equal(reader.window().version, version);
    };
    changed(() => fill());
    changed(() => states.call('new', { body: note(1) }));
    changed(() => states.queries.annotate(states.place('b'), { isPinned: true }));
    changed(() => states.queries.markPruned(states.place('b')));
    const move = { at: 1, kind: 'continue', from: undefined, to: states.place('b'), refusal: undefined } as const;
    changed(() => states.queries.move(move, undefined));
    changed(() => new Retention(states.database, states.states).step({ count: 3, ageMs: 1e9, characters: 1e9 }, 1, 0));
    changed(() => reader.forget());
    changed(() => fill());
    const { version } = reader;
    assert.equal(reader.version, version);
    states.call('other', { body: note(1) });
    assert.notEqual(reader.version, version);
  });

  test('what was written in a transaction that is taken back leaves nothing behind', () => {
    fill();
    const before = drawn(reader.window());
    states.database.exec('BEGIN');
    states.call('gone', { parent: 'c', body: note(1) });
    assert.equal(reader.window().total, 7);
    states.database.exec('ROLLBACK');
    states.states.forget();
    // The same number of checkpoints, below another parent.
    states.call('other', { parent: 'a', body: note(1) });
    assert.deepEqual(drawn(reader.window()), drawn(new LineageReader(states).window()));
    assert.equal(drawn(reader.window()).length, before.length + 1);
  });

  test('after any change, they equal a fresh read and a simple model', () => {
    const step = fc.oneof(
      { weight: 12, arbitrary: fc.record({ kind: fc.constant('call' as const), parent: fc.nat(40) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('trim' as const), count: fc.nat(10) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('fill' as const), name: fc.nat(5) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        states.database.close();
        states = new StateCase();
        reader = new LineageReader(states);
        steps.forEach((each, i) => {
          if (each.kind === 'trim')
            new Retention(states.database, states.states).step(
              { count: each.count, ageMs: 1e9, characters: 1e9 },
              1,
              0,
            );
          else if (each.kind === 'fill')
            states.call(`unknown${each.name}`, { parent: each.name === 0 ? null : 'n0', body: data({ notes: [] }) });
          else states.call(`n${i}`, { parent: each.parent < i ? `n${each.parent}` : `unknown${i % 5}`, body: note(i) });
          const window = reader.window();
          assert.deepEqual(window, new LineageReader(states).window());
          assert.deepEqual(
            model(),
            window.rows.map(({ node, graph, isOnLine }) => ({ place: node.place, graph, isOnLine })),
          );
        });
      }),
      { numRuns: dose(60, 600) },
    );
  });

  /** A simple model: reads everything and caches nothing. */
  function model(): readonly object[] {
    const all = states.database.prepare('SELECT place, parent FROM checkpoints ORDER BY place').all();
    const places = all.map((row) => Number(row['place']));
    const parents = new Map(all.map((row) => [Number(row['place']), row['parent']]));
    const layout = new LineageLayout();
    for (const row of all) layout.append(places.indexOf(Number(row['parent'])));
    const line = new Set<unknown>();
    const head = states.database.prepare('SELECT head FROM lineages').get()?.['head'];
    for (let each: unknown = head; typeof each === 'number'; each = parents.get(each)) line.add(each);
    return places.map((place, row) => ({ place, graph: layout.graph(row), isOnLine: line.has(place) })).reverse();
  }

  test('of more lineages than are kept in mind, each comes as it is', () => {
    const keys = Array.from({ length: 6 }, (_, i) => ({ server: `server-${i}`, featureSet: 'set' }));
    for (let round = 0; round < 3; round++)
      keys.forEach((key, i) => {
        states.recorder.record(stateUpdate(`n${round}`, { ...key, body: data(i) }));
        assert.deepEqual(
          keys.slice(0, i + 1).map((each) =>
            reader
              .window(each)
              .rows.map(({ node }) => node.checkpoint)
              .join(),
          ),
          keys.slice(0, i + 1).map(() => Array.from({ length: round + 1 }, (_, r) => `n${round - r}`).join()),
        );
      });
  });

  test('100 000 come in a moment, and again at once', () => {
    const insert = states.database.prepare(
      `INSERT INTO checkpoints (lineage, checkpoint, copy, parent, link, form, at, tool, args, size, body)
       VALUES (1, ?, 1, ?, 'named', 'patch', ?, 'edit', 'path: src/a.ts', 300, ?)`,
    );
    states.call('first', { body: data(1) });
    states.database.exec('BEGIN');
    const body = 'x'.repeat(300);
    for (let i = 2; i <= 100_000; i++) insert.run(`chk_${i}`, i - 1 - (i % 97 === 0 ? 50 : 0), i, body);
    states.database.exec('UPDATE lineages SET head = 99999, version = version + 1; COMMIT');
    const took = (work: () => unknown): number => {
      // CPU time of this thread, because other programs use the rest.
      const started = process.threadCpuUsage();
      work();
      const { user, system } = process.threadCpuUsage(started);
      return (user + system) / 1_000;
    };
    const first = took(() => assert.equal(reader.window({ count: 60 }).total, 100_000));
    const later = Array.from({ length: 20 }, (_, i) => took(() => reader.window({ from: i * 5_000, count: 60 })));
    states.call('more', { body: data(1) });
    const appended = took(() => assert.equal(reader.window({ count: 60 }).total, 100_001));
    const searched = took(() => assert.equal(reader.window({ filter: { text: 'CHK_9999', only: 'all' } }).total, 11));
    const scrolled = took(() => reader.window({ filter: { text: 'CHK_9999', only: 'all' }, from: 5 }));
    const times = { first, later: later.sort((a, b) => a - b)[10], appended, searched, scrolled };
    if (process.env['MCPL_TIMES'] !== undefined) console.log(times);
    assert.ok(first < 300 && (times.later ?? 0) < 20 && appended < 150 && scrolled < 50, JSON.stringify(times));
  });

  test('one checkpoint with all details', () => {
    fill();
    const a = states.place('a');
    const c = states.place('c');
    const move = { at: 5, kind: 'rollback', from: undefined, to: c, refusal: 'It cannot.' } as const;
    states.queries.move(move, undefined);
    const detail = reader.detail(c);
    assert.deepEqual(
      { ...detail, node: detail?.node.checkpoint, parent: detail?.parent?.checkpoint },
      {
        server: 'notes',
        featureSet: 'notes.write',
        keeper: 'host',
        node: 'c',
        parent: 'b',
        children: 0,
        body: '[{"op":"add","path":"/notes/-","value":"c"}]',
        isBodyCut: false,
        isHead: false,
        moves: [{ at: 5, kind: 'rollback', from: states.place('x'), to: c, refusal: 'It cannot.' }],
      },
    );
    assert.deepEqual([reader.detail(a)?.children, reader.detail(a)?.parent], [2, undefined]);
    assert.equal(reader.detail(999), undefined);
    const { node } = states.call('long', { body: data('x'.repeat(200_000)) });
    const long = reader.detail(node.place);
    assert.deepEqual([long?.body?.length, long?.isBodyCut, long?.isHead], [100_000, true, true]);
  });

  test('a name is found in all sets of its server, the newest first', () => {
    states.call('a', { body: data(1) });
    states.recorder.record(stateUpdate('a', { featureSet: 'other', body: data(2) }));
    states.recorder.record(stateUpdate('a', { server: 'elsewhere', body: data(3) }));
    states.call('a', { body: data(4) });
    assert.deepEqual(reader.found('notes', 'a'), ['4 a#2 of notes.write', '2 a of other', '1 a of notes.write']);
    assert.deepEqual(reader.found('notes', 'A'), []);
  });

  test('the path to another checkpoint has the rows that would be left, and whether it leads back', () => {
    fill();
    states.call('z', { parent: 'x', body: note('z') });
    const path = (name: string): string => {
      const { left, leftCount, isBack, head, target, hasState } = reader.path(states.place(name)) ?? assert.fail();
      const names = left.map((node) => node.checkpoint).join(' ');
      return `${head?.checkpoint} to ${target.checkpoint}: ${leftCount} (${names}) ${isBack} ${hasState}`;
    };
    assert.deepEqual(['a', 'x', 'z', 'c', 'lost', 'never'].map(path), [
      'z to a: 2 (z x) true true',
      'z to x: 1 (z) true true',
      'z to z: 0 () false true',
      'z to c: 2 (z x) false true',
      'z to lost: 3 (z x a) false false',
      'z to never: 3 (z x a) false false',
    ]);
    assert.equal(reader.path(999), undefined);
    for (let i = 0; i < 300; i++) states.call(`n${i}`, { body: note(i) });
    const long = reader.path(states.place('z'));
    assert.deepEqual([long?.left.length, long?.leftCount, long?.left[0]?.checkpoint], [200, 300, 'n299']);
  });

  test('summaries have the head of a lineage, and conversations with other heads', () => {
    fill();
    for (let i = 0; i < 25; i++)
      states.call(`n${i}`, { parent: 'a', body: note(i), conversation: `chat-${i}`, at: 10 + i });
    states.recorder.record(stateUpdate('s', { server: 'another', keeper: 'server' }));
    const [another, notes] = reader.lineages;
    assert.ok(another !== undefined && notes !== undefined);
    assert.deepEqual(
      [another.server, another.keeper, another.count, another.head?.checkpoint, another.blocked, another.others],
      ['another', 'server', 1, 's', undefined, []],
    );
    assert.deepEqual(
      [notes.count, notes.head?.checkpoint, notes.blocked?.checkpoint, notes.changedAt, notes.others.length],
      [31, 'n24', 'lost', 34, 20],
    );
    assert.deepEqual(notes.others[0], { conversation: 'chat-23', place: states.place('n23') });
    assert.equal(notes.size, states.database.prepare('SELECT size FROM lineages WHERE id = 1').get()?.['size']);
  });
});
