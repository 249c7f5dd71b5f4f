import assert from 'node:assert/strict';
import {
  type SamplingContent,
  type SamplingQuestion,
  type SamplingRequest,
  schemaForm,
} from '../../../../src/core/index.ts';
import {
  answerForm,
  answerGist,
  answerValues,
  answerView,
  editedAnswer,
  type ModelAnswer,
  shortAnswer,
} from '../../../../src/editor/questions/answerForm.ts';
import { formView } from '../../../../src/editor/questions/elicitationView.ts';
import type { ModelCandidate } from '../../../../src/editor/models/modelPreference.ts';
import { lifetimeOf } from '../../../../src/editor/questions/questionFields.ts';
import {
  chosenModel,
  editedRequest,
  promptGist,
  samplingForm,
  samplingValues,
  samplingView,
  shortPrompt,
} from '../../../../src/editor/questions/samplingForm.ts';
import { unsendable } from '../../../../src/editor/questions/samplingPieces.ts';
import { decodeFromQuestionPage } from '../../../../src/webview/form/questionMessages.ts';

const MODELS: readonly ModelCandidate[] = [
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
  test('is shown completely, every text in its own field, and other content is described', () => {
    const form = samplingForm({ request: LONG, fingerprint: 'f' }, MODELS);
    const values = samplingValues({ request: LONG }, MODELS);
    assert.deepEqual(
      form.fields.map(({ label, id, kind }) => `${label} (${kind}): ${String(values[id])}`),
      [
        'Model (choice): 0',
        'Instructions to the model (text): Be brief.',
        'Message 1: User (text): What is this?',
        'Message 2: Assistant (text): A dot.',
        'Longest answer, in tokens (number): 100',
        'Remember my decision (choice): 0',
      ],
    );
    const view = samplingView({ server: 'fi\u202eles', request: LONG, remarks: ['Mind this.'] }, form, values);
    assert.deepEqual(
      [view.title, view.remarks],
      [
        'The server "files" wants to use a language model',
        [
          'Mind this.',
          'Content other than text is sent unchanged: 1 part.',
          'Not every model takes pictures, and the editor does not say which do.',
        ],
      ],
    );
    assert.deepEqual(view.blocks, [
      { kind: 'image', source: 'data:image/png;base64,AAAA', note: 'Image, image/png, 1 KB' },
    ]);
  });

  test('is sent as the user changed it; what was emptied is left out, and what is no text stays', () => {
    const values = samplingValues({ request: LONG }, MODELS);
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

suite('The decision about a prompt', () => {
  test('is remembered only of a server whose program is known', () => {
    const labels = (fingerprint: string | undefined): readonly string[] =>
      samplingForm({ request: request(), fingerprint }, MODELS).fields.map(({ label }) => label);
    assert.deepEqual(labels('f').at(-1), 'Remember my decision');
    assert.deepEqual(labels(undefined), ['Model', 'Prompt', 'Longest answer, in tokens']);
    assert.deepEqual(
      [{}, { '/remember': '0' }, { '/remember': '1' }, { '/remember': '2' }, { '/remember': '9' }].map(lifetimeOf),
      ['once', 'once', 'session', 'workspace', 'once'],
    );
  });

  test('shows the tools that the model may call, as the model reads them', () => {
    const tool = { name: 'dig', title: 'Dig', description: 'Digs.', inputSchema: { type: 'object' } };
    const asked = question({ tools: [tool] });
    const { blocks } = samplingView(asked, samplingForm(asked, MODELS), samplingValues(asked, MODELS));
    const text = '{\n  "description": "Digs.",\n  "inputSchema": {\n    "type": "object"\n  }\n}';
    assert.deepEqual(blocks, [{ kind: 'text', text, note: 'Tool dig of the server' }]);
  });

  test('cannot be that a model hears a sound, or sees a picture that the editor does not draw', () => {
    const holding = (type: 'image' | 'audio', mimeType: string): string | undefined =>
      unsendable(request({ messages: [{ role: 'user', content: [{ type, data: 'AAAA', mimeType }] }] }));
    assert.deepEqual(
      [holding('image', 'image/PNG'), holding('image', 'image/svg+xml'), holding('audio', 'audio/wav')],
      [
        undefined,
        'The language models of this editor take no pictures of the type image/svg+xml.',
        'The language models of this editor take text and pictures, and no sound.',
      ],
    );
  });
});

suite('The answer of a model', () => {
  const text = (said: string): SamplingContent => ({ type: 'text', text: said });
  const image: SamplingContent = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
  const use: SamplingContent = { type: 'tool_use', id: '1', name: 'dig', input: { deep: true } };
  const answer = (...content: readonly SamplingContent[]): ModelAnswer => ({
    question: { server: 'fi\u202eles', fingerprint: 'f' },
    model: 'Big One',
    result: { content, model: 'big-2', stopReason: 'endTurn' },
  });

  test('is shown whole before the server gets it: texts to be changed, the rest as it is', () => {
    const given = answer(text('One.'), image, text('Two.'), use);
    const form = answerForm(given);
    const values = answerValues(given);
    const { fields, blocks, ...view } = answerView(given, form, values);
    assert.deepEqual(
      fields.map(({ label, id }) => `${label}: ${String(values[id])}`),
      ['Part 1: One.', 'Part 2: Two.', 'Remember my decision: 0'],
    );
    assert.deepEqual(blocks, [
      { kind: 'image', source: 'data:image/png;base64,AAAA', note: 'Image, image/png, 1 KB' },
      { kind: 'text', text: '{\n  "deep": true\n}', note: 'Use of the tool dig' },
    ]);
    assert.deepEqual(view, {
      title: 'Big One answered the server "files"',
      message: 'This answer would be sent to the server. You can edit it first.',
      remarks: [],
      noFields: '',
      values,
      errors: {},
      accept: 'Send to Server',
      decline: 'Discard',
    });
  });

  test('is sent as the user changed it; what was emptied is left out, and what is no text stays', () => {
    const { result } = answer(text('One.'), image, text('Two.'), use);
    const changed = editedAnswer(result, { '/content/0': '', '/content/2': 'Three.', '/content/1': 'no text' });
    assert.deepEqual(changed, { ...result, content: [image, text('Three.'), use] });
    assert.deepEqual(editedAnswer(result, {}), result);
  });

  test('can be sent without a closer look only where the notification shows all of it', () => {
    const long = answer(text('x'.repeat(201))).result;
    assert.deepEqual(
      [answer(text('Hi.')).result, long, answer(text('a'), image).result, answer(use).result].map(shortAnswer),
      ['Hi.', undefined, undefined, undefined],
    );
    assert.deepEqual([answerGist(long).length, answerGist(answer(use).result)], [100, '']);
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
      blocks: [],
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
