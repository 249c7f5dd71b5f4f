import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { StateUpdate } from '../../src/core/index.ts';
import { LineageModel } from '../support/lineageModel.ts';
import { NOTES, StateCase } from '../support/stateCase.ts';
import { dose } from '../support/dose.ts';

const KEYS = ['a', 'b', 'm~0n', 'x~1y', '0', '1', '2', '-'];

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 0, -1.5, 'text', '', 'ü'.repeat(300)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'm~n', 'x/y', '0'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const container = fc.constantFrom<unknown>({ a: [], b: { a: 1 } }, [1, [2], { a: [] }], { a: { a: { a: [0] } } });
const pointer = fc
  .array(fc.constantFrom(...KEYS), { maxLength: 3 })
  .map((parts) => parts.map((part) => `/${part}`).join(''));
const inside = pointer.filter((path) => path !== '');

const operation = fc.oneof(
  { weight: 8, arbitrary: fc.record({ op: fc.constantFrom('add', 'add', 'replace'), path: inside, value: json }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constantFrom('add', 'replace'), path: fc.constant(''), value: container }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('remove'), path: inside }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constantFrom('move', 'copy'), from: inside, path: inside }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('test'), path: pointer, value: json }) },
);

/** These fit until the members of the first state are removed. */
const edit = fc.oneof(
  fc.record({ op: fc.constant('add'), path: fc.constantFrom('/a/-', '/a/0', '/b/new', '/b/m~0n'), value: json }),
  fc.record({ op: fc.constant('replace'), path: fc.constantFrom('/b', '/a'), value: fc.constantFrom([], [1, {}]) }),
  fc.record({ op: fc.constant('add'), path: fc.constant('/b'), value: fc.constant({ a: 'text'.repeat(3_000) }) }),
  fc.record({ op: fc.constant('copy'), from: fc.constant('/b'), path: fc.constantFrom('/a/-', '/c') }),
);

const body = fc.oneof(
  {
    weight: 16,
    arbitrary: fc.record({ kind: fc.constant('patch' as const), value: fc.array(edit, { maxLength: 2 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('data' as const), value: fc.oneof(container, json) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('patch' as const), value: fc.array(operation, { maxLength: 3 }) }),
  },
  { weight: 2, arbitrary: fc.constant(undefined) },
);

const conversation = fc.constantFrom(undefined, undefined, 'one', 'two', 'three');
const name = fc.nat({ max: 200 }).map((number) => `c${number}`);

type Action =
  | {
      readonly kind: 'record';
      readonly checkpoint: string;
      readonly parent: string | null | undefined;
      /** Number of heads since its request was sent. */
      readonly delay: number;
      readonly body: { readonly kind: 'data' | 'patch'; readonly value: unknown } | undefined;
      readonly conversation: string | undefined;
      readonly isRollback: boolean;
    }
  | { readonly kind: 'again'; readonly back: number }
  | {
      readonly kind: 'move';
      readonly to: number;
      readonly conversation: string | undefined;
      readonly isRefused: boolean;
    }
  | { readonly kind: 'restart' };

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({
      kind: fc.constant('record' as const),
      checkpoint: name,
      parent: fc.oneof(
        { weight: 12, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: name },
        fc.constant(null),
      ),
      delay: fc.constantFrom(0, 0, 0, 1, 3),
      body,
      conversation,
      isRollback: fc.constantFrom(...Array<boolean>(11).fill(false), true),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('again' as const), back: fc.nat({ max: 5 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      to: fc.nat(),
      conversation,
      isRefused: fc.constantFrom(false, false, true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

/** The store and the model. Number n of the model has the row id n + 1 in the store. */
class Both {
  readonly model = new LineageModel();
  readonly states = new StateCase();
  readonly #heads: (number | undefined)[] = [];
  readonly #said: (Action & { readonly kind: 'record' })[] = [];

  do(each: Action): void {
    switch (each.kind) {
      case 'record':
        this.#said.push(each);
        return this.#record(each);
      case 'again': {
        const said = this.#said.at(-1 - each.back);
        return said === undefined ? undefined : this.#record(said);
      }
      case 'move':
        return this.#move(each);
      case 'restart':
        return this.states.reopen();
    }
  }

  #record(each: Action & { readonly kind: 'record' }): void {
    this.#heads.push(this.model.headOf(each.conversation));
    const base = this.#heads.at(-1 - each.delay);
    const { checkpoint, conversation: whose, isRollback } = each;
    const parent = isRollback ? undefined : each.parent;
    const kind = this.model.record({
      checkpoint,
      parent,
      base,
      body: isRollback ? undefined : each.body,
      conversation: whose,
      isRollback,
    });
    const update: StateUpdate = {
      ...NOTES,
      conversation: whose,
      keeper: 'host',
      checkpoint,
      parent,
      base: base === undefined ? undefined : base + 1,
      cause: isRollback ? 'rollback' : 'call',
      body:
        each.body === undefined || isRollback
          ? undefined
          : { kind: each.body.kind, text: JSON.stringify(each.body.value) },
      at: 1,
      tool: undefined,
      args: undefined,
    };
    assert.equal(this.states.recorder.record(update).kind, kind);
  }

  #move({ to, conversation: whose, isRefused }: Action & { readonly kind: 'move' }): void {
    if (this.model.nodes.length === 0) return;
    const target = to % this.model.nodes.length;
    if (!isRefused) this.model.move(target, target, whose);
    const refusal = isRefused ? 'No.' : undefined;
    this.states.queries.move({ at: 1, kind: 'rollback', from: undefined, to: target + 1, refusal }, whose);
  }

  /** Asserts that heads and states are equal on both sides. */
  compare(): void {
    const placeOf = (index: number | undefined): number | undefined => (index === undefined ? undefined : index + 1);
    for (const whose of [undefined, 'one', 'two', 'three'])
      assert.equal(this.states.base(whose).head?.place, placeOf(this.model.headOf(whose)), `head of ${whose}`);
    const [{ blocked_by: blockedBy = null } = {}] = this.states.database
      .prepare('SELECT blocked_by FROM lineages')
      .all();
    assert.equal(blockedBy !== null, this.model.isBlocked);
    for (const [index, node] of this.model.nodes.entries()) {
      const expected = this.model.state(index);
      const text = this.states.states.text(index + 1);
      const value = typeof expected === 'string' ? undefined : JSON.parse(JSON.stringify(expected.value));
      assert.deepEqual(text === undefined ? undefined : JSON.parse(text), value, `state of ${node.name} at ${index}`);
    }
    const kept = this.states.counts.match(/^host, (\d+) kept/)?.[1];
    assert.equal(Number(kept ?? 0), this.model.nodes.length);
  }
}

suite('Lineages beside a model of them', function () {
  this.timeout(dose(60_000, 600_000));

  test('for any actions of servers and users, states equal a replay from the root, and heads are correct', () => {
    let snapshots = 0;
    let states = 0;
    fc.assert(
      fc.property(fc.array(action, { minLength: 1, maxLength: 90, size: 'max' }), (actions) => {
        const both = new Both();
        try {
          both.do({
            kind: 'record',
            checkpoint: 'c0',
            parent: null,
            delay: 0,
            body: { kind: 'data', value: { a: [], b: { a: 1 } } },
            conversation: undefined,
            isRollback: false,
          });
          for (const each of actions) both.do(each);
          both.compare();
          both.states.reopen();
          both.compare();
          const count = (statement: string): number =>
            Number(Object.values(both.states.database.prepare(statement).get() ?? {})[0]);
          snapshots += count('SELECT count(*) FROM snapshots');
          states += count(`SELECT count(*) FROM checkpoints WHERE form = 'patch' AND problem IS NULL`);
        } finally {
          both.states.database.close();
        }
      }),
      { numRuns: dose(100, 3_000) },
    );
    assert.ok(snapshots > 0 && states > 10 * dose(100, 3_000), `${snapshots} snapshots, ${states} patched states`);
  });
});
