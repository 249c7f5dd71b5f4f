import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Json } from '../../../../../src/core/base/json.ts';
import { PatchableState } from '../../../../../src/core/states/patches/patches.ts';
import { dose } from '../../../../support/dose.ts';
import { applied, escape, type Model, modelOf, parsedText, pathsOf, settled, sizeOf } from './patchModel.ts';

const NAMES = ['a', 'b', 'c', '', '0', '1', '2', '01', '-', 'a/b', 'm~n', 'length', 'toString'];
const TRAPS = ['__proto__', 'constructor', 'prototype'];

const name = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...NAMES) }, fc.constantFrom(...TRAPS));

/** As text, because a value with a member `__proto__` can only come from text. */
const valueText: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false', '0', '1', '-2.5', '1e21', '"x"', '""', '"a \\"b\\""'),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(name, tie('value')), { maxLength: 5, selector: ([key]) => key })
      .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
  ),
})).value;

/** The target of an operation depends on the state at its turn. */
interface Aim {
  readonly kind: 'there' | 'below' | 'wild';
  readonly pick: number;
  readonly names: readonly string[];
}

const aim: fc.Arbitrary<Aim> = fc.record({
  kind: fc.constantFrom('there', 'there', 'there', 'below', 'below', 'wild'),
  pick: fc.nat(1_000),
  names: fc.array(name, { minLength: 1, maxLength: 3 }),
});

const operation = fc.record({
  op: fc.constantFrom('add', 'add', 'remove', 'remove', 'replace', 'move', 'copy', 'test', 'nothing'),
  path: aim,
  from: aim,
  value: valueText,
  /** For `test`: the current value. For others: a missing member. */
  isSpecial: fc.nat(9).map((n) => n === 0),
});
type Plan = typeof operation extends fc.Arbitrary<infer T> ? T : never;

const aimed = (model: Model, { kind, pick, names }: Aim): string => {
  const paths = pathsOf(model);
  const path = paths[pick % paths.length] as string;
  if (kind === 'there') return path;
  return (
    (kind === 'below' ? path : '') +
    names
      .map((token) => `/${escape(token)}`)
      .slice(0, kind === 'below' ? 1 : 3)
      .join('')
  );
};

const madeOf = (model: Model, { op, path, from, value, isSpecial }: Plan): Json => {
  const whole = { op, path: aimed(model, path), from: aimed(model, from), value: JSON.parse(value) as Json };
  if (op === 'test' && !isSpecial) return { ...whole, value: valueAt(model, whole.path) ?? whole.value };
  if (!isSpecial) return whole;
  const { value: _value, from: _from, ...rest } = whole;
  return rest;
};

const valueAt = (model: Model, path: string): Json | undefined => {
  const holder = { members: [['root', model] as const] };
  const copied = applied(holder, { op: 'copy', from: `/root${path}`, path: '/found' });
  return copied === undefined ? undefined : (JSON.parse(parsedText(copied)) as { found?: Json }).found;
};

interface Made {
  readonly patch: readonly Json[];
  readonly result: Model | undefined;
}

const patchOf = (model: Model, plans: readonly Plan[]): Made => {
  const patch: Json[] = [];
  let now = model;
  for (const plan of plans) {
    const made = madeOf(now, plan);
    patch.push(made);
    const next = applied(now, made);
    if (next === undefined) return { patch, result: undefined };
    now = next;
  }
  return { patch, result: settled(now) };
};

const stateOf = (text: string): { readonly state: PatchableState; readonly model: Model } => {
  const model = modelOf(JSON.parse(text) as Json);
  return { state: new PatchableState(JSON.parse(text) as Json, sizeOf(model)), model };
};

/** Also checks for non-JSON leftovers, which `JSON.stringify` would hide. */
const shows = (state: PatchableState, model: Model): void => {
  const text = JSON.stringify(state.value);
  assert.equal(text, parsedText(model));
  assert.deepEqual(state.value, JSON.parse(text));
};

interface Step<T> {
  readonly plans: readonly T[];
  readonly looks: boolean;
  readonly undoes: boolean;
}

const step = <T>(plans: fc.Arbitrary<readonly T[]>): fc.Arbitrary<Step<T>> =>
  fc.record({ plans, looks: fc.nat(2).map((n) => n === 0), undoes: fc.nat(3).map((n) => n === 0) });

/** Applies and undoes patches, checks sometimes, and undoes all at the end. */
const goThrough = <T>(
  state: PatchableState,
  start: Model,
  steps: readonly Step<T>[],
  make: (model: Model, plans: readonly T[]) => Made,
): void => {
  const past: { readonly model: Model; undo(): void }[] = [];
  let now = start;
  const goBack = (): void => {
    const last = past.pop();
    if (last === undefined) return;
    last.undo();
    now = last.model;
  };
  for (const { plans: planned, looks, undoes } of steps) {
    const { patch, result } = make(now, planned);
    const outcome = state.apply(patch);
    assert.equal(outcome.kind, result === undefined ? 'refused' : 'applied');
    if (outcome.kind === 'applied') past.push({ model: now, undo: outcome.undo });
    if (result !== undefined) now = result;
    if (looks) shows(state, now);
    if (undoes) goBack();
  }
  shows(state, now);
  while (past.length > 0) {
    goBack();
    if (past.length % 2 === 0) shows(state, now);
  }
  shows(state, start);
};

const resultOf = (model: Model, patch: readonly Json[]): Model | undefined => {
  let now: Model | undefined = model;
  for (const operation of patch) now = now === undefined ? undefined : applied(now, operation);
  return now === undefined ? undefined : settled(now);
};

const plans = fc.array(operation, { maxLength: 6 });
const RUNS = { numRuns: dose(300, 50_000) };

suite('Patches: whatever the state and whatever the patch', function () {
  this.timeout(200_000);

  test('the result is what the standards say, and a refused patch and an undone one leave no trace', () => {
    const seen = { applied: 0, refused: 0 };
    fc.assert(
      fc.property(valueText, plans, (text, planned) => {
        const { state, model } = stateOf(text);
        const { patch, result } = patchOf(model, planned);
        const patchText = JSON.stringify(patch);
        const outcome = state.apply(patch);
        seen[outcome.kind]++;
        assert.equal(outcome.kind, result === undefined ? 'refused' : 'applied', JSON.stringify({ patch, outcome }));
        shows(state, result === undefined ? model : result);
        assert.equal(state.size, sizeOf(result === undefined ? model : result));
        assert.equal(JSON.stringify(patch), patchText);
        if (outcome.kind === 'refused') return;
        outcome.undo();
        shows(state, model);
        assert.equal(state.size, sizeOf(model));
      }),
      RUNS,
    );
    // About a quarter is applied. The number in a small dose is random.
    assert.ok(Math.min(seen.applied, seen.refused) > RUNS.numRuns / 12, JSON.stringify(seen));
  });

  test('patches can be undone one after the other, with or without a read in between', () => {
    fc.assert(
      fc.property(valueText, fc.array(step(plans), { maxLength: 12 }), (text, steps) => {
        const { state, model } = stateOf(text);
        goThrough(state, model, steps, patchOf);
      }),
      RUNS,
    );
  });

  test('and so can those that remove and add members of one object again and again', () => {
    const edit = fc.record({ op: fc.constantFrom('add', 'remove', 'copy'), key: fc.constantFrom(...'abcdef1') });
    const edits = fc.array(edit, { minLength: 1, maxLength: 4 });
    const patched = (model: Model, planned: readonly { readonly op: string; readonly key: string }[]): Made => {
      const patch = planned.map(({ op, key }) => ({ op, path: `/${key}`, from: '', value: key }));
      return { patch, result: resultOf(model, patch) };
    };
    fc.assert(
      fc.property(fc.array(step(edits), { minLength: 3, maxLength: 12 }), (steps) => {
        const { state, model } = stateOf('{"a":1,"b":2,"c":3,"d":4,"e":5}');
        goThrough(state, model, steps, patched);
      }),
      RUNS,
    );
  });

  test('no JSON makes it throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, patch) => {
        const state = new PatchableState(value as Json, JSON.stringify(value).length);
        const before = JSON.stringify(state.value);
        const outcome = state.apply(patch as Json);
        if (outcome.kind === 'refused') assert.equal(JSON.stringify(state.value), before);
      }),
    );
  });
});
