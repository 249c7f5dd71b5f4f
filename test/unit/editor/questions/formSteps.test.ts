import assert from 'node:assert/strict';
import { collectArguments, initialValues, type JsonObject, schemaForm } from '../../../../src/core/index.ts';
import {
  type FieldAnswer,
  type FieldStep,
  fieldProblem,
  FormSteps,
  type FormUi,
  type ReviewAnswer,
  type ReviewStep,
  type StepField,
  stepFields,
} from '../../../../src/editor/questions/formSteps.ts';

const formOf = (properties: JsonObject, required: readonly string[] = []): ReturnType<typeof schemaForm> =>
  schemaForm({ type: 'object', properties, required });

const EVERY_KIND = formOf(
  {
    name: { type: 'string', title: 'Name', minLength: 2 },
    mail: { type: 'string', format: 'email' },
    age: { type: 'integer', minimum: 1, maximum: 120, default: 30 },
    agrees: { type: 'boolean' },
    friend: { type: 'string', enum: ['ada', 'bob'], enumNames: ['Ada', 'Bob'] },
    fish: {
      type: 'array',
      minItems: 1,
      maxItems: 2,
      items: {
        anyOf: [
          { const: 'f1', title: 'Tuna' },
          { const: 'f2', title: 'Trout' },
        ],
      },
    },
    apiKey: { type: 'string' },
    password: { type: 'string', format: 'password' },
  },
  ['name', 'friend'],
);

const QUESTION = { form: EVERY_KIND, message: 'Who are you?' };
const fieldsOf = (question: Parameters<typeof stepFields>[0]): readonly StepField[] => {
  const fields = stepFields(question);
  assert.ok(fields !== undefined);
  return fields;
};

type Given = FieldAnswer | { readonly kind: 'review'; readonly answer: ReviewAnswer };
const CLOSED = { kind: 'cancel' } as const;

/** Answers in order, and records what was shown. */
class Script implements FormUi {
  readonly shown: string[] = [];
  readonly #answers: Given[];
  constructor(...answers: readonly Given[]) {
    this.#answers = [...answers];
  }
  field({ field, step, steps, value, looksSecret }: FieldStep): Promise<FieldAnswer> {
    this.shown.push(`${step}/${steps} ${field.name}=${JSON.stringify(value) ?? ''}${looksSecret ? ' secret!' : ''}`);
    const answer = this.#answers.shift() ?? CLOSED;
    return Promise.resolve(answer.kind === 'review' ? CLOSED : answer);
  }
  review({ step, steps, lines }: ReviewStep): Promise<ReviewAnswer> {
    const texts = lines.map(
      ({ label, value, problem }) => `${label}: ${value}${problem === undefined ? '' : ` (${problem})`}`,
    );
    this.shown.push(`${step}/${steps} ${texts.join(' | ')}`);
    const answer = this.#answers.shift() ?? CLOSED;
    return Promise.resolve(answer.kind === 'review' ? answer.answer : CLOSED);
  }
}

const next = (value?: string | boolean | readonly string[]): FieldAnswer => ({ kind: 'next', value });
const BACK = { kind: 'back' } as const;
const atEnd = (answer: ReviewAnswer): Given => ({ kind: 'review', answer });
const edit = (field: number): Given => atEnd({ kind: 'edit', field });
const ACCEPT = atEnd({ kind: 'accept' });

suite('A form in steps', () => {
  const steps = (form = EVERY_KIND, sensitive: readonly string[] = []): FormSteps =>
    new FormSteps({ values: initialValues(form), sensitive }, fieldsOf({ ...QUESTION, form }));

  test('asks for each kind of field in turn, shows the defaults, warns of secrets, and shows all before it is sent', async () => {
    const ui = new Script(
      next('Ada'),
      next(''),
      next('41'),
      next(true),
      next('1'),
      next(['0', '1']),
      next('k'),
      next('geheim'),
      ACCEPT,
    );
    const ended = await steps(EVERY_KIND, ['/apiKey']).run(ui);
    assert.deepEqual(ui.shown, [
      '1/9 name=',
      '2/9 mail=',
      '3/9 age="30"',
      '4/9 agrees=',
      '5/9 friend=',
      '6/9 fish=',
      '7/9 apiKey= secret!',
      '8/9 password=',
      '9/9 Name: Ada | mail: (left out) | age: 41 | agrees: Yes | friend: Bob | fish: Tuna, Trout | apiKey: k | password: •••',
    ]);
    assert.equal(ended.kind, 'accept');
    assert.deepEqual(collectArguments(EVERY_KIND, ended.values), {
      kind: 'arguments',
      args: { name: 'Ada', age: 41, agrees: true, friend: 'bob', fish: ['f1', 'f2'], apiKey: 'k', password: 'geheim' },
    });
  });

  const SMALL = formOf({ a: { type: 'string' }, b: { type: 'string' } }, ['a']);

  test('goes back with what was answered, and from its end to any field and back to the end', async () => {
    const ui = new Script(
      next('1'),
      BACK,
      next('2'),
      next('3'),
      edit(0),
      next('4'),
      edit(1),
      BACK,
      atEnd(BACK),
      next(''),
      ACCEPT,
    );
    assert.deepEqual(await steps(SMALL).run(ui), { kind: 'accept', values: { '/a': '4' } });
    assert.deepEqual(ui.shown, [
      '1/3 a=',
      '2/3 b=',
      '1/3 a="1"',
      '2/3 b=',
      '3/3 a: 2 | b: 3',
      '1/3 a="2"',
      '3/3 a: 4 | b: 3',
      '2/3 b="3"',
      '3/3 a: 4 | b: 3',
      '2/3 b="3"',
      '3/3 a: 4 | b: (left out)',
    ]);
  });

  test('does not send what is wrong, and asks for that again', async () => {
    const form = formOf({ a: { type: 'string', default: 'x', minLength: 3 }, b: { type: 'string' } }, ['b']);
    const ui = new Script(next('x'), next(''), ACCEPT, next('long'), ACCEPT, next('y'), ACCEPT);
    assert.deepEqual(await steps(form).run(ui), { kind: 'accept', values: { '/a': 'long', '/b': 'y' } });
    assert.deepEqual(ui.shown.slice(2), [
      '3/3 a: x (Enter at least 3 characters.) | b: (nothing yet) (This needs an answer.)',
      '1/3 a="x"',
      '3/3 a: long | b: (nothing yet) (This needs an answer.)',
      '2/3 b=',
      '3/3 a: long | b: y',
    ]);
  });

  test('goes on on a page with what was entered so far, also in the open field', async () => {
    const first = new Script(next('1'), { kind: 'form', value: 'half' });
    assert.deepEqual(await steps(SMALL).run(first), { kind: 'form', values: { '/a': '1', '/b': 'half' } });
    const last = new Script(next('1'), next('2'), atEnd({ kind: 'form' }));
    assert.deepEqual(await steps(SMALL).run(last), { kind: 'form', values: { '/a': '1', '/b': '2' } });
  });

  test('keeps what was entered when it is closed, and knows whether anything was', async () => {
    const closed = steps(SMALL);
    assert.deepEqual(await closed.run(new Script()), { kind: 'cancel', values: {} });
    assert.equal(closed.wasTouched, false);
    assert.deepEqual(await closed.run(new Script(next('1'))), { kind: 'cancel', values: { '/a': '1' } });
    assert.equal(closed.wasTouched, true);
    const again = new Script(next('2'), atEnd({ kind: 'decline' }));
    assert.deepEqual(await closed.run(again), { kind: 'decline', values: { '/a': '1', '/b': '2' } });
    assert.deepEqual(again.shown, ['2/3 b=', '3/3 a: 1 | b: 2']);
  });

  test('without a field asks for consent alone', async () => {
    const ui = new Script(ACCEPT);
    assert.deepEqual(await steps(formOf({})).run(ui), { kind: 'accept', values: {} });
    assert.deepEqual(ui.shown, ['1/1 ']);
  });

  test('is no way for what steps cannot hold, or could not show', () => {
    const can = (properties: JsonObject, message = 'Hello?'): boolean =>
      stepFields({ form: formOf(properties), message }) !== undefined;
    const many = (count: number): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, { type: 'boolean' }]));
    assert.deepEqual(
      [
        can({ a: { type: 'string' } }),
        can(many(20)),
        can(many(21)),
        can({ message: { type: 'string' } }),
        can({ a: { type: 'object', properties: { b: { type: 'string' } } } }),
        can({ a: { type: 'array', items: { type: 'string' } } }),
        can({ a: {} }),
        can({}, 'x'.repeat(201)),
        can({}, 'Two\nlines'),
      ],
      [true, true, false, false, false, false, false, false, false],
    );
  });

  test('judges a value while it is entered: needed, range, length, count and format', () => {
    const field = (schema: JsonObject, required = true): StepField => {
      const [only] = fieldsOf({ form: formOf({ x: schema }, required ? ['x'] : []), message: '' });
      assert.ok(only !== undefined);
      return only;
    };
    const number = field({ type: 'integer', minimum: 1, maximum: 10 });
    const fish = field({ type: 'array', minItems: 1, maxItems: 1, items: { type: 'string', enum: ['a', 'b'] } });
    assert.deepEqual(
      [
        fieldProblem(number, ''),
        fieldProblem(number, '1.5'),
        fieldProblem(number, '11'),
        fieldProblem(number, 'ten'),
        fieldProblem(number, '10'),
        fieldProblem(field({ type: 'string', maxLength: 2 }), 'abc'),
        fieldProblem(field({ type: 'string', format: 'email' }), 'ada'),
        fieldProblem(field({ type: 'string', format: 'email' }, false), ''),
        fieldProblem(fish, []),
        fieldProblem(fish, ['0', '1']),
        fieldProblem(fish, ['1']),
        fieldProblem(field({ type: 'boolean' }), undefined),
      ],
      [
        'This needs an answer.',
        'Enter a whole number.',
        'Enter a number of at most 10.',
        'Enter a whole number.',
        undefined,
        'Enter at most 2 characters.',
        'Enter an e-mail address: name@example.com.',
        undefined,
        'Give at least 1.',
        'Give at most 1.',
        undefined,
        undefined,
      ],
    );
  });
});
