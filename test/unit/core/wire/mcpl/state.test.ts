import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Json, type JsonObject, parseJson } from '../../../../../src/core/base/json.ts';
import {
  decodeRollback,
  decodeStateResult,
  decodeStateUpdate,
  rollbackParams,
} from '../../../../../src/core/wire/mcpl/stateResult.ts';

const LONG = 'c'.repeat(512);
const PLAIN = { checkpoint: 'c1', parent: undefined, featureSet: undefined, body: undefined, remarks: [] };

suite('What a result says of a state (MCPL §8.2, §8.3)', () => {
  const patch = [{ op: 'add', path: '/notes/-', value: 1 }];
  const cases: readonly (readonly [what: string, state: Json, decoded: unknown])[] = [
    ['a checkpoint alone', { checkpoint: 'c1' }, PLAIN],
    ['a root', { checkpoint: 'c1', parent: null }, { ...PLAIN, parent: null }],
    ['a parent', { checkpoint: 'c1', parent: 'c0' }, { ...PLAIN, parent: 'c0' }],
    ['a feature set', { checkpoint: 'c1', featureSet: 'notes' }, { ...PLAIN, featureSet: 'notes' }],
    ['no feature set, said as null', { checkpoint: 'c1', featureSet: null }, PLAIN],
    ['data', { checkpoint: 'c1', data: { n: 1 } }, { ...PLAIN, body: { kind: 'data', value: { n: 1 } } }],
    ['data that is null', { checkpoint: 'c1', data: null }, { ...PLAIN, body: { kind: 'data', value: null } }],
    ['data that is false', { checkpoint: 'c1', data: false }, { ...PLAIN, body: { kind: 'data', value: false } }],
    ['a patch', { checkpoint: 'c1', patch }, { ...PLAIN, body: { kind: 'patch', value: patch } }],
    ['a patch that is none', { checkpoint: 'c1', patch: 'x' }, { ...PLAIN, body: { kind: 'patch', value: 'x' } }],
    ['no patch, said as null', { checkpoint: 'c1', patch: null }, PLAIN],
    ['data, and no patch', { checkpoint: 'c1', data: 1, patch: null }, { ...PLAIN, body: { kind: 'data', value: 1 } }],
    [
      'data and a patch',
      { checkpoint: 'c1', data: 1, patch },
      { ...PLAIN, body: { kind: 'data', value: 1 }, remarks: ['It has "data" and a "patch"; the data was taken.'] },
    ],
    [
      'a patch, and data said as null',
      { checkpoint: 'c1', data: null, patch },
      {
        ...PLAIN,
        body: { kind: 'patch', value: patch },
        remarks: ['Its "data" is null beside a "patch"; the patch was taken.'],
      },
    ],
    ['neither, said as null', { checkpoint: 'c1', data: null, patch: null }, PLAIN],
    [
      'itself as its parent',
      { checkpoint: 'c1', parent: 'c1' },
      { ...PLAIN, remarks: ['It names itself as its parent, which is taken as if it named none.'] },
    ],
    ['a long name', { checkpoint: LONG, parent: 'a b' }, { ...PLAIN, checkpoint: LONG, parent: 'a b' }],
    ['members of its own', { checkpoint: 'c1', note: { a: 1 } }, PLAIN],
    ['no object', 'c1', { problem: 'Its "state" is not an object.' }],
    ['a list', ['c1'], { problem: 'Its "state" is not an object.' }],
  ];
  for (const [what, state, decoded] of cases)
    test(what, () => assert.deepEqual(decodeStateResult({ content: [], state }), decoded));

  test('nothing, or null, is no state', () => {
    assert.equal(decodeStateResult({ content: [] }), undefined);
    assert.equal(decodeStateResult({ state: null }), undefined);
  });

  const NAME = 'a text of 1 to 512 characters without control characters';
  for (const bad of ['', ' ', `${LONG}c`, 'a\nb', 'a\tb', 'a\u0000b', 'a\u202Eb', 'a\u200Bb', 7, {}, [], true])
    test(`${JSON.stringify(bad).slice(0, 20)} names no checkpoint`, () => {
      const asCheckpoint = { problem: `Its "checkpoint" is not ${NAME}.` };
      assert.deepEqual(decodeStateResult({ state: { checkpoint: bad, data: 1 } }), asCheckpoint);
      const asParent = { problem: `Its "parent" is neither null nor ${NAME}.` };
      assert.deepEqual(decodeStateResult({ state: { checkpoint: 'c1', parent: bad } }), asParent);
    });

  for (const bad of ['', 7, {}, [], 'f'.repeat(257)])
    test(`${JSON.stringify(bad).slice(0, 20)} names no feature set`, () => {
      const problem = 'Its "featureSet" is not the name of a feature set.';
      assert.deepEqual(decodeStateResult({ state: { checkpoint: 'c1', featureSet: bad } }), { problem });
    });

  test('an update says the same without a member "state"', () => {
    const update = { featureSet: 'notes', checkpoint: 'c2', parent: 'c1', patch };
    const body = { kind: 'patch', value: patch };
    assert.deepEqual(decodeStateUpdate(update), {
      checkpoint: 'c2',
      parent: 'c1',
      featureSet: 'notes',
      body,
      remarks: [],
    });
    assert.deepEqual(decodeStateUpdate({}), { problem: `Its "checkpoint" is not ${NAME}.` });
  });
});

suite('A rollback (MCPL §8.5, §8.6)', () => {
  test('names what it is to go back to', () => {
    assert.deepEqual(rollbackParams('notes.edit', 'c1'), { featureSet: 'notes.edit', checkpoint: 'c1' });
  });

  const failed = { checkpoint: undefined, success: false, reason: undefined };
  const cases: readonly (readonly [answer: Json, decoded: unknown])[] = [
    [
      { checkpoint: 'c1', success: true },
      { checkpoint: 'c1', success: true, reason: undefined },
    ],
    [{ success: true }, { checkpoint: undefined, success: true, reason: undefined }],
    [
      { checkpoint: 'c1', success: false, reason: 'A mail cannot be unsent.' },
      { checkpoint: 'c1', success: false, reason: 'A mail cannot be unsent.' },
    ],
    [
      { success: false, reason: ' \u202Eno\u0007 \n' },
      { ...failed, reason: 'no' },
    ],
    [{ success: false, reason: ' ' }, failed],
    [{ success: false, reason: { code: 1 } }, failed],
    [{ success: 'true', checkpoint: 7 }, failed],
    [{ success: 1, checkpoint: 'a\nb' }, failed],
    [{}, failed],
    [null, failed],
    [true, failed],
    [[{ success: true }], failed],
  ];
  for (const [answer, decoded] of cases)
    test(`is answered with ${JSON.stringify(answer)}`, () => assert.deepEqual(decodeRollback(answer), decoded));

  test('has a reason of bounded length', () => {
    assert.equal(decodeRollback({ reason: 'x'.repeat(50_000) }).reason?.length, 10_000);
  });
});

suite('States and rollbacks of any shape', () => {
  test('are decoded without throwing', () => {
    const member = fc.constantFrom(
      'checkpoint',
      'parent',
      'featureSet',
      'data',
      'patch',
      'success',
      'reason',
      '__proto__',
    );
    const object = fc
      .dictionary(member, fc.jsonValue({ maxDepth: 2 }))
      .map((value) => parseJson(JSON.stringify(value)));
    fc.assert(
      fc.property(object, (value) => {
        decodeStateResult({ state: value });
        decodeStateUpdate(value as JsonObject);
        decodeRollback(value);
      }),
    );
  });
});
