import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { migrate } from '../../src/node/store/migrations.ts';
import { LineageSalvage } from '../../src/node/store/states/lineageSalvage.ts';
import { LineageReader } from '../support/lineageReader.ts';
import { data, note, StateCase, stateUpdate } from '../support/stateCase.ts';

suite('Salvaged lineages', () => {
  let old: StateCase;
  let states: StateCase;

  setup(() => {
    old = new StateCase();
    states = new StateCase();
  });

  teardown(() => {
    old.database.close();
    states.database.close();
  });

  /** Like damage that lost these rows. */
  function lose(...names: readonly string[]): void {
    for (const name of names) old.database.exec(`DELETE FROM checkpoints WHERE place = ${old.place(name)}`);
  }

  function takeOver(): number {
    const salvage = new LineageSalvage();
    salvage.read(old.database);
    states.database.exec('BEGIN');
    salvage.restore(states.database);
    states.database.exec('COMMIT');
    return salvage.count;
  }

  const treeIs = (...lines: readonly string[]): void => assert.equal(states.tree, lines.join('\n'));

  function fill(): void {
    old.call('a', { parent: null, body: data({ notes: [] }), conversation: 'one' });
    old.call('b', { parent: 'a', body: note('b') });
    old.call('c', { parent: 'b', body: note('c'), conversation: 'two' });
    old.call('whole', { parent: 'c', body: data({ notes: ['w'] }) });
    old.call('d', { parent: 'whole', body: note('d') });
    old.queries.move({ at: 9, kind: 'rollback', from: undefined, to: old.place('c'), refusal: 'No.' }, undefined);
  }

  test('without damage to them, everything is as before', () => {
    fill();
    assert.equal(takeOver(), 5);
    assert.equal(states.tree, old.tree);
    assert.match(states.counts, /^host, 5 kept/);
    const [summary] = new LineageReader(states).lineages;
    assert.deepEqual(
      summary?.others.map(({ conversation }) => conversation),
      ['two', 'one'],
    );
    assert.equal(new LineageReader(states).detail(states.place('c'))?.moves.length, 1);
    states.call('e', { body: note('e') });
    assert.equal(states.state('e'), '{"notes":["w","d","e"]}');
  });

  test('who lost what they build on has no state until one is whole, and says why', () => {
    fill();
    lose('b');
    assert.equal(takeOver(), 4);
    treeIs(
      'a data {"notes":[]} <- one',
      'b placeholder broken',
      '  c patch broken <- two',
      '    whole data {"notes":["w"]}',
      '      d patch {"notes":["w","d"]} <- head',
    );
    assert.match(states.counts, /^host, 5 kept/);
    assert.equal(states.base('two').blocked?.checkpoint, 'c');
    assert.equal(states.base().blocked, undefined);
  });

  test('a conversation whose head was lost is not sent elsewhere in silence', () => {
    fill();
    lose('a', 'd');
    takeOver();
    treeIs(
      'a placeholder broken <- one',
      '  b patch broken',
      '    c patch broken <- two',
      '      whole data {"notes":["w"]}',
      'lost-5 placeholder broken <- head <- blocks',
    );
    assert.deepEqual(
      [states.base('one').blocked?.checkpoint, states.base().blocked?.checkpoint, states.base().state],
      ['lost-5', 'lost-5', undefined],
    );
    states.call('a', { parent: null, body: data({ notes: [] }) });
    assert.equal(states.state('a'), '{"notes":[]}', 'its server may say again what it was');
  });

  test('if the server keeps the states, calls never name a checkpoint that it did not send', () => {
    const server = { keeper: 'server' } as const;
    old.call('a', { ...server, parent: null, conversation: 'one' });
    old.call('b', { ...server, parent: 'a', conversation: 'two' });
    old.call('c', { ...server, parent: 'b' });
    lose('b', 'c');
    takeOver();
    treeIs('a opaque <- one', 'lost-3 placeholder broken <- head <- blocks');
    assert.equal(states.base('two', 'server').blocked?.checkpoint, 'lost-3');
  });

  test('a trimmed root that lost its state is broken, and so is what builds on it', () => {
    fill();
    old.database.exec(`DELETE FROM snapshots; DELETE FROM checkpoints WHERE place < ${old.place('c')};
      UPDATE checkpoints SET parent = NULL, link = 'trimmed' WHERE place = ${old.place('c')}`);
    takeOver();
    assert.match(states.tree, /^c patch \(trimmed\) broken/m);
    assert.match(states.tree, /^ +d patch \{"notes":\["w","d"\]\} <- head$/m);
  });

  test('what another window put into the new file meanwhile keeps its numbers, and its head', () => {
    fill();
    states.call('mine', { parent: null, body: data(1) });
    states.recorder.record(stateUpdate('other', { server: 'other', body: data(2) }));
    takeOver();
    treeIs(
      'mine data 1 <- head',
      'other data 2',
      'a data {"notes":[]} <- one',
      '  b patch {"notes":["b"]}',
      '    c patch {"notes":["b","c"]} <- two',
      '      whole data {"notes":["w"]}',
      '        d patch {"notes":["w","d"]}',
    );
    assert.deepEqual(
      new LineageReader(states).lineages.map(({ server, count }) => `${server} ${count}`),
      ['notes 6', 'other 1'],
    );
  });

  test('foreign rows are left out, and a file without lineages has no result', () => {
    fill();
    old.database.exec(`UPDATE checkpoints SET form = 'glory' WHERE checkpoint = 'd';
      UPDATE checkpoints SET lineage = 77 WHERE checkpoint = 'c'`);
    assert.equal(takeOver(), 3);
    assert.match(states.tree, /^lost-5 placeholder broken <- head <- blocks$/m);
    const salvage = new LineageSalvage();
    const empty = new DatabaseSync(':memory:');
    salvage.read(empty);
    migrate(empty);
    salvage.restore(empty);
    assert.equal(salvage.count, 0);
    empty.close();
  });
});
