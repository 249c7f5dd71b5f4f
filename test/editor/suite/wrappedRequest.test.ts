import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { FakeModelApi } from '../../extensions/fakeModel/api.ts';
import { HostError, type ModelUseRecord, type OpenInference } from '../../../src/core/index.ts';
import { type WrappedRequest, type WrapTools, runWrapped } from '../../../src/editor/hooks/wrappedRequest.ts';
import { TurnCounter } from '../../../src/editor/hooks/wrapTurns.ts';
import { eventually } from './eventually.ts';
import { fakeModel, selectFake } from './fakeModel.ts';

const withheld = new HostError('ANSWER_WITHHELD', 'The server "guard" must see it.', {
  layer: 'policy',
  suggestion: 'Start it.',
});
const broken = new HostError('INTERNAL', 'Broken.', { layer: 'host' });

/** One request to the fake model, with scripted hooks. */
suite('A request with hooks around it', () => {
  let model: FakeModelApi;
  let shown: string[];
  let abandoned: number;
  let used: ModelUseRecord[];
  let opened: number;

  setup(async () => {
    model = await fakeModel();
    [shown, used, abandoned, opened] = [[], [], 0, 0];
  });

  const inference = (changes: Partial<OpenInference>): OpenInference => ({
    inferenceId: 'inf_1',
    context: [],
    injectedBy: [],
    remarks: [],
    isChecked: true,
    finish: async ({ text }) => ({ text, modifiedBy: [], remarks: [] }),
    abandon: () => void abandoned++,
    ...changes,
  });

  const run = async (open: () => Promise<OpenInference>, initiator = 'somebody.else'): Promise<string> => {
    const tools: WrapTools = {
      host: {
        openInference: () => {
          opened++;
          return open();
        },
        modelUses: {
          record: (use: ModelUseRecord) => void used.push(use),
        } as unknown as WrapTools['host']['modelUses'],
      },
      clock: { now: () => Date.now(), delay: () => ({ dispose: () => undefined }) },
      ids: { sha256: (text) => text },
      log: { log: () => undefined },
    };
    const request: WrappedRequest = {
      base: await selectFake(),
      messages: [vscode.LanguageModelChatMessage.User('Hello')],
      options: { toolMode: vscode.LanguageModelChatToolMode.Auto, ...{ requestInitiator: initiator } },
      progress: { report: (part) => void shown.push(part instanceof vscode.LanguageModelTextPart ? part.value : '?') },
      token: new vscode.CancellationTokenSource().token,
    };
    try {
      await runWrapped(tools, new TurnCounter(), request);
      return 'answered';
    } catch (error) {
      return error instanceof vscode.LanguageModelError ? `${error.code}: ${error.message}` : String(error);
    }
  };

  test('goes on where hooks fail', async () => {
    model.respondWith(['Hi.']);
    assert.equal(await run(() => Promise.reject(broken)), 'answered');
    assert.equal(await run(async () => inference({ finish: () => Promise.reject(broken) })), 'answered');
    assert.deepEqual(shown, ['Hi.', 'Hi.']);
    await eventually(
      async () => used.map(({ route, server, model: name, outcome, usage }) => [route, server, name, outcome, usage]),
      [
        ['wrapped', undefined, 'fake/sees', 'success', { inputTokens: 2, outputTokens: 1 }],
        ['wrapped', undefined, 'fake/sees', 'success', { inputTokens: 2, outputTokens: 1 }],
      ],
    );
  });

  test('is refused where a server must see every answer and cannot, before the model is asked', async () => {
    const words = 'Blocked: The server "guard" must see it. Start it.';
    assert.equal(await run(() => Promise.reject(withheld)), words);
    assert.deepEqual([shown, model.requests.length], [[], 0]);
    model.respondOnce(['secret']);
    assert.equal(await run(async () => inference({ finish: () => Promise.reject(withheld) })), words);
    assert.deepEqual(shown, []);
    assert.equal(abandoned, 1);
    await eventually(async () => used.map(({ outcome }) => outcome), ['failure', 'failure']);
  });

  test('of our own has no hooks, and is counted by whoever made it', async () => {
    model.respondOnce(['Hi.']);
    assert.equal(await run(() => Promise.reject(withheld), 'MCP-Live.mcp-live'), 'answered');
    assert.deepEqual([shown, opened, used], [['Hi.'], 0, []]);
  });
});
