import type { Json, JsonObject } from '../base/json.ts';
import { decodeInputRequired } from './envelope.ts';
import { metaOf, object } from './members.ts';
import { decodeCreatedTask, TASKS_EXTENSION } from './taskMessages.ts';

/** MCP 2026-07-28 "Multi round-trip requests", "Supported requests". */
const MAY_ASK = ['prompts/get', 'resources/read', 'tools/call'];

/** Why a request does not allow a result of this type. */
export function resultTypeProblem(
  type: Json,
  method: string,
  params: JsonObject,
  result: JsonObject,
): string | undefined {
  switch (type) {
    case 'complete':
      return undefined;
    case 'input_required': {
      if (!MAY_ASK.includes(method)) return `the answer asks for input, which "${method}" has no place for`;
      return decodeInputRequired(result) === undefined
        ? 'the answer asks for input in a form that is not understood'
        : undefined;
    }
    case 'task': {
      if (method !== 'tools/call' || !declaresTasks(params)) return 'the answer is a task, and none was offered';
      const decoded = decodeCreatedTask(result);
      return decoded.kind === 'invalid' ? decoded.why : undefined;
    }
    default:
      return `the answer is of a type that is not known: ${JSON.stringify(type).slice(0, 60)}`;
  }
}

/** Only the declaration in the request counts, because requests are stateless. */
function declaresTasks(params: JsonObject): boolean {
  const extensions = object(object(metaOf(params, 'clientCapabilities'))?.['extensions']);
  return extensions?.[TASKS_EXTENSION] !== undefined;
}
