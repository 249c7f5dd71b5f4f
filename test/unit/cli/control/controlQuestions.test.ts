import assert from 'node:assert/strict';
import { type DriverInputs, driverInputs } from '../../../../src/cli/control/inputQuestions.ts';
import {
  CancellationSource,
  collectArguments,
  type FormQuestion,
  initialValues,
  type JsonObject,
  NO_CANCELLATION,
  type SamplingRequest,
  schemaForm,
  type UrlQuestion,
} from '../../../../src/core/index.ts';
import { Driver } from './driver.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', title: 'Name', minLength: 2 },
    count: { type: 'integer', default: 3 },
    colour: {
      type: 'string',
      oneOf: [
        { const: 'r', title: 'Red' },
        { const: 'b', title: 'Blue' },
      ],
    },
    tags: { type: 'array', items: { type: 'string', enum: ['x', 'y'] } },
  },
};

function form(schema: JsonObject = SCHEMA): FormQuestion {
  const made = schemaForm(schema);
  return {
    server: 'files',
    message: 'Who?',
    form: made,
    values: initialValues(made),
    errors: { '/name': 'Too short.' },
    sensitive: ['/name'],
    remarks: ['Mind it.'],
  };
}

const PAGE: UrlQuestion = {
  server: 'files',
  message: 'Sign in there.',
  url: 'https://x.test/?a=1',
  host: 'x.test',
  writtenHost: undefined,
  elicitationId: 'e1',
  remarks: ['Odd.'],
};

const RAW = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 5 };
const REQUEST: SamplingRequest = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  systemPrompt: undefined,
  maxTokens: 5,
  temperature: undefined,
  stopSequences: [],
  preferences: { hints: [], cost: undefined, speed: undefined, intelligence: undefined },
  includeContext: 'none',
  tools: [],
  toolChoice: 'auto',
  metadata: undefined,
  relatedTask: undefined,
  raw: RAW,
};

suite('Questions of servers to a driver', () => {
  let driver: Driver;
  let inputs: DriverInputs;

  setup(() => {
    driver = new Driver();
    inputs = driverInputs(driver.questions);
  });

  teardown(() => driver.dispose());

  /** Tries each answer. Returns the problems of rejected ones. */
  function answer(...answers: readonly (JsonObject | string | boolean | null)[]): readonly (string | undefined)[] {
    return answers.map((each) => driver.questions.answer('q1', each));
  }

  test('a form: its fields and values as programs know them', async () => {
    const asked = inputs.elicitor.form(form(), NO_CANCELLATION);
    const [said] = driver.heard() as { fields: { name: string; kind: string; options?: object }[] }[];
    const { fields = [], ...rest } = said ?? {};
    assert.deepEqual(rest, {
      event: 'question',
      question: 'q1',
      kind: 'form',
      server: 'files',
      message: 'Who?',
      values: { count: 3 },
      errors: { '/name': 'Too short.' },
      sensitive: ['/name'],
      remarks: ['Mind it.'],
    });
    assert.deepEqual(
      fields.map(({ name, kind }) => `${name} ${kind}`),
      ['name text', 'count number', 'colour choice', 'tags choices'],
    );
    assert.deepEqual(fields[2]?.options, [
      { label: 'Red', description: '', value: 'r' },
      { label: 'Blue', description: '', value: 'b' },
    ]);
    const values = { name: 'Bo', colour: 'b', tags: ['y'] };
    assert.deepEqual(
      answer(
        'accepted',
        { action: 'accept', values: { size: 1 } },
        { action: 'accept', values: { count: 'x' } },
        5 > 4,
        {
          action: 'accept',
          values: [],
        },
      ),
      [
        'This is no answer to that question.',
        'The form has no field "size".',
        'The field "count" cannot have that value.',
        'This is no answer to that question.',
        '"values" must be an object: {"<name of a field>": <its value>}.',
      ],
    );
    assert.deepEqual(answer({ action: 'accept', values }), [undefined]);
    const given = await asked;
    assert.ok(given.kind === 'accept');
    assert.deepEqual(collectArguments(form().form, given.values), { kind: 'arguments', args: values });
  });

  test('a form is declined, left open, or sent as it was shown', async () => {
    for (const [given, expected] of [
      ['decline', { kind: 'decline' }],
      [{ action: 'decline' }, { kind: 'decline' }],
      [null, { kind: 'cancel' }],
      [{ action: 'cancel' }, { kind: 'cancel' }],
      ['accept', { kind: 'accept', values: initialValues(form().form) }],
    ] as const) {
      const asked = inputs.elicitor.form(form(), NO_CANCELLATION);
      const question = String(driver.written.at(-1)?.['question']);
      assert.equal(driver.questions.answer(question, given), undefined);
      assert.deepEqual(await asked, expected);
    }
  });

  test('a page that the driver opens, and waits for', async () => {
    const visited = inputs.elicitor.url(PAGE, NO_CANCELLATION);
    const page = {
      server: 'files',
      message: 'Sign in there.',
      url: 'https://x.test/?a=1',
      host: 'x.test',
      elicitationId: 'e1',
      remarks: ['Odd.'],
    };
    assert.deepEqual(driver.heard(), [
      { event: 'question', question: 'q1', kind: 'url', ...page, answers: ['accept', 'decline'] },
    ]);
    assert.deepEqual(answer('continue', 'accept'), ['This is no answer to that question.', undefined]);
    assert.equal(await visited, 'accept');
    const over = new CancellationSource();
    const finished = inputs.elicitor.finish(PAGE, over.token);
    assert.deepEqual(driver.heard(), [
      { event: 'question', question: 'q2', kind: 'finish', ...page, answers: ['continue'] },
    ]);
    over.cancel();
    assert.equal(await finished, 'cancel');
    inputs.elicitor.finished(PAGE);
    assert.deepEqual(driver.heard(), [
      { event: 'questionClosed', question: 'q2' },
      { event: 'pageFinished', server: 'files', url: 'https://x.test/?a=1', elicitationId: 'e1' },
    ]);
    assert.match(driver.questions.answer('q2', 'continue') ?? '', /no open question/);
  });

  test('a prompt to be run on a model: as MCP has it, there and back', async () => {
    const asked = inputs.sampler.sample({ server: 'files', request: REQUEST, remarks: [] }, NO_CANCELLATION);
    assert.deepEqual(driver.heard(), [
      { event: 'question', question: 'q1', kind: 'sampling', server: 'files', request: RAW, remarks: [] },
    ]);
    const text = { type: 'text', text: 'Ho' };
    const use = { type: 'tool_use', id: 'u1', name: 'look', input: { a: 1 } };
    const answers = [
      'yes',
      {},
      { result: 'Ho' },
      { result: { content: text } },
      { result: { model: 'm' } },
      { result: { model: 'm', content: text, stopReason: 1 } },
      { result: { model: 'm', content: [{ type: 'tool_result' }] } },
    ];
    assert.deepEqual(answer(...answers), [
      'This is no answer to that question.',
      'This is no answer to that question.',
      '"result" must be an object: {"content": …, "model": "…"}.',
      '"model" in "result" must be a text: the name of the model.',
      '"content" in "result" is missing: what the model said.',
      '"stopReason" in "result" must be a text.',
      '"content" in "result" must hold texts, pictures, sounds or uses of tools.',
    ]);
    assert.deepEqual(answer({ result: { model: 'm', content: [text, use], stopReason: 'toolUse' } }), [undefined]);
    assert.deepEqual(await asked, {
      kind: 'answered',
      result: { model: 'm', content: [text, use], stopReason: 'toolUse' },
    });
  });

  test('a prompt is declined, or there is no model', async () => {
    for (const [given, expected] of [
      ['declined', { kind: 'declined' }],
      [null, { kind: 'declined' }],
      [{ unavailable: 'No quota.' }, { kind: 'unavailable', reason: 'No quota.' }],
    ] as const) {
      const asked = inputs.sampler.sample({ server: 'files', request: REQUEST, remarks: [] }, NO_CANCELLATION);
      assert.equal(driver.questions.answer(String(driver.written.at(-1)?.['question']), given), undefined);
      assert.deepEqual(await asked, expected);
    }
  });

  test('whether to sign in, as which client, and where', async () => {
    const { authPrompt, authBrowser } = inputs;
    const about = { server: 'files', issuer: 'https://login.test' };
    const signIn = { ...about, reason: 'first', resource: 'https://x.test/mcp', scopes: ['read'] } as const;
    const consented = authPrompt.consent(signIn, NO_CANCELLATION);
    assert.deepEqual(driver.heard(), [{ event: 'question', question: 'q1', kind: 'signIn', ...signIn }]);
    assert.deepEqual(answer('yes', true), ['This is no answer to that question.', undefined]);
    assert.equal(await consented, true);
    const refused = authPrompt.consent(signIn, NO_CANCELLATION);
    assert.equal(driver.questions.answer('q2', null), undefined);
    assert.equal(await refused, false);
    driver.heard();

    const client = { ...about, redirectUri: 'http://127.0.0.1:1/callback' };
    const entered = authPrompt.askClient?.(client, NO_CANCELLATION);
    assert.deepEqual(driver.heard(), [{ event: 'question', question: 'q3', kind: 'client', ...client }]);
    assert.equal(driver.questions.answer('q3', { clientId: 5 }), 'This is no answer to that question.');
    assert.equal(driver.questions.answer('q3', { clientId: 'c', clientSecret: 's' }), undefined);
    assert.deepEqual(await entered, { clientId: 'c', clientSecret: 's' });
    const none = authPrompt.askClient?.(client, NO_CANCELLATION);
    assert.equal(driver.questions.answer('q4', null), undefined);
    assert.equal(await none, undefined);
    driver.heard();

    assert.equal(await authBrowser.open('https://login.test/authorize'), true);
    assert.deepEqual(driver.heard(), [{ event: 'open', url: 'https://login.test/authorize' }]);
  });
});
