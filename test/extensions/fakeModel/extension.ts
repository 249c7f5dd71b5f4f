import * as vscode from 'vscode';
import { defaultAnswer } from './answers.ts';
import type {
  Answer,
  AnswerPart,
  FakeModelApi,
  Question,
  RecordedMessage,
  RecordedPart,
  RecordedRequest,
} from './api.ts';

const model = (id: string, imageInput: boolean, maxInputTokens: number): vscode.LanguageModelChatInformation => ({
  id,
  name: `Fake ${id}`,
  family: 'fake',
  version: '1',
  maxInputTokens,
  maxOutputTokens: 10_000,
  capabilities: { toolCalling: true, imageInput },
});

const recordPart = (part: unknown): RecordedPart => {
  if (part instanceof vscode.LanguageModelTextPart) return { kind: 'text', value: part.value };
  if (part instanceof vscode.LanguageModelToolCallPart)
    return { kind: 'toolCall', callId: part.callId, name: part.name, input: part.input };
  if (part instanceof vscode.LanguageModelToolResultPart)
    return { kind: 'toolResult', callId: part.callId, content: part.content.map(recordPart) };
  if (part instanceof vscode.LanguageModelDataPart)
    return { kind: 'data', mimeType: part.mimeType, base64: Buffer.from(part.data).toString('base64') };
  return { kind: 'unknown', value: part };
};

const recordMessage = (message: vscode.LanguageModelChatRequestMessage): RecordedMessage => {
  const roles = new Map<number, 'user' | 'assistant'>([
    [vscode.LanguageModelChatMessageRole.User, 'user'],
    [vscode.LanguageModelChatMessageRole.Assistant, 'assistant'],
  ]);
  return {
    role: roles.get(message.role) ?? message.role,
    ...(message.name === undefined ? {} : { name: message.name }),
    content: message.content.map(recordPart),
  };
};

const recordRequest = (
  id: string,
  messages: readonly vscode.LanguageModelChatRequestMessage[],
  options: vscode.ProvideLanguageModelChatResponseOptions,
): RecordedRequest => ({
  model: id,
  messages: messages.map(recordMessage),
  tools: (options.tools ?? []).map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  toolMode: options.toolMode === vscode.LanguageModelChatToolMode.Required ? 'required' : 'auto',
  modelOptions: options.modelOptions ?? {},
});

const USUAL_LIMIT = 100_000;
const allModels = (limit: number): vscode.LanguageModelChatInformation[] => [
  model('sees', true, limit),
  model('reads', false, limit),
];

class Script implements FakeModelApi {
  readonly requests: RecordedRequest[] = [];
  readonly #once: Answer[] = [];
  #always: Answer = defaultAnswer;
  readonly #arrival = new vscode.EventEmitter<void>();
  readonly #offered = new vscode.EventEmitter<void>();
  readonly onDidOffer = this.#offered.event;
  readonly lookups: object[] = [];
  #models = allModels(USUAL_LIMIT);

  get models(): vscode.LanguageModelChatInformation[] {
    return this.#models;
  }

  readonly hide = (): void => this.#offer([]);

  readonly limit = (maxInputTokens: number): void => this.#offer(allModels(maxInputTokens));

  vendor = 'fake';

  readonly chatWith = (vendor: string): void => {
    this.vendor = vendor;
  };

  readonly ask = async (question: Question): Promise<readonly RecordedPart[]> => {
    const { vendor, id, messages, options, token, onPart } = question;
    const [chosen] = await vscode.lm.selectChatModels({ vendor, ...(id === undefined ? {} : { id }) });
    if (chosen === undefined) throw new Error(`There is no model of "${vendor}".`);
    const parts: RecordedPart[] = [];
    const response = await chosen.sendRequest([...messages], options, token);
    for await (const part of response.stream) {
      const recorded = recordPart(part);
      parts.push(recorded);
      onPart?.(recorded);
    }
    return parts;
  };

  readonly respondWith = (answer: Answer): void => {
    this.#always = answer;
  };

  readonly respondOnce = (...answers: readonly Answer[]): void => {
    this.#once.push(...answers);
  };

  readonly reset = (): void => {
    this.requests.length = 0;
    this.#once.length = 0;
    this.#always = defaultAnswer;
    this.vendor = 'fake';
    this.lookups.length = 0;
    if (this.#models[0]?.maxInputTokens !== USUAL_LIMIT) this.limit(USUAL_LIMIT);
  };

  readonly #offer = (models: vscode.LanguageModelChatInformation[]): void => {
    this.#models = models;
    this.#offered.fire();
  };

  readonly arrived = async (count: number): Promise<void> => {
    while (this.requests.length < count)
      await new Promise<void>((done) => vscode.Disposable.from(this.#arrival.event(() => done())));
  };

  readonly take = (request: RecordedRequest): Answer => {
    this.requests.push(request);
    this.#arrival.fire();
    return this.#once.shift() ?? this.#always;
  };
}

const callIds = (function* () {
  for (let number = 1; ; number++) yield `fake-call-${number}`;
})();

const responsePart = (part: AnswerPart): vscode.LanguageModelResponsePart => {
  if (typeof part === 'string') return new vscode.LanguageModelTextPart(part);
  if ('call' in part)
    return new vscode.LanguageModelToolCallPart(callIds.next().value ?? '', part.call, part.input ?? {});
  return part;
};

class FakeProvider implements vscode.LanguageModelChatProvider {
  readonly #script: Script;

  readonly onDidChangeLanguageModelChatInformation: vscode.Event<void>;

  constructor(script: Script) {
    this.#script = script;
    this.onDidChangeLanguageModelChatInformation = script.onDidOffer;
  }

  provideLanguageModelChatInformation(): vscode.LanguageModelChatInformation[] {
    return this.#script.models;
  }

  async provideLanguageModelChatResponse(
    chosen: vscode.LanguageModelChatInformation,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    options: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const request = recordRequest(chosen.id, messages, options);
    const answer = this.#script.take(request);
    const parts = typeof answer === 'function' ? await answer(request, token) : answer;
    for await (const part of parts) {
      if (token.isCancellationRequested) return;
      progress.report(responsePart(part));
    }
  }

  async provideTokenCount(
    _model: vscode.LanguageModelChatInformation,
    text: string | vscode.LanguageModelChatRequestMessage,
  ): Promise<number> {
    const length = typeof text === 'string' ? text.length : JSON.stringify(recordMessage(text)).length;
    return Math.ceil(length / 4);
  }
}

/** A tool of the editor that prompts before it runs. */
const lookup = (script: Script): vscode.LanguageModelTool<object> => ({
  prepareInvocation: () => ({
    invocationMessage: 'Looking it up',
    confirmationMessages: { title: 'Look it up?', message: 'It is only a test.' },
  }),
  invoke: ({ input }) => {
    script.lookups.push(input);
    return new vscode.LanguageModelToolResult([
      new vscode.LanguageModelTextPart('Found it.'),
      vscode.LanguageModelDataPart.image(new Uint8Array([1, 2, 3]), 'image/png'),
    ]);
  },
});

const maxRounds = 8;

/**
 * A separate chat, because the editor's built-in agent needs an account. It offers tools of MCP servers and of their
 * host, and runs those that the model calls.
 */
const chatOf =
  (script: Script): vscode.ChatRequestHandler =>
  async (request, _context, stream, token) => {
    const messages = [vscode.LanguageModelChatMessage.User(request.prompt)];
    const tools = vscode.lm.tools
      .filter(({ name }) => /^mcpl?_/.test(name))
      .map(({ name, description, inputSchema }) => ({
        name,
        description,
        ...(inputSchema === undefined ? {} : { inputSchema }),
      }));
    const [chosen] = await vscode.lm.selectChatModels({ vendor: script.vendor });
    if (chosen === undefined) return;
    for (let round = 0; round < maxRounds; round++) {
      const calls: vscode.LanguageModelToolCallPart[] = [];
      const response = await chosen.sendRequest(messages, { tools }, token);
      for await (const part of response.stream) {
        if (part instanceof vscode.LanguageModelTextPart) stream.markdown(part.value);
        if (part instanceof vscode.LanguageModelToolCallPart) calls.push(part);
      }
      if (calls.length === 0) return;
      messages.push(vscode.LanguageModelChatMessage.Assistant(calls));
      for (const call of calls) {
        const result = await vscode.lm.invokeTool(
          call.name,
          { input: call.input, toolInvocationToken: request.toolInvocationToken },
          token,
        );
        messages.push(
          vscode.LanguageModelChatMessage.User([new vscode.LanguageModelToolResultPart(call.callId, result.content)]),
        );
      }
    }
  };

const showRequests = async (script: Script): Promise<void> => {
  const content = JSON.stringify(script.requests, undefined, 2);
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: 'json', content }));
};

export const activate = (context: vscode.ExtensionContext): FakeModelApi => {
  const script = new Script();
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider('fake', new FakeProvider(script)),
    vscode.chat.createChatParticipant('mcp-live-test.fake', chatOf(script)),
    vscode.lm.registerTool('fake_lookup', lookup(script)),
    vscode.commands.registerCommand('fakeModel.showRequests', () => showRequests(script)),
  );
  // The chat view offers no participant before a model is known.
  void vscode.lm.selectChatModels({ vendor: 'fake' }).then(undefined, () => undefined);
  return script;
};
