import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { FinishReason, ModelFacts, ModelMessage, Usage } from '../../model/inference.ts';
import { number } from '../members.ts';
import { sizeOf } from '../../model/content.ts';
import { decodeBlocks, idIn, MAX_CHARACTERS } from './blocks.ts';
import { type DecodedParams, type InvalidParams, wrong } from './mcplErrors.ts';

/** The params of `inference/request` (MCPL §11.2) without the feature set, which is checked earlier. */
export interface InferenceParams {
  readonly conversationId: string | undefined;
  readonly stream: boolean;
  readonly messages: readonly ModelMessage[];
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
}

const MAX_ID = 512;
const MAX_MESSAGES = 1_000;

export function decodeInferenceRequest(params: JsonObject): DecodedParams<InferenceParams> {
  const decoded = decodeMessages(params['messages']);
  if ('kind' in decoded) return decoded;
  const preferences = params['preferences'] ?? {};
  if (!isJsonObject(preferences)) return wrong('preferences', 'an object');
  const maxTokens = numberIn(preferences['maxTokens']);
  if (maxTokens === 'wrong' || (maxTokens ?? 1) < 1) return wrong('preferences.maxTokens', 'a number of at least 1');
  const temperature = numberIn(preferences['temperature']);
  if (temperature === 'wrong' || (temperature ?? 0) < 0)
    return wrong('preferences.temperature', 'a number of at least 0');
  const value: InferenceParams = {
    conversationId: idIn(params['conversationId'], MAX_ID),
    stream: params['stream'] === true,
    messages: decoded.messages,
    maxTokens: maxTokens === undefined ? undefined : Math.floor(Math.min(maxTokens, Number.MAX_SAFE_INTEGER)),
    temperature,
  };
  return { kind: 'ok', value };
}

/** A limit must not be dropped silently, so an unreadable one is an error. */
function numberIn(value: Json | undefined): number | undefined | 'wrong' {
  return value === undefined || value === null ? undefined : (number(value) ?? 'wrong');
}

function decodeMessages(value: Json | undefined): InvalidParams | { readonly messages: readonly ModelMessage[] } {
  if (!isJsonArray(value) || value.length === 0 || value.length > MAX_MESSAGES)
    return wrong('messages', `a list of 1 to ${MAX_MESSAGES} messages`);
  const messages: ModelMessage[] = [];
  let size = 0;
  for (const [index, item] of value.entries()) {
    const message = decodeMessage(item, `messages[${index}]`);
    if ('kind' in message) return message;
    size += sizeOf(message.content);
    if (size > MAX_CHARACTERS) return wrong('messages', 'at most 4 MB of text and data');
    messages.push(message);
  }
  return { messages };
}

/** MCPL §11.2 leaves `Message` open. Servers send a text, a block or a list of blocks. */
function decodeMessage(value: Json, field: string): InvalidParams | ModelMessage {
  if (!isJsonObject(value)) return wrong(field, 'an object');
  const { role } = value;
  if (role !== 'user' && role !== 'assistant') return wrong(`${field}.role`, '"user" or "assistant"');
  const content = decodeBlocks(value['content'], { allowText: true });
  return content === undefined
    ? wrong(`${field}.content`, 'a text, a content block or a list of them')
    : { role, content };
}

interface InferenceAnswer {
  readonly content: string;
  readonly model: string;
  readonly finishReason: FinishReason;
  readonly usage: Usage;
}

/** The answer to `inference/request` (MCPL §11.3). */
export function encodeInferenceResult({ content, model, finishReason, usage }: InferenceAnswer): JsonObject {
  return { content, model, finishReason, usage: encodeUsage(usage) };
}

/** The params of `inference/chunk` (MCPL §11.4). `requestId` is the unchanged id of the request. */
export function encodeChunk(requestId: string | number, index: number, delta: string): JsonObject {
  return { requestId, index, delta };
}

/** The answer to `model/info` (MCPL §12.2). Hooks receive the same facts. */
export function encodeModelInfo({ id, vendor, contextWindow, capabilities }: ModelFacts): JsonObject {
  return { id, vendor, contextWindow, capabilities };
}

export function encodeUsage({ inputTokens, outputTokens }: Usage): JsonObject {
  return { inputTokens, outputTokens };
}
