import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { decodeCompletion } from './completionMessages.ts';
import { type Decoded, isId, number, object, text } from './members.ts';
import { decodeElicitation } from './elicitation.ts';
import { decodeLogMessage } from './logging.ts';
import { listIn } from './page.ts';
import { decodePromptResult } from './prompts.ts';
import type { Traits } from './revision.ts';
import { decodeSamplingRequest } from './sampling.ts';
import { decodeTask } from './taskMessages.ts';

/** Why params or results are unusable. Only members that the host needs are checked. */
export type ParamsCheck = (params: JsonObject, traits: Traits) => string | undefined;
type ResultCheck = (result: Json, traits: Traits) => string | undefined;

/** Requests and inputs from a server. Methods without checks are absent. */
export const REQUEST_CHECKS: ReadonlyMap<string, ParamsCheck> = new Map<string, ParamsCheck>([
  [
    'sampling/createMessage',
    // The sampling feature checks whether tools were declared.
    (params, { samplingTools }) =>
      whyOf(decodeSamplingRequest(params, { tools: samplingTools ? 'declared' : 'unknown' })),
  ],
  ['elicitation/create', (params, { elicitation }) => whyOf(decodeElicitation(params, elicitation))],
  ['tasks/cancel', needsTaskId],
  ['tasks/get', needsTaskId],
  ['tasks/result', needsTaskId],
]);

export const NOTIFICATION_CHECKS: ReadonlyMap<string, ParamsCheck> = new Map<string, ParamsCheck>([
  // MCP 2025-11-25: the notification may name a task instead.
  [
    'notifications/cancelled',
    ({ requestId }, { tasks }) => needs(isId(requestId) || (tasks === 'core' && requestId === undefined), 'requestId'),
  ],
  [
    'notifications/progress',
    ({ progressToken, progress }) =>
      needs(isId(progressToken), 'progressToken') ?? needs(number(progress) !== undefined, 'progress'),
  ],
  ['notifications/message', (params) => whyOf(decodeLogMessage(params))],
  ['notifications/resources/updated', ({ uri }) => needs(typeof uri === 'string', 'uri')],
  [
    'notifications/elicitation/complete',
    ({ elicitationId }) => needs(typeof elicitationId === 'string', 'elicitationId'),
  ],
  ['notifications/tasks/status', (params) => whyOf(decodeTask(params))],
  ['notifications/tasks', (params) => whyOf(decodeTask(params))],
  [
    'notifications/subscriptions/acknowledged',
    ({ notifications }) => needs(isJsonObject(notifications), 'notifications'),
  ],
]);

/**
 * Answers to requests of the host. `tools/call` is absent because its results are accepted in every historical shape.
 */
export const RESULT_CHECKS: ReadonlyMap<string, ResultCheck> = new Map<string, ResultCheck>([
  ['initialize', (result) => needs(text(object(result)?.['protocolVersion']) !== undefined, 'protocolVersion')],
  ['server/discover', (result) => needs(isJsonArray(object(result)?.['supportedVersions']), 'supportedVersions')],
  ['tools/list', needsList('tools', 'tools')],
  ['prompts/list', needsList('prompts', 'prompts')],
  ['resources/list', needsList('resources', 'resources')],
  ['resources/templates/list', needsList('resourceTemplates', 'resource templates')],
  [
    'resources/read',
    (result) => (listIn(result, 'contents') === undefined ? 'the answer holds no contents' : undefined),
  ],
  ['prompts/get', (result) => whyOf(decodePromptResult(result))],
  ['completion/complete', (result) => whyOf(decodeCompletion(result))],
  ['tasks/get', (result) => whyOf(decodeTask(result))],
  ['tasks/list', needsList('tasks', 'tasks')],
]);

function needsTaskId({ taskId }: JsonObject): string | undefined {
  return needs(typeof taskId === 'string', 'taskId');
}

function needs(isThere: boolean, member: string): string | undefined {
  return isThere ? undefined : `it has no usable "${member}"`;
}

function needsList(member: string, many: string): ResultCheck {
  return (result) => (listIn(result, member) === undefined ? `the answer holds no list of ${many}` : undefined);
}

function whyOf(decoded: Decoded<unknown>): string | undefined {
  return decoded.kind === 'invalid' ? decoded.why : undefined;
}
