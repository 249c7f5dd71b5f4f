import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LineageSalvage } from '../../src/node/store/states/lineageSalvage.ts';
import { Retention } from '../../src/node/store/states/retention.ts';
import { chain, countOf, MANY, numbered, rowsIn, writeChain } from '../support/lineageFiles.ts';
import { LineageReader } from '../support/lineageReader.ts';
import { data, note, NOTES, StateCase } from '../support/stateCase.ts';

const UNLIMITED = { count: 1e9, ageMs: 1e15, characters: 1e15 };

suite('Files of lineages, with something else between their steps', function () {
  this.timeout(60_000);
  let folder: string;
  let source: string;
  let cases: StateCase[];
  let states: StateCase;
  let reader: LineageReader;

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-steps-'));
    source = join(folder, 'notes.jsonl');
    cases = [];
    [states, reader] = make();
  });

  teardown(() => {
    for (const each of cases) each.database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function make(): readonly [StateCase, LineageReader] {
    const made = new StateCase();
    cases.push(made);
    return [made, new LineageReader(made)];
  }

  function failureOf(work: () => unknown): string {
    try {
      work();
    } catch (error) {
      return (error instanceof Error ? error.message : String(error)).replaceAll(folder, '~');
    }
    return 'no failure';
  }

  /** Asserts that the lineage is consistent, and that each state can be computed. */
  function isSound(states: StateCase): void {
    const { database } = states;
    assert.match(states.counts, /^host, \d+ kept/);
    assert.equal(countOf(database, 'SELECT count(*) AS n FROM lineages'), 1);
    assert.equal(
      countOf(
        database,
        `SELECT count(*) AS n FROM checkpoints c WHERE parent >= place OR lineage <> (SELECT id FROM lineages)
         OR (parent IS NOT NULL AND NOT EXISTS (SELECT 1 FROM checkpoints p WHERE p.place = c.parent))`,
      ),
      0,
    );
    states.reopen();
  }

  function trim(limits: Partial<typeof UNLIMITED>): void {
    const retention = new Retention(states.database, states.states);
    for (let after: number | null = 0; after !== null;)
      after = retention.step({ ...UNLIMITED, ...limits }, 99_999, after);
  }

  /** Runs something once, after the first step. */
  const once = (work: () => void): (() => void) => {
    let isDone = false;
    return () => {
      if (!isDone) work();
      isDone = true;
    };
  };
  const goOn = (name: string): void => void states.call(name, { body: note(name), at: 99_999 });

  test('calls go on in the lineage, and stay what is worked on', () => {
    writeChain(source);
    states.call('mine', { parent: null, body: data({ notes: [] }), at: 1 });
    let calls = 0;
    const between = (): void => goOn(`call${calls++}`);
    assert.deepEqual(reader.importFrom(source, NOTES, between), { added: MANY, known: 0 });
    isSound(states);
    assert.ok(calls >= 3);
    assert.equal(states.base().head?.checkpoint, `call${calls - 1}`);
    assert.equal(states.state(`n${MANY - 1}`), `{"n":${MANY - 1}}`);
    goOn('after');
    const notes = [...Array.from({ length: calls }, (_, i) => `call${i}`), 'after'];
    assert.equal(states.base().state, JSON.stringify({ notes }));
    assert.equal(reader.window().all, MANY + 1 + calls + 1);
  });

  test('a lineage that began meanwhile is added to, and keeps its head', () => {
    writeChain(source);
    const begin = once(() => states.call('mine', { parent: null, body: data(1), at: 1 }));
    assert.deepEqual(reader.importFrom(source, NOTES, begin), { added: MANY, known: 0 });
    isSound(states);
    assert.equal(states.base().head?.checkpoint, 'mine');
  });

  test('one that began meanwhile and whose server keeps the states is left alone', () => {
    writeChain(source);
    const begin = once(() => states.call('mine', { parent: null, keeper: 'server' }));
    assert.equal(
      failureOf(() => reader.importFrom(source, NOTES, begin)),
      'The file ~/notes.jsonl cannot be taken: Its states are kept by MCP Live, those of this lineage are kept by its server.',
    );
    assert.equal(states.tree, 'mine opaque <- head');
    assert.deepEqual(rowsIn(states.database), { lineages: 1, checkpoints: 1, snapshots: 0 });
  });

  test('what a server calls by a name of the file meanwhile keeps it, and that of the file is counted on', () => {
    writeChain(source);
    states.call('mine', { parent: null, body: data({ notes: [] }), at: 1 });
    assert.deepEqual(
      reader.importFrom(
        source,
        NOTES,
        once(() => goOn('n5')),
      ),
      { added: MANY, known: 0 },
    );
    isSound(states);
    assert.equal(states.state('n5'), '{"notes":["n5"]}');
    assert.equal(states.state('n5#2'), '{"n":5}');
  });

  test('a lineage that is forgotten meanwhile is started again by the file', () => {
    writeChain(source);
    chain(states, 3);
    assert.deepEqual(
      reader.importFrom(
        source,
        NOTES,
        once(() => reader.forget()),
      ),
      { added: MANY, known: 0 },
    );
    trim({});
    isSound(states);
    assert.equal(states.base().state, `{"n":${MANY - 1}}`);
  });

  test('one that is given up again and again is not waited for', () => {
    writeChain(source);
    chain(states, 3);
    const again = (): void => {
      reader.forget();
      chain(states, 3);
    };
    assert.equal(
      failureOf(() => reader.importFrom(source, NOTES, again)),
      'The file ~/notes.jsonl was not taken: its lineage changed again and again.',
    );
    assert.deepEqual(rowsIn(states.database), { lineages: 1, checkpoints: 3, snapshots: 0 });
  });

  for (const [why, limits] of [
    ['of their number', { count: 1 }],
    ['of their age', { ageMs: 1 }],
  ] as const)
    test(`what the retention gives up meanwhile because ${why} leaves all that was read as it is`, () => {
      writeChain(source);
      chain(states, 100);
      states.call('away', { parent: null, body: data(1), at: 99_999 });
      const { added } = reader.importFrom(
        source,
        NOTES,
        once(() => trim(limits)),
      );
      assert.ok(added >= MANY - 100, `${added} added`);
      // If imported checkpoints build on removed ones, the file is read again. The next trim removes the first attempt.
      trim({});
      isSound(states);
      for (const name of ['n100', 'n2500', `n${MANY - 1}`]) assert.equal(states.state(name), `{"n":${name.slice(1)}}`);
      assert.equal(states.base().head?.checkpoint, 'away');
    });

  test('of two that read the same file, the one that is over last finds all of it there', () => {
    writeChain(source);
    const second = once(() => {
      assert.deepEqual(new LineageReader(states).importFrom(source), { added: MANY, known: 0 });
    });
    assert.deepEqual(reader.importFrom(source, NOTES, second), { added: 0, known: MANY });
    trim({});
    isSound(states);
    assert.equal(reader.window().all, MANY);
  });

  test('a checkpoint shows no child of an unfinished import', () => {
    writeChain(source);
    chain(states, 3);
    const place = states.place('n2');
    const seen = new Set([`0 children, version ${reader.version}`]);
    const look = (): void => void seen.add(`${reader.detail(place)?.children} children, version ${reader.version}`);
    reader.importFrom(source, NOTES, look);
    assert.equal(seen.size, 1, [...seen].join('; '));
    assert.equal(reader.detail(place)?.children, 1);
    isSound(states);
  });

  test('what waits cannot be looked at, named or gone to by its place', () => {
    writeChain(source);
    let looks = 0;
    // On a slow machine, the first steps may end before this checkpoint.
    const look = (): void => {
      const place = states.find('n7');
      if (place === undefined) return;
      looks++;
      assert.deepEqual([reader.detail(place), reader.path(place)], [undefined, undefined]);
      assert.throws(() => states.queries.annotate(place, { name: 'Mine' }), /no longer kept/);
    };
    reader.importFrom(source, NOTES, look);
    assert.ok(looks > 0);
    assert.equal(reader.detail(states.place('n7'))?.featureSet, NOTES.featureSet);
  });

  test('a file that grows or is replaced meanwhile: the one that was opened counts, and must stay as it was', () => {
    writeChain(source);
    const replace = once(() => {
      const other = join(folder, 'other.jsonl');
      writeFileSync(other, 'something else');
      renameSync(other, source);
    });
    assert.deepEqual(reader.importFrom(source, NOTES, replace), { added: MANY, known: 0 });
    writeChain(source);
    const [, second] = make();
    assert.match(
      failureOf(() =>
        second.importFrom(
          source,
          NOTES,
          once(() => appendFileSync(source, '{}\n')),
        ),
      ),
      /It was changed meanwhile|There is more after its end/,
    );
    assert.deepEqual(rowsIn(cases.at(-1)?.database ?? assert.fail()), { lineages: 0, checkpoints: 0, snapshots: 0 });
  });

  test('what comes while a lineage is written is not in the file', () => {
    chain(states, MANY);
    let calls = 0;
    const between = (): void => void states.call(`call${calls++}`, { body: numbered(0), at: 99_999 });
    assert.equal(reader.exportTo(source, between), MANY);
    assert.ok(calls >= 3);
    const [copy, copyReader] = make();
    assert.deepEqual(copyReader.importFrom(source), { added: MANY, known: 0 });
    assert.equal(copy.base().head?.checkpoint, `n${MANY - 1}`);
  });

  test('what is given up while a lineage is written has it written again, as it is then', () => {
    chain(states, MANY);
    assert.equal(
      reader.exportTo(
        source,
        once(() => trim({ count: 3_000 })),
      ),
      3_000,
    );
    const [copy, copyReader] = make();
    copyReader.importFrom(source);
    assert.equal(copy.state(`n${MANY - 3_000}`), `{"n":${MANY - 3_000}}`);
    assert.deepEqual(readdirSync(folder), ['notes.jsonl']);
  });

  test('a lineage that is given up while it is written leaves no file', () => {
    chain(states, MANY);
    assert.equal(
      failureOf(() =>
        reader.exportTo(
          source,
          once(() => reader.forget()),
        ),
      ),
      'The file ~/notes.jsonl was not written: There is no such lineage.',
    );
    assert.deepEqual(readdirSync(folder), []);
  });

  if (existsSync('/dev/zero'))
    test('what is no file is not read without end', () => {
      assert.equal(
        failureOf(() => reader.importFrom('/dev/zero')),
        'The file /dev/zero cannot be read: It is no file.',
      );
    });

  test('unfinished imports are not taken over from a damaged file', () => {
    writeChain(source);
    const salvages: LineageSalvage[] = [];
    const look = once(() => {
      const salvage = new LineageSalvage();
      salvage.read(states.database);
      salvages.push(salvage);
    });
    states.call('mine', { parent: null, body: data(1), at: 1 });
    reader.importFrom(source, { server: 'other', featureSet: '' }, look);
    const [restored] = make();
    assert.equal(salvages[0]?.count, 1);
    salvages[0]?.restore(restored.database);
    assert.equal(restored.tree, 'mine data 1 <- head');
    isSound(restored);
  });

  test('the file completes checkpoints of which only the name was known, if possible', () => {
    const [other, otherReader] = make();
    other.call('a', { parent: null, body: data({ notes: [] }), at: 1 });
    other.call('b', { body: note('b'), at: 2 });
    other.call('c', { body: note('c'), at: 3 });
    other.call('b', { parent: null, body: data({ notes: ['again'] }), at: 4 });
    otherReader.exportTo(source);
    states.call('a', { parent: null, body: data({ notes: [] }), at: 1 });
    states.call('x', { parent: 'b', body: note('x'), at: 7 });
    states.call('y', { parent: 'c', body: note('y'), at: 8 });
    states.queries.annotate(states.place('b'), { name: 'Lost' });
    assert.deepEqual(reader.importFrom(source), { added: 3, known: 1 });
    isSound(states);
    assert.equal(
      states.tree,
      [
        'a data {"notes":[]} <- head',
        '  b patch (assumed) {"notes":["b"]}',
        '    x patch broken',
        '    c#2 patch (assumed) {"notes":["b","c"]}',
        'c placeholder',
        '  y patch broken <- blocks',
        'b#2 data {"notes":["again"]}',
      ].join('\n'),
    );
    assert.equal(reader.detail(states.place('b'))?.node.name, 'Lost');
  });
});
