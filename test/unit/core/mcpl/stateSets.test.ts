import assert from 'node:assert/strict';
import {
  mayKeepState,
  mayReturnState,
  stateOwner,
  stateUse,
  stateUseOfOwner,
} from '../../../../src/core/mcpl/stateSets.ts';
import type { McplVersion } from '../../../../src/core/model/mcpl.ts';
import { mcpl, view } from '../../../support/featureSets.ts';

const on = { state: 'enabled', uses: ['tools'] } as const;
const notes = view('notes', { ...on, hostState: true, tools: ['add'] });
const git = view('git', { ...on, rollback: true, tools: ['commit'] });
const plain = view('plain', { ...on, tools: ['run'] });
const all = [notes, git, plain];

suite('Which calls are sent with a state', () => {
  const uses = (version: McplVersion): readonly string[] =>
    ['add', 'commit', 'run', 'free'].map((tool) => {
      const use = stateUse(mcpl(all, { version }), tool);
      return 'featureSet' in use ? `${tool} ${use.kind} ${use.featureSet} ${use.keeper}` : `${tool} ${use.kind}`;
    });

  test('is what sets declare before MCPL 0.4, and what their servers return since then', () => {
    assert.deepEqual(uses('0.2'), ['add always notes host', 'commit always git server', 'run never', 'free byOwner']);
    assert.deepEqual(uses('0.3'), uses('0.2'));
    assert.deepEqual(uses('0.4'), [
      'add always notes host',
      'commit always git either',
      'run onceKnown plain either',
      'free byOwner',
    ]);
    assert.deepEqual(uses('0.5'), uses('0.4'));
  });

  test('is, for a tool that names no set, what the owner of its first state declares', () => {
    const use = (owner?: string): string => {
      const found = stateUseOfOwner(
        mcpl([...all, view('off', { ...notes.set, name: 'off', state: 'disabled' })]),
        owner,
      );
      return 'featureSet' in found ? `${found.kind} ${found.featureSet}` : found.kind;
    };
    assert.deepEqual(
      [use('notes'), use('git'), use('plain'), use('off'), use('gone'), use()],
      ['always notes', 'always git', 'never', 'never', 'never', 'never'],
    );
    assert.equal(stateUse(mcpl([plain]), 'free').kind, 'never');
  });

  test('does not matter if no set declares any', () => {
    assert.equal(mayReturnState(mcpl([plain])), false);
    assert.equal(mayReturnState(mcpl([])), false);
    assert.equal(mayReturnState(mcpl([plain, git])), true);
    assert.equal(mayReturnState(mcpl([], { version: '0.4' })), true);
    const { dialect } = mcpl([]);
    assert.deepEqual([mayKeepState(plain.set, dialect), mayKeepState(git.set, dialect)], [false, true]);
    assert.equal(mayKeepState(plain.set, mcpl([], { version: '0.5' }).dialect), true);
  });
});

suite('Whose a state is', () => {
  const owner = (tool: string, named?: string, hasBody = false, sets = all, version: McplVersion = '0.2'): string => {
    const found = stateOwner(mcpl(sets, { version }), tool, { named, hasBody });
    return found.kind === 'off' ? `off ${found.featureSet}` : `${found.kind} ${found.featureSet} ${found.keeper}`;
  };

  test('is said by the state, by its tool, or by there being only one of that kind', () => {
    assert.equal(owner('add', 'git'), 'set git server');
    assert.equal(owner('add', 'nobody'), 'set notes host');
    assert.equal(owner('run'), 'set plain server');
    assert.equal(owner('free', undefined, true), 'set notes host');
    assert.equal(owner('free', undefined, false), 'set git server');
    assert.equal(owner('free', undefined, false, [notes, plain]), 'set notes host');
  });

  test('is, for a tool that names no set, the owner of its first state, unless the state names another', () => {
    const of = (tool: string, named?: string): string =>
      stateOwner(mcpl(all), tool, { named, first: 'git', hasBody: true }).featureSet;
    assert.deepEqual([of('free'), of('free', 'notes'), of('add')], ['git', 'notes', 'notes']);
    assert.equal(stateOwner(mcpl(all), 'free', { first: 'gone', hasBody: true }).featureSet, 'notes');
  });

  test('is not guessed', () => {
    const more = view('more', { ...on, hostState: true });
    assert.equal(owner('free', undefined, true, [...all, more]), 'nobody  either');
    assert.equal(owner('free', undefined, false, [notes, more]), 'nobody  either');
    assert.equal(owner('free', undefined, true, [git, plain]), 'nobody  server');
    assert.equal(owner('free', undefined, true, [git, plain], '0.4'), 'set git either');
    assert.equal(owner('free', 'nobody', true, [], '0.4'), 'nobody  either');
  });

  test('belongs to no set if its set is off', () => {
    for (const state of ['disabled', 'invalid', 'changed'] as const)
      assert.equal(owner('add', 'off', true, [...all, view('off', { hostState: true, state })]), 'off off');
  });
});
