import * as vscode from 'vscode';
import {
  type CancellationToken,
  isJsonObject,
  type JsonObject,
  type SamplingContent,
  type SamplingRequest,
  type SamplingResult,
} from '../../core/index.ts';
import { toJson } from '../shared/settingsJson.ts';
import { modelMessages } from './modelMessages.ts';

/** Runs a sampling request on a model of the editor. Rejects with the editor's error. */
export async function runModel(
  model: vscode.LanguageModelChat,
  server: string,
  request: SamplingRequest,
  token: CancellationToken,
): Promise<SamplingResult> {
  const source = new vscode.CancellationTokenSource();
  const cancel = token.onCancellationRequested(() => source.cancel());
  try {
    const justification = vscode.l10n.t('The server "{0}" asked for it.', server);
    const options = { justification, modelOptions: modelOptions(request), ...toolOptions(request) };
    const response = await model.sendRequest(modelMessages(request), options, source.token);
    return resultOf(model, request, await collect(response));
  } finally {
    cancel.dispose();
    source.dispose();
  }
}

/** Common option names. Providers ignore unknown ones. */
function modelOptions({ maxTokens, temperature, stopSequences }: SamplingRequest): Record<string, unknown> {
  return {
    max_tokens: maxTokens,
    ...(temperature === undefined ? {} : { temperature }),
    ...(stopSequences.length === 0 ? {} : { stop: [...stopSequences] }),
  };
}

function toolOptions({ tools, toolChoice }: SamplingRequest): Partial<vscode.LanguageModelChatRequestOptions> {
  if (tools.length === 0 || toolChoice === 'none') return {};
  return {
    tools: tools.map(({ name, title, description, inputSchema }) => ({
      name,
      description: description ?? title ?? name,
      inputSchema,
    })),
    toolMode:
      toolChoice === 'required' ? vscode.LanguageModelChatToolMode.Required : vscode.LanguageModelChatToolMode.Auto,
  };
}

interface Collected {
  readonly text: string;
  readonly calls: readonly vscode.LanguageModelToolCallPart[];
  readonly data: readonly vscode.LanguageModelDataPart[];
}

async function collect(response: vscode.LanguageModelChatResponse): Promise<Collected> {
  const texts: string[] = [];
  const calls: vscode.LanguageModelToolCallPart[] = [];
  const data: vscode.LanguageModelDataPart[] = [];
  for await (const part of response.stream) {
    if (part instanceof vscode.LanguageModelTextPart) texts.push(part.value);
    else if (part instanceof vscode.LanguageModelToolCallPart) calls.push(part);
    // Models exchange private data in other part types, which are not sent to servers.
    else if (part instanceof vscode.LanguageModelDataPart && part.mimeType.startsWith('image/')) data.push(part);
  }
  return { text: texts.join(''), calls, data };
}

function resultOf(
  model: vscode.LanguageModelChat,
  { stopSequences }: SamplingRequest,
  { text, calls, data }: Collected,
): SamplingResult {
  // Providers may ignore stop sequences, so cut the text at the first one.
  const stops = stopSequences.map((stop) => (stop === '' ? -1 : text.indexOf(stop))).filter((at) => at >= 0);
  const end = Math.min(text.length, ...stops);
  const said = text.slice(0, end);
  const images = data.map(({ data: bytes, mimeType }): SamplingContent => {
    return { type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType };
  });
  const uses = calls.map(({ callId, name, input }): SamplingContent => ({
    type: 'tool_use',
    id: callId,
    name,
    input: inputOf(input),
  }));
  const isEmpty = said === '' && images.length + uses.length > 0;
  const texts: readonly SamplingContent[] = isEmpty ? [] : [{ type: 'text', text: said }];
  const stopReason = uses.length > 0 ? 'toolUse' : stops.length > 0 ? 'stopSequence' : 'endTurn';
  return { content: [...texts, ...images, ...uses], model: model.id, stopReason };
}

function inputOf(input: object): JsonObject {
  const json = toJson(input);
  return isJsonObject(json) ? json : {};
}
