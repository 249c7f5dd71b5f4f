import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { blocksOf, decodeBlock } from '../model/content.ts';
import type {
  ModelPreferences,
  SamplingContent,
  SamplingMessage,
  SamplingRequest,
  SamplingResult,
  SamplingTool,
} from '../model/inputs.ts';
import { type Decoded, invalid, list, number, object, ok, relatedTask, text, texts } from './members.ts';

export interface SamplingRules {
  /**
   * `declared`: the host declared `sampling.tools`. `refused`: the revision has them, but the host did not declare
   * them. `unknown`: the revision has no tools in sampling, so the members are ignored.
   */
  readonly tools: 'declared' | 'refused' | 'unknown';
}

/** The params of `sampling/createMessage`. */
export function decodeSamplingRequest(params: JsonObject, rules: SamplingRules): Decoded<SamplingRequest> {
  const { messages, maxTokens } = params;
  if (!isJsonArray(messages)) return invalid('its "messages" are not a list');
  if (typeof maxTokens !== 'number' || !(maxTokens > 0)) return invalid('its "maxTokens" is not a number above zero');
  const problem = toolsProblem(params, rules);
  if (problem !== undefined) return invalid(problem);
  const decoded = messages.map(decodeMessage);
  const wrong = decoded.findIndex((message) => message === undefined);
  if (wrong >= 0) return invalid(`message ${wrong + 1} has no role or no content`);
  const all = decoded.filter((message) => message !== undefined);
  const unpaired = rules.tools === 'unknown' ? undefined : pairingProblem(all);
  if (unpaired !== undefined) return invalid(unpaired);
  const hasTools = rules.tools === 'declared';
  return ok({
    messages: all,
    systemPrompt: text(params['systemPrompt']),
    maxTokens: Math.floor(Math.min(maxTokens, Number.MAX_SAFE_INTEGER)) || 1,
    temperature: number(params['temperature']),
    stopSequences: texts(params['stopSequences']),
    preferences: decodePreferences(params['modelPreferences']),
    includeContext: decodeContext(params['includeContext']),
    tools: hasTools ? list(params['tools']).flatMap(decodeTool) : [],
    toolChoice: hasTools ? decodeChoice(params['toolChoice']) : 'auto',
    metadata: object(params['metadata']),
    relatedTask: relatedTask(params),
    raw: params,
  });
}

function toolsProblem({ tools, toolChoice }: JsonObject, rules: SamplingRules): string | undefined {
  // MCP 2025-11-25 "Sampling": an error, so that a server does not rely on tools that the model never got.
  if (rules.tools === 'refused' && (tools !== undefined || toolChoice !== undefined))
    return 'it brings tools, and this host did not declare "sampling.tools"';
  if (rules.tools === 'declared' && tools !== undefined && !isJsonArray(tools)) return 'its "tools" are not a list';
  return undefined;
}

function decodeMessage(value: Json): SamplingMessage | undefined {
  if (!isJsonObject(value)) return undefined;
  const { role, content } = value;
  if ((role !== 'user' && role !== 'assistant') || content === undefined || content === null) return undefined;
  return { role, content: contentOf(content) };
}

function contentOf(content: Json): readonly SamplingContent[] {
  if (isJsonArray(content)) return content.map(decodePiece);
  return typeof content === 'string' ? blocksOf(content) : [decodePiece(content)];
}

function decodePiece(value: Json): SamplingContent {
  if (!isJsonObject(value)) return decodeBlock(value);
  const { type, id, name, input, toolUseId } = value;
  if (type === 'tool_use' && typeof id === 'string' && typeof name === 'string')
    return { type, id, name, input: object(input) ?? {} };
  if (type === 'tool_result' && typeof toolUseId === 'string') {
    const content = blocksOf(value['content']);
    return { type, toolUseId, content, structured: value['structuredContent'], isError: value['isError'] === true };
  }
  return decodeBlock(value);
}

function decodeTool(value: Json): readonly SamplingTool[] {
  if (!isJsonObject(value) || typeof value['name'] !== 'string') return [];
  const inputSchema = object(value['inputSchema']) ?? { type: 'object' };
  const { name, title, description } = value;
  return [{ name, title: text(title), description: text(description), inputSchema }];
}

function decodePreferences(value: Json | undefined): ModelPreferences {
  const preferences = object(value) ?? {};
  return {
    hints: list(preferences['hints']).flatMap((hint) => text(object(hint)?.['name']) ?? []),
    cost: number(preferences['costPriority']),
    speed: number(preferences['speedPriority']),
    intelligence: number(preferences['intelligencePriority']),
  };
}

function decodeContext(value: Json | undefined): SamplingRequest['includeContext'] {
  return value === 'thisServer' || value === 'allServers' ? value : 'none';
}

function decodeChoice(value: Json | undefined): SamplingRequest['toolChoice'] {
  const mode = object(value)?.['mode'];
  return mode === 'required' || mode === 'none' ? mode : 'auto';
}

/** The answer to `sampling/createMessage`. Lists of contents exist since MCP 2025-11-25. */
export function encodeSamplingResult(
  { content, model, stopReason }: SamplingResult,
  rules: { readonly lists: boolean },
): JsonObject {
  const pieces = content.map(encodePiece);
  const [only, ...more] = pieces;
  const whole = only !== undefined && (more.length === 0 || !rules.lists) ? single(pieces, only) : pieces;
  const result = { role: 'assistant', content: only === undefined ? { type: 'text', text: '' } : whole, model };
  return stopReason === undefined ? result : { ...result, stopReason };
}

function single(pieces: readonly JsonObject[], only: JsonObject): JsonObject {
  const said = pieces.flatMap((piece) => (piece['type'] === 'text' ? (text(piece['text']) ?? []) : []));
  return said.length === pieces.length && said.length > 1 ? { type: 'text', text: said.join('\n') } : only;
}

function encodePiece(piece: SamplingContent): JsonObject {
  switch (piece.type) {
    case 'text':
      return { type: 'text', text: piece.text };
    case 'image':
    case 'audio':
      return { type: piece.type, data: piece.data, mimeType: piece.mimeType };
    case 'tool_use':
      return { type: 'tool_use', id: piece.id, name: piece.name, input: piece.input };
    default:
      return { type: 'text', text: JSON.stringify(piece) };
  }
}

/**
 * MCP 2025-11-25 "Tool use in sampling": the user's next message must answer all tool calls of an assistant message,
 * and contain nothing else. Models reject other conversations.
 */
function pairingProblem(messages: readonly SamplingMessage[]): string | undefined {
  let open: ReadonlySet<string> = new Set();
  for (const [index, { role, content }] of messages.entries()) {
    const at = `message ${index + 1}`;
    const answered = resultsOf(content);
    if (answered.length > 0 && role !== 'user') return `${at} holds the result of a tool, and is not the user's`;
    if (answered.length > 0 && answered.length < content.length)
      return `${at} holds results of tools beside other content`;
    if (new Set(answered).size !== answered.length || !sameMembers(open, answered))
      return open.size > answered.length
        ? `${at} does not answer every use of a tool before it`
        : `${at} answers a use of a tool that is not in the message before it`;
    const asked = usesOf(content);
    if (asked.length > 0 && role !== 'assistant') return `${at} uses a tool, and is not the assistant's`;
    open = new Set(asked);
    if (open.size !== asked.length) return `${at} uses two tools under one id`;
  }
  return open.size > 0 ? 'the last message uses a tool and nothing answers it' : undefined;
}

function resultsOf(content: readonly SamplingContent[]): readonly string[] {
  return content.flatMap((piece) => (piece.type === 'tool_result' ? piece.toolUseId : []));
}

function usesOf(content: readonly SamplingContent[]): readonly string[] {
  return content.flatMap((piece) => (piece.type === 'tool_use' ? piece.id : []));
}

function sameMembers(open: ReadonlySet<string>, answered: readonly string[]): boolean {
  return open.size === answered.length && answered.every((id) => open.has(id));
}
