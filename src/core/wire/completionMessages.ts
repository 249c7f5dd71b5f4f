import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Completion, CompletionRequest } from '../model/completion.ts';
import { count, type Decoded, invalid, ok, texts } from './members.ts';

/** MCP "Completion": the maximum per answer. */
const MAX_VALUES = 100;

/** The params of `completion/complete`. `context` exists since MCP 2025-06-18 and is not sent to older servers. */
export function encodeCompletion(request: CompletionRequest, rules: { readonly context: boolean }): JsonObject {
  const { reference, argument, settled } = request;
  const ref =
    reference.kind === 'prompt'
      ? { type: 'ref/prompt', name: reference.name }
      : { type: 'ref/resource', uri: reference.uriTemplate };
  const base = { ref, argument: { name: argument.name, value: argument.value } };
  return rules.context && Object.keys(settled).length > 0 ? { ...base, context: { arguments: settled } } : base;
}

export function decodeCompletion(result: Json): Decoded<Completion> {
  const completion = isJsonObject(result) ? result['completion'] : undefined;
  if (!isJsonObject(completion) || !isJsonArray(completion['values']))
    return invalid('the answer holds no values to choose from');
  const all = texts(completion['values']);
  const total = count(completion['total']);
  const values = all.slice(0, MAX_VALUES);
  const isCut = all.length > values.length || (total !== undefined && total > values.length);
  return ok({ values, total, hasMore: completion['hasMore'] === true || isCut });
}
