import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/index.ts';
import { type McplCase, mcplCases, type McplScript, NO_ANSWER, set } from './mcplCase.ts';

const BEFORE = 'context/beforeInference';
const MODEL = { id: 'case-model', vendor: 'case', contextWindow: 8_000, capabilities: ['text'] };
const EVERYWHERE = ['system', 'beforeUser', 'afterUser'];

function injection(position: string, content: Json, namespace = 'memory'): JsonObject {
  return { namespace, position, content };
}

/** A server with memory. `result` is its answer to a request for context. */
function memory(result: () => Json | typeof NO_ANSWER | Promise<Json>, entry: JsonObject = {}): McplScript {
  return {
    sets: { recall: set('contextHooks.beforeInference'), other: set('contextHooks.beforeInference') },
    mcpl: { contextHooks: { beforeInference: true } },
    answers: { [BEFORE]: () => result() },
    entry: { featureSets: { enabled: ['recall'] }, hooks: { positions: EVERYWHERE, beforeTimeoutMs: 3_000 }, ...entry },
  };
}

/** The requests for context as text. */
function asked(opened: McplCase, id?: string): readonly string[] {
  const sent = opened.life(id).sent(BEFORE);
  for (const message of sent) assert.ok('id' in message, 'It is a request.');
  return sent.map(({ params }) => opened.named(JSON.stringify(params)));
}

mcplCases('hooks before a model is asked', (open) => {
  test('MCPL §10.1, §10.4: a server gets each turn, and its context reaches the model at its position', async () => {
    const text = 'The user likes tea.';
    const contents: Json[] = [text, [{ type: 'text', text }], { type: 'text', text }];
    const opened = await open({
      server: memory(() => {
        const content = contents.shift() ?? '';
        return { featureSet: 'recall', contextInjections: EVERYWHERE.map((position) => injection(position, content)) };
      }),
    });
    const first = await opened.turn('What do I drink?');
    await opened.turn('What do I drink?', { turnIndex: 1 });
    await opened.turn('What do I drink?', { turnIndex: 2, userMessage: null });
    const turn = (inferenceId: string, turnIndex: number, userMessage: string | null): string =>
      JSON.stringify({ inferenceId, conversationId: 'conversation-1', turnIndex, userMessage, model: MODEL });
    // The model continues without a new message.
    assert.deepEqual(asked(opened), [
      turn('inf#1', 0, 'What do I drink?'),
      turn('inf#2', 1, 'What do I drink?'),
      turn('inf#3', 2, null),
    ]);
    const context = 'user: <context server="case" namespace="memory">\nThe user likes tea.\n</context>';
    const prompt = [context, context, 'user: What do I drink?', context].join('\n');
    // A text equals a single block with that text.
    assert.deepEqual(opened.model.prompts, [prompt, prompt, prompt]);
    assert.deepEqual(
      { ...first, inferenceId: opened.named(first.inferenceId) },
      {
        inferenceId: 'inf#1',
        text: 'The answer.',
        model: MODEL,
        usage: { inputTokens: 28, outputTokens: 2 },
        finishReason: 'end_turn',
        injectedBy: EVERYWHERE.map((position) => ({ server: 'case', namespace: 'memory', position })),
        modifiedBy: [],
        remarks: [],
      },
    );
    assert.deepEqual(await opened.audit(BEFORE), [
      'case context/beforeInference recall success inf#1: 3 of 3 injections used.',
      'case context/beforeInference recall success inf#2: 3 of 3 injections used.',
      'case context/beforeInference recall success inf#3: 3 of 3 injections used.',
    ]);
  });

  test('a server with no set on for the hook is not asked, whatever else of it is on', async () => {
    const server = memory(() => ({ contextInjections: [injection('beforeUser', 'Never.')] }));
    const opened = await open({
      server: {
        ...server,
        sets: { recall: set('contextHooks.beforeInference'), builds: set('pushEvents') },
        entry: { featureSets: { enabled: ['builds'] } },
      },
    });
    const told = opened.heard();
    const off = await opened.turn('Hello');
    await opened.enable('recall');
    await opened.turn('Hello');
    await opened.disable('recall');
    await opened.turn('Hello');
    await opened.life().caughtUp();
    assert.deepEqual([off.injectedBy, off.remarks, told.some((line) => line.includes('context/'))], [[], [], false]);
    assert.equal(asked(opened).length, 1);
    const context = 'user: <context server="case" namespace="memory">\nNever.\n</context>\n';
    assert.deepEqual(opened.model.prompts, ['user: Hello', `${context}user: Hello`, 'user: Hello']);
  });

  test('MCPL §6.5: what is added in the name of a set that is off or unknown is dropped, and the audit says so', async () => {
    const names = ['other', 'nobody', 'recall'];
    const opened = await open({
      server: memory(() => ({
        featureSet: names.shift() ?? '',
        contextInjections: [injection('beforeUser', 'From somebody.')],
      })),
    });
    const remarks: (readonly string[])[] = [];
    for (const turnIndex of [0, 1, 2]) remarks.push((await opened.turn('Hello', { turnIndex })).remarks);
    const why = (name: string): string => `it names the feature set "${name}", which has no part in this hook`;
    assert.deepEqual(remarks, [
      [`The context of "case" was not used: ${why('other')}.`],
      [`The context of "case" was not used: ${why('nobody')}.`],
      [],
    ]);
    const context = 'user: <context server="case" namespace="memory">\nFrom somebody.\n</context>\n';
    assert.deepEqual(opened.model.prompts, ['user: Hello', 'user: Hello', `${context}user: Hello`]);
    assert.deepEqual(await opened.audit(BEFORE), [
      `case context/beforeInference recall dropped inf#1: Not used: ${why('other')}.`,
      `case context/beforeInference recall dropped inf#2: Not used: ${why('nobody')}.`,
      'case context/beforeInference recall success inf#3: 1 of 1 injections used.',
    ]);
  });

  test('MCPL §10.6: a server that never answers holds a turn up no longer than it may, and its late answer is nothing', async () => {
    const hooks = { beforeTimeoutMs: 300 };
    const opened = await open({ server: memory(() => NO_ANSWER, { hooks }) });
    const beganAt = Date.now();
    const { text, remarks } = await opened.turn('Hello');
    const tookMs = Date.now() - beganAt;
    assert.ok(tookMs >= 290 && tookMs < 1_500, `The turn took ${tookMs} ms.`);
    const late = '"case" did not answer in time; the turn goes on without its context.';
    assert.deepEqual([text, remarks], ['The answer.', [late]]);
    const life = opened.life();
    const { id } = await life.until(BEFORE);
    await life.say({
      jsonrpc: '2.0',
      id: id ?? null,
      result: { contextInjections: [injection('beforeUser', 'Late.')] },
    });
    await life.caughtUp();
    opened.peer().answers[BEFORE] = () => ({ contextInjections: [injection('beforeUser', 'In time.')] });
    await opened.turn('Hello', { turnIndex: 1 });
    const context = 'user: <context server="case" namespace="memory">\nIn time.\n</context>\n';
    assert.deepEqual(opened.model.prompts, ['user: Hello', `${context}user: Hello`]);
    const cancelled = life
      .sent('notifications/cancelled')
      .map(({ params }) => isJsonObject(params) && params['requestId']);
    assert.deepEqual(cancelled, [id]);
    assert.deepEqual(await opened.audit(BEFORE), [
      'case context/beforeInference recall timeout inf#1: The server did not answer in time.',
      'case context/beforeInference recall success inf#2: 1 of 1 injections used.',
    ]);
  });

  test('MCPL §10.8: what two servers add is grouped by position, in the order of the servers, whoever answers first', async () => {
    let run = 0;
    const says = (name: string, isSlow: () => boolean) => async (): Promise<Json> => {
      if (isSlow()) await sleep(20);
      const both = EVERYWHERE.toReversed().flatMap((position) => ['1', '2'].map((nth) => [position, nth] as const));
      return {
        featureSet: 'recall',
        contextInjections: both.map(([position, nth]) => injection(position, `${position} ${nth}`, name)),
      };
    };
    const opened = await open({
      servers: {
        third: memory(
          says('c', () => run % 3 === 0),
          { hooks: { positions: EVERYWHERE, order: 1 } },
        ),
        first: memory(says('a', () => run % 2 === 0)),
        second: memory(says('b', () => run % 2 === 1)),
      },
    });
    for (run = 0; run < 10; run++) await opened.turn('Hello', { turnIndex: run });
    const part = (server: string, name: string, position: string): string[] =>
      ['1', '2'].map((nth) => `<context server="${server}" namespace="${name}">\n${position} ${nth}\n</context>`);
    const all = (position: string): string =>
      `user: ${[...part('first', 'a', position), ...part('second', 'b', position), ...part('third', 'c', position)].join('\n')}`;
    const prompt = [all('system'), all('beforeUser'), 'user: Hello', all('afterUser')].join('\n');
    assert.deepEqual(
      opened.model.prompts,
      Array.from({ length: 10 }, () => prompt),
    );
  });
});
