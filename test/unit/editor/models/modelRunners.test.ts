import assert from 'node:assert/strict';
import type { ModelRunner } from '../../../../media/mcp-live.d.ts';
import {
  CancellationSource,
  NO_CANCELLATION,
  type ModelRequest,
  type ModelRunEnd,
} from '../../../../src/core/index.ts';
import { type AddedRunner, ModelRunners } from '../../../../src/editor/models/modelRunners.ts';
import { chooseRunner, RunnerModel } from '../../../../src/editor/models/runnerModel.ts';

const ACME = { id: 'acme.tools', name: 'Acme' };
const REQUEST: ModelRequest = {
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'resource_link', uri: 'file:///a', name: 'a' },
      ],
    },
  ],
  maxTokens: 7,
  justification: 'A test.',
};

const runner = (rest: Partial<ModelRunner> = {}): ModelRunner => ({
  extensionId: ACME.id,
  name: 'Acme One',
  maxInputTokens: 100,
  run: () => Promise.resolve(),
  ...rest,
});
const added = (id: string, rest: Partial<ModelRunner> = {}): AddedRunner => {
  const given = runner(rest);
  return { id, by: ACME, name: given.name, maxInputTokens: given.maxInputTokens, runner: given };
};
const run = async (
  rest: Partial<ModelRunner>,
  token = NO_CANCELLATION,
): Promise<{ readonly text: string; readonly end: ModelRunEnd }> => {
  let text = '';
  const end = await new RunnerModel(added('one', rest)).run(REQUEST, (delta) => (text += delta), token);
  return { text, end };
};
const failed = (why: string): ModelRunEnd => ({
  kind: 'failed',
  reason: 'failed',
  message: `The language model "Acme One" of the extension "Acme" (acme.tools) failed: ${why}. Ask again, or choose another model.`,
});

suite('A model of another extension', () => {
  test('is chosen by its name, and without one only where the editor has none', () => {
    const all = [added('small', { name: 'Acme Small' }), added('large', { name: 'Acme Large' })];
    const chosen = (wanted: string, editorModels: number): string | undefined =>
      chooseRunner(all, wanted, editorModels)?.id;
    assert.deepEqual(
      [chosen('', 1), chosen('', 0), chosen('large', 1), chosen('acme.tools/large', 1), chosen('gpt', 0)],
      [undefined, 'small', 'large', 'large', undefined],
    );
  });

  test('is given what is asked in its own copy, and its pieces are passed on', async () => {
    const seen: unknown[] = [];
    const answer = await run({
      run: async (messages, onText, _token, options) => {
        seen.push(messages, options);
        onText('One ');
        onText('two');
      },
    });
    assert.deepEqual(answer, { text: 'One two', end: { kind: 'ended', finishReason: 'end_turn' } });
    assert.deepEqual(seen, [
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image', data: 'AAAA', mimeType: 'image/png' },
            { type: 'text', text: '[a](file:///a)' },
          ],
        },
      ],
      { maxTokens: 7, temperature: undefined },
    ]);
  });

  test('that throws, now or later, fails in the name of its extension', async () => {
    const now = await run({
      run: () => {
        throw new Error('No power.');
      },
    });
    assert.deepEqual(now.end, failed('No power'));
    assert.deepEqual((await run({ run: () => Promise.reject(new Error('Later')) })).end, failed('Later'));
  });

  test('whose pieces are no text, or never end, fails too', async () => {
    const garbage: unknown = { evil: true };
    const odd = await run({
      run: async (_messages, onText) => {
        onText('ok');
        onText(garbage as string);
        onText('unheard');
      },
    });
    assert.deepEqual(odd, { text: 'ok', end: failed('a piece of its answer is no text') });
    const endless = await run({
      run: async (_messages, onText, token) => {
        while (!token.isCancellationRequested) onText('x'.repeat(1_000_000));
      },
    });
    assert.deepEqual([endless.text.length, endless.end], [4_000_000, failed('its answer does not end')]);
  });

  test('that never answers ends with the request, knows of it, and is not heard any more', async () => {
    const source = new CancellationSource();
    let told = false;
    let late: (delta: string) => void = () => undefined;
    const running = run(
      {
        run: (_messages, onText, token) => {
          late = onText;
          token.onCancellationRequested(() => (told = true));
          return new Promise(() => undefined);
        },
      },
      source.token,
    );
    source.cancel();
    const { text, end } = await running;
    late('late');
    assert.deepEqual([text, told, end.kind === 'failed' && end.reason], ['', true, 'cancelled']);
  });

  test('counts tokens, or assumes four characters per token', async () => {
    const count = (rest: Partial<ModelRunner>): Promise<number> =>
      new RunnerModel(added('one', rest), 5).count('12345678', NO_CANCELLATION);
    const odd: unknown = 'many';
    assert.deepEqual(
      [
        await count({}),
        await count({ count: () => 3 }),
        await count({ count: () => Promise.reject(new Error('x')) }),
        await count({ count: () => odd as number }),
        await count({ count: () => -1 }),
        await count({ count: () => new Promise<number>(() => undefined) }),
      ],
      [2, 3, 2, 2, 2, 2],
    );
  });

  test('is added under an id of its extension, and leaves when it is disposed', () => {
    const runners = new ModelRunners();
    let changes = 0;
    runners.onDidChange(() => changes++);
    const first = runners.add('one', runner(), ACME);
    runners.add('one', runner(), { id: 'other.one', name: 'Other' });
    const refused = (id: string, rest: Partial<ModelRunner> = {}): string => {
      try {
        runners.add(id, runner(rest), ACME);
        return 'added';
      } catch (error) {
        return String(error);
      }
    };
    const start = 'HostError: The model of acme.tools was not added: ';
    assert.deepEqual(
      [refused('one'), refused('a b'), refused('x', { name: ' ' }), refused('x', { maxInputTokens: 0.5 })],
      [
        `${start}the id "one" is taken.`,
        `${start}its id must be letters, digits, ".", "_" and "-", at most 64.`,
        `${start}its name must have 1 to 100 characters.`,
        `${start}its "maxInputTokens" must be a whole number above 0.`,
      ],
    );
    first.dispose();
    first.dispose();
    assert.deepEqual([runners.all.map(({ by }) => by.id), changes], [['other.one'], 3]);
    runners.dispose();
  });
});
