import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { StateUpdate } from '../../src/core/index.ts';
import { Retention } from '../../src/node/store/states/retention.ts';
import { dose } from '../support/dose.ts';
import { LineageReader } from '../support/lineageReader.ts';
import { data, note, NOTES, StateCase, stateUpdate } from '../support/stateCase.ts';

const OTHER = { server: 'other', featureSet: 'other.set' };

suite('A lineage as one file', () => {
  let folder: string;
  let file: string;
  let opened: StateCase[];
  let states: StateCase;
  let reader: LineageReader;

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-lineage-'));
    file = join(folder, 'notes.jsonl');
    opened = [];
    [states, reader] = open();
  });

  teardown(() => {
    for (const each of opened) each.database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function open(): readonly [StateCase, LineageReader] {
    const made = new StateCase();
    opened.push(made);
    return [made, new LineageReader(made)];
  }

  function fill(): void {
    states.call('a', { parent: null, body: data({ notes: [] }), args: 'path: Übung.md', at: 10 });
    states.call('b', { body: note('b\n"quoted"'), conversation: 'chat', at: 11 });
    states.call('c', { body: note('c'), at: 12 });
    states.call('x', { parent: 'a', body: note('x'), at: 13 });
    states.call('same', { at: 14 });
    states.call('y', { parent: 'never', body: note('y'), at: 15 });
    states.call('z', { parent: 'x', body: { kind: 'patch', text: '[{"op":"remove","path":"/x"}]' }, at: 16 });
    states.call('a', { parent: 'x', body: data({ notes: [1] }), at: 17 });
    states.queries.annotate(states.place('b'), { name: 'Mine', isPinned: true });
    states.queries.markPruned(states.place('c'));
  }

  const lines = (): readonly string[] => readFileSync(file, 'utf8').trimEnd().split('\n');

  /** A file with an end line that matches the lines before it. */
  function write(...before: readonly string[]): void {
    const all = before.map((line) => `${line}\n`).join('');
    const sha256 = createHash('sha256').update(all).digest('hex');
    writeFileSync(file, `${all}${JSON.stringify({ end: before.length - 1, sha256 })}\n`);
  }

  const header = (count: number, differing: object = {}): string =>
    JSON.stringify({ format: 'mcpl-lineage', version: 1, ...NOTES, keeper: 'host', count, ...differing });
  const node = (checkpoint: string, differing: object = {}): string =>
    JSON.stringify({ checkpoint, copy: 1, parent: null, link: 'none', form: 'same', at: 1, ...differing });

  function refusal(...before: readonly string[]): string {
    if (before.length > 0) write(...before);
    const [other, otherReader] = open();
    const [message] = [errorOf(() => otherReader.importFrom(file))];
    assert.equal(other.tree, '', 'nothing of it is there');
    assert.deepEqual(otherReader.lineages, []);
    return message.replaceAll(file, '~');
  }

  function errorOf(work: () => unknown): string {
    try {
      work();
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    return 'no error';
  }

  test('is read again as it was, wherever it is read, and looks as it says', () => {
    fill();
    assert.equal(reader.exportTo(file), 9);
    assert.deepEqual(readdirSync(folder), ['notes.jsonl']);
    assert.deepEqual(lines().slice(0, 3), [
      '{"format":"mcpl-lineage","version":1,"server":"notes","featureSet":"notes.write","keeper":"host","count":9}',
      '{"checkpoint":"a","copy":1,"link":"none","form":"data","at":10,"tool":"write","args":"path: Übung.md","parent":null,"data":{"notes":[]}}',
      '{"checkpoint":"b","copy":1,"link":"assumed","form":"patch","at":11,"tool":"write","conversation":"chat","name":"Mine","parent":0,"isPinned":true,"patch":[{"op":"add","path":"/notes/-","value":"b\\n\\"quoted\\""}]}',
    ]);
    const [other, otherReader] = open();
    assert.deepEqual(otherReader.importFrom(file, OTHER), { added: 9, known: 0 });
    assert.equal(other.tree, states.tree.replace(' <- chat', ''));
    const rows = ({ database }: StateCase): unknown =>
      database
        .prepare(
          'SELECT checkpoint, copy, parent, parent_name, form, problem, is_pruned, at, tool, args, conversation, name, is_pinned, body, state_size FROM checkpoints',
        )
        .all();
    assert.deepEqual(rows(other), rows(states));
    assert.match(other.counts, /^host, 9 kept/);
    assert.deepEqual(
      otherReader.lineages.map(({ server, featureSet, keeper, head }) => [
        server,
        featureSet,
        keeper,
        head?.checkpoint,
      ]),
      [['other', 'other.set', 'host', 'a']],
    );
    const again = join(folder, 'again.jsonl');
    assert.equal(otherReader.window({ ...OTHER }).total, 9);
    assert.equal(open()[1].importFrom(file).added, 9);
    reader.exportTo(again);
    assert.equal(readFileSync(again, 'utf8'), readFileSync(file, 'utf8'));
  });

  test('existing checkpoints are not added twice, and no running conversation is moved', () => {
    fill();
    reader.exportTo(file);
    const before = states.tree;
    assert.deepEqual(reader.importFrom(file), { added: 0, known: 9 });
    assert.equal(states.tree, before);
    states.call('new', { body: note('new'), at: 20 });
    states.call('d', { parent: 'c', body: note('d'), at: 21 });
    const [other, otherReader] = open();
    other.call('a', { parent: null, body: data({ notes: ['mine'] }), at: 5 });
    other.call('mine', { body: note('more'), at: 6 });
    assert.deepEqual(otherReader.importFrom(file), { added: 9, known: 0 });
    assert.deepEqual(otherReader.importFrom(file), { added: 0, known: 9 });
    assert.equal(
      other.tree,
      [
        'a data {"notes":["mine"]}',
        '  mine patch (assumed) {"notes":["mine","more"]} <- head',
        'a#2 data {"notes":[]}',
        '  b patch (assumed) {"notes":["b\\n\\"quoted\\""]}',
        '    c patch (assumed) pruned {"notes":["b\\n\\"quoted\\"","c"]}',
        '  x patch {"notes":["x"]}',
        '    same same (assumed) {"notes":["x"]}',
        '    z patch broken',
        '    a#3 data {"notes":[1]}',
        'never placeholder',
        '  y patch broken',
      ].join('\n'),
    );
    assert.match(other.counts, /^host, 11 kept/);
  });

  test('of what was trimmed, the root comes with its whole state', () => {
    fill();
    const retention = new Retention(states.database, states.states);
    retention.step({ count: 1, ageMs: 1e9, characters: 1e9 }, 20, 0);
    states.call('end', { body: note('end'), at: 30 });
    reader.exportTo(file);
    const [other, otherReader] = open();
    otherReader.importFrom(file);
    assert.equal(other.state('end'), states.state('end'));
    assert.deepEqual(otherReader.importFrom(file), { added: 0, known: other.tree.split('\n').length });
  });

  test('a lineage whose server keeps the states comes back without any', () => {
    const server = { keeper: 'server' } as const;
    states.call('a', { ...server, parent: null });
    states.call('b', { ...server, parent: 'a' });
    reader.exportTo(file);
    const [other, otherReader] = open();
    otherReader.importFrom(file);
    assert.equal(other.tree, 'a opaque\n  b opaque <- head');
    assert.match(other.counts, /^server, 2 kept/);
    write(header(1), node('c', { form: 'data', data: 1 }));
    assert.equal(
      errorOf(() => otherReader.importFrom(file)).replaceAll(file, '~'),
      'Line 1 of ~ cannot be taken: Its states are kept by MCP Live, those of this lineage are kept by its server.',
    );
  });

  test('a file that is not whole, or not what it was, is refused by the number of the line, and nothing is kept', () => {
    fill();
    reader.exportTo(file);
    const whole = lines();
    const refused = (...changed: readonly string[]): string => {
      writeFileSync(file, changed.join('\n'));
      return refusal();
    };
    assert.deepEqual(
      [
        refused(...whole.slice(0, 4)),
        refused(...whole.slice(0, 2), (whole[2] ?? '').slice(0, 50)),
        refused(...whole.slice(0, 2), ...whole.slice(3)),
        refused(...whole.map((line) => line.replace('"x"', '"y"'))),
        refused(...whole, '{}'),
        refused('{"format":"other"}'),
        refused('no JSON'),
        refused(''),
        refused((whole[0] ?? '').replace('"version":1', '"version":2')),
      ].map((message) => message.replace(/cannot be taken: .*JSON.*/, 'cannot be taken: no JSON')),
      [
        'The file ~ cannot be taken: It ends too early, after line 4.',
        'Line 3 of ~ cannot be taken: no JSON',
        'Line 3 of ~ cannot be taken: "parent" must lie between 0 and 0.',
        'Line 11 of ~ cannot be taken: What stands before it was changed since it was written.',
        'Line 12 of ~ cannot be taken: There is more after its end.',
        'Line 1 of ~ cannot be taken: This is no file that a lineage was exported to.',
        'Line 1 of ~ cannot be taken: no JSON',
        'The file ~ cannot be taken: It ends too early, after line 0.',
        'Line 1 of ~ cannot be taken: It has version 2, and this MCP Live reads up to 1: update MCP Live.',
      ],
    );
  });

  test('a stranger can say what he likes in it', () => {
    const deep = `${'['.repeat(600)}${']'.repeat(600)}`;
    assert.deepEqual(
      [
        refusal(header(1), node('')),
        refusal(header(1), node('x'.repeat(513))),
        refusal(header(1), node('a', { parent: 0 })),
        refusal(header(2), node('a'), node('b', { parent: 1 })),
        refusal(header(1), node('a', { form: 'glory' })),
        refusal(header(1), node('x\u202Ey')),
        refusal(header(1), node('a', { at: -1 })),
        refusal(header(1), node('a', { at: 8_640_000_000_000_001 })),
        refusal(header(1), node('a', { copy: 0 })),
        refusal(header(1), node('a', { args: 'x'.repeat(10_001) })),
        refusal(header(1), node('a'), node('b')),
        refusal(header(3), node('a')),
        refusal(header(1), node('a', { form: 'data' }).replace('}', `,"data":${deep}}`)),
        refusal(header(1), '[]'),
        refusal(header(1e9)),
        refusal(header(0, { keeper: 'me' })),
      ],
      [
        'Line 2 of ~ cannot be taken: "checkpoint" must have 1 to 512 characters, and none that cannot be seen.',
        'Line 2 of ~ cannot be taken: "checkpoint" must have 1 to 512 characters, and none that cannot be seen.',
        'Line 2 of ~ cannot be taken: "parent" must be null.',
        'Line 3 of ~ cannot be taken: "parent" must lie between 0 and 0.',
        'Line 2 of ~ cannot be taken: "form" must be one of data, patch, same, opaque, placeholder.',
        'Line 2 of ~ cannot be taken: "checkpoint" must have 1 to 512 characters, and none that cannot be seen.',
        'Line 2 of ~ cannot be taken: "at" must lie between 0 and 8640000000000000.',
        'Line 2 of ~ cannot be taken: "at" must lie between 0 and 8640000000000000.',
        'Line 2 of ~ cannot be taken: "copy" must lie between 1 and 1000000.',
        'Line 2 of ~ cannot be taken: "args" has 10001 characters, which is too much.',
        'Line 3 of ~ cannot be taken: It holds more than 1 checkpoints.',
        'Line 3 of ~ cannot be taken: It holds 1 of the 3 checkpoints that its first line names; its last line names 1.',
        'Line 2 of ~ cannot be taken: It nests deeper than 512.',
        'Line 2 of ~ cannot be taken: A record was expected.',
        'Line 1 of ~ cannot be taken: "count" must lie between 0 and 1000000.',
        'Line 1 of ~ cannot be taken: "keeper" must be one of host, server.',
      ],
    );
  });

  test('what it says of a patch is believed only when the patch fits', () => {
    const bad = [{ op: 'remove', path: '/none' }];
    const proto = '[{"op":"add","path":"/__proto__","value":{"admin":true}}]';
    write(
      header(5),
      node('a', { form: 'data', data: { notes: [] } }),
      node('b', { form: 'patch', parent: 0, link: 'none', patch: bad }),
      node('c', { form: 'patch', parent: 1, link: 'named', patch: [] }),
      node('d', { form: 'patch', parent: 0, link: 'glory', patch: 0 })
        .replace('"glory"', '"trimmed"')
        .replace('"patch":0', `"patch":${proto}`),
      node('e', { form: 'patch', problem: 'It was too large.', parent: 0, link: 'named' }),
    );
    const [other, otherReader] = open();
    assert.deepEqual(otherReader.importFrom(file), { added: 5, known: 0 });
    assert.equal(
      other.tree,
      [
        'a data {"notes":[]}',
        '  b patch (assumed) broken',
        '    c patch broken',
        '  d patch (assumed) {"notes":[],"__proto__":{"admin":true}}',
        '  e patch broken',
      ].join('\n'),
    );
    assert.deepEqual([otherReader.lineages[0]?.head, otherReader.lineages[0]?.blocked], [undefined, undefined]);
  });

  test('if it cannot be written or read, the error names the file, and no other is touched', () => {
    fill();
    mkdirSync(join(folder, 'taken'));
    const none = join(folder, 'none', 'a.jsonl');
    assert.match(
      errorOf(() => reader.exportTo(none)),
      /^The file .*a\.jsonl cannot be written: ENOENT/,
    );
    assert.match(
      errorOf(() => reader.exportTo(join(folder, 'taken'))),
      /^The file .*taken cannot be written: E/,
    );
    assert.match(
      errorOf(() => reader.importFrom(none)),
      /^The file .*a\.jsonl cannot be read: ENOENT/,
    );
    assert.match(
      errorOf(() => reader.importFrom(join(folder, 'taken'))),
      /^The file .*taken cannot be read: EISDIR/,
    );
    assert.match(
      errorOf(() => open()[1].exportTo(file)),
      /There is no such lineage\.$/,
    );
    assert.deepEqual(readdirSync(folder), ['taken']);
    assert.match(states.counts, /^host, 9 kept/);
  });

  test('long lines come through, over the borders of what is read at once', () => {
    const long = 'ü€😀'.repeat(400_000);
    states.call('a', { parent: null, body: data({ long }), at: 1 });
    states.call('b', { body: note('b'), at: 2 });
    states.call('c', { body: data({ long: `${long}x` }), at: 3 });
    reader.exportTo(file);
    const [other, otherReader] = open();
    assert.deepEqual(otherReader.importFrom(file), { added: 3, known: 0 });
    assert.equal(other.state('c'), JSON.stringify({ long: `${long}x` }));
  });

  test('any lineage is the same after the way through a file', () => {
    const step = fc.record({
      kind: fc.constantFrom('patch', 'patch', 'data', 'same', 'bad', 'unknown', 'server'),
      name: fc.nat(12),
      parent: fc.nat(15),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => {
        [states, reader] = open();
        const made = new Set<string>();
        steps.forEach(({ kind, name, parent }, i) => {
          const bad = { kind: 'patch', text: '[{"op":"remove","path":"/nowhere"}]' } as const;
          const bodies = new Map<string, StateUpdate['body']>(
            Object.entries({ patch: note(i), data: data({ notes: [i] }), bad }),
          );
          const [from] = kind === 'unknown' ? [`never${parent}`] : [...made].slice(parent % (made.size + 1));
          made.add(`n${name}`);
          const keeper = kind === 'server' ? 'either' : 'host';
          states.call(`n${name}`, { parent: from ?? null, body: bodies.get(kind), keeper, at: i });
        });
        reader.exportTo(file);
        const [other, otherReader] = open();
        otherReader.importFrom(file, { server: 'somebody', featureSet: 'else' });
        assert.equal(other.tree, states.tree);
        other.reopen();
        assert.equal(other.tree, states.tree);
        assert.match(other.counts, /kept/);
      }),
      { numRuns: dose(60, 600) },
    );
  });

  test('what came before that which it builds on has its state after the way through a file', () => {
    states.call('b', { parent: 'a', body: note('b'), at: 1 });
    states.call('a', { parent: null, body: data({ notes: [] }), at: 2 });
    assert.equal(states.tree, 'a data {"notes":[]} <- head\n  b patch broken');
    reader.exportTo(file);
    const [other, otherReader] = open();
    otherReader.importFrom(file);
    assert.equal(other.tree, 'a data {"notes":[]} <- head\n  b patch {"notes":["b"]}');
  });

  test('an update that comes after an import goes on from where the lineage stands', () => {
    fill();
    reader.exportTo(file);
    states.call('more', { body: note(2), at: 30 });
    reader.importFrom(file);
    states.recorder.record(stateUpdate('last', { base: states.place('more'), body: note(3) }));
    assert.equal(states.state('last'), '{"notes":[1,2,3]}');
  });
});
