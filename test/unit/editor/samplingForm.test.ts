import assert from 'node:assert/strict';
import { type SamplingQuestion, type SamplingRequest, schemaForm } from '../../../src/core/index.ts';
import { formView } from '../../../src/editor/elicitationView.ts';
import {
  chosenModel,
  editedRequest,
  type ModelChoice,
  preferredModel,
  promptGist,
  samplingForm,
  samplingValues,
  samplingView,
  shortPrompt,
} from '../../../src/editor/samplingForm.ts';
import { decodeFromQuestionPage } from '../../../src/webview/questionMessages.ts';

const MODELS: readonly ModelChoice[] = [
  { id: 'small-1', name: 'Small', family: 'small', vendor: 'here' },
  { id: 'big-2', name: 'Big One', family: 'big', vendor: 'there' },
];

const request = (rest: Partial<SamplingRequest> = {}): SamplingRequest => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Say hello.' }] }],
  systemPrompt: undefined,
  maxTokens: 100,
  temperature: undefined,
  stopSequences: [],
  preferences: { hints: [], cost: undefined, speed: undefined, intelligence: undefined },
  includeContext: 'none',
  tools: [],
  toolChoice: 'auto',
  metadata: undefined,
  relatedTask: undefined,
  raw: {},
  ...rest,
});

const question = (rest: Partial<SamplingRequest> = {}, remarks: readonly string[] = []): SamplingQuestion => ({
  server: 'files',
  request: request(rest),
  remarks,
});

const LONG = request({
  systemPrompt: 'Be brief.',
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'A dot.' }] },
  ],
});

suite('A prompt of a server', () => {
  test('goes to the model that its hints name best, part of a name being enough', () => {
    const of = (...hints: readonly string[]): string | undefined => MODELS[preferredModel(MODELS, hints)]?.id;
    assert.deepEqual(
      [of(), of('BIG'), of('unknown', 'there/'), of('unknown'), of('', 'one'), preferredModel([], ['x'])],
      ['small-1', 'big-2', 'big-2', 'small-1', 'big-2', 0],
    );
  });

  test('is shown whole, every text in a field of its own, and what is no text is told', () => {
    const form = samplingForm(LONG, MODELS);
    const values = samplingValues(LONG, MODELS);
    assert.deepEqual(
      form.fields.map(({ label, id, kind }) => `${label} (${kind}): ${String(values[id])}`),
      [
        'Model (choice): 0',
        'Instructions to the model (text): Be brief.',
        'Message 1: User (text): What is this?',
        'Message 2: Assistant (text): A dot.',
        'Longest answer, in tokens (number): 100',
      ],
    );
    const view = samplingView({ server: 'fi\u202eles', request: LONG, remarks: ['Mind this.'] }, form, values);
    assert.deepEqual(
      [view.title, view.remarks],
      [
        'The server "files" wants to use a language model',
        ['Mind this.', 'What is not text is sent as it is: 1 part.'],
      ],
    );
  });

  test('is sent as the person changed it; what was emptied is left out, and what is no text stays', () => {
    const values = samplingValues(LONG, MODELS);
    assert.deepEqual(editedRequest(LONG, values), LONG);
    const changed = {
      ...values,
      '/model': '1',
      '/system': '',
      '/maxTokens': '7',
      '/messages/0/0': 'And this?',
      '/messages/1/0': '',
    };
    const { messages, systemPrompt, maxTokens } = editedRequest(LONG, changed);
    assert.deepEqual(
      [messages, systemPrompt, maxTokens, chosenModel(changed)],
      [
        [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'And this?' },
              { type: 'image', data: 'AAAA', mimeType: 'image/png' },
            ],
          },
        ],
        undefined,
        7,
        1,
      ],
    );
  });

  test('can be allowed without a closer look only where the notification shows all of it', () => {
    const tool = { name: 't', title: undefined, description: undefined, inputSchema: {} };
    const text = (length: number): Partial<SamplingRequest> => ({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'x'.repeat(length) }] }],
    });
    assert.deepEqual(
      [
        shortPrompt(question()),
        shortPrompt(question(text(200)))?.length,
        shortPrompt(question(text(201))),
        shortPrompt(question({ systemPrompt: 'Obey.' })),
        shortPrompt(question({ tools: [tool] })),
        shortPrompt(question({}, ['Mind this.'])),
        shortPrompt(question({ messages: LONG.messages })),
      ],
      ['Say hello.', 200, undefined, undefined, undefined, undefined, undefined],
    );
    assert.equal(promptGist(question({ messages: LONG.messages })), 'A dot.');
  });
});

suite('A form of a server', () => {
  const form = schemaForm({
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string', description: 'Yours' }, apiKey: { type: 'string' } },
  });
  const asked = {
    server: 'files',
    message: 'Who are\u200b you?',
    form,
    values: { '/name': '', '/apiKey': 'k' },
    errors: { '/name': 'The tool needs one.', '/apiKey': 'Too short.' },
    sensitive: ['/apiKey'],
    remarks: ['This looks as if a secret was wanted.'],
  };

  test('names the server, warns at the field that looks like a secret, and speaks of no tool', () => {
    const { fields, ...view } = formView(asked);
    assert.deepEqual(view, {
      title: 'The server "files" asks',
      message: 'Who are you?',
      remarks: ['This looks as if a secret was wanted.'],
      noFields: 'It only wants your consent.',
      values: { '/name': '', '/apiKey': 'k' },
      errors: { '/name': 'This needs an answer.', '/apiKey': 'Too short.' },
      accept: 'Submit',
      decline: 'Decline',
    });
    assert.deepEqual(
      fields.map(({ description }) => description),
      ['Yours', 'This looks like a secret. Servers must not ask for one in a form: decline if in doubt.'],
    );
  });
});

suite('What the page of a question sends', () => {
  test('is taken only when it is understood', () => {
    const read = [
      { type: 'ready' },
      { type: 'accept', values: { '/a': 'x', '/b': true, '/c': ['1'] } },
      { type: 'accept', values: { '/a': 5 } },
      { type: 'accept' },
      { type: 'delete' },
      null,
      'ready',
    ].map(decodeFromQuestionPage);
    assert.deepEqual(read, [
      { type: 'ready' },
      { type: 'accept', values: { '/a': 'x', '/b': true, '/c': ['1'] } },
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
