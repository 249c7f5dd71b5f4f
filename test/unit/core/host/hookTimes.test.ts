import assert from 'node:assert/strict';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import type { LanguageModel } from '../../../../src/core/index.ts';
import { settle } from '../../../support/fakeClock.ts';
import { initializeResult, NO_ANSWER, ScriptedServer } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';

const MODEL: LanguageModel = {
  facts: { id: 'm', vendor: 'v', contextWindow: 1_000, capabilities: [] },
  count: () => Promise.resolve(1),
  run: (_request, onText) => {
    onText('The answer.');
    return Promise.resolve({ kind: 'ended', finishReason: 'end_turn' });
  },
};

/** The duration of a turn whose server never answers its hook, and the remark. */
async function heldUp(use: string, contextHooks: JsonObject): Promise<readonly [number, readonly string[]]> {
  const t = new TestHost();
  const mcpl = { version: '0.2', contextHooks, featureSets: { hooks: { description: 'Hooks.', uses: [use] } } };
  t.connect = () =>
    new ScriptedServer({
      initialize: () => initializeResult({ capabilities: { experimental: { mcpl } } }),
      'context/beforeInference': () => NO_ANSWER,
      'context/afterInference': () => NO_ANSWER,
    });
  await t.user({ a: { command: 'x', enabled: true, featureSets: { enabled: ['hooks'] } } });
  const beganAt = t.clock.now();
  let endedAt = Infinity;
  const turn = t.host
    .runTurn({
      conversationId: 'c',
      turnIndex: 0,
      userMessage: 'Hello',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
      model: MODEL,
      justification: 'A test asks.',
    })
    .finally(() => {
      endedAt = t.clock.now();
    });
  await settle();
  for (let seconds = 0; seconds < 40 && endedAt === Infinity; seconds++) await t.clock.advance(1_000);
  const { remarks } = await turn;
  await t.host.close();
  return [endedAt - beganAt, remarks];
}

suite('Hooks of which settings say nothing', () => {
  test('MCPL §10.6: are waited for five seconds before a model is asked, and ten after it has answered', async () => {
    assert.deepEqual(await heldUp('contextHooks.beforeInference', { beforeInference: true }), [
      5_000,
      ['"a" did not answer in time; the turn goes on without its context.'],
    ]);
    assert.deepEqual(await heldUp('contextHooks.afterInference', { afterInference: { blocking: true } }), [
      10_000,
      ['"a" did not check the answer: it did not answer in time.'],
    ]);
  });
});
