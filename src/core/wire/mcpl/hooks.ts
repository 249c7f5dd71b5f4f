import { cleanLine } from '../../base/cleanText.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { ContentBlock } from '../../model/content.ts';
import type { ModelFacts, Usage } from '../../model/inference.ts';
import { INJECTION_POSITIONS, type InjectionPosition } from '../../model/mcpl.ts';
import { object } from '../members.ts';
import { decodeBlocks, isWithin, MAX_CHARACTERS, nameIn } from './blocks.ts';
import { encodeModelInfo, encodeUsage } from './inferenceMessages.ts';

/** Facts that both hooks of one inference receive. */
export interface HookTurn {
  readonly inferenceId: string;
  readonly conversationId: string;
  readonly turnIndex: number;
  readonly userMessage: string | null;
  readonly model: ModelFacts;
}

export interface AnsweredTurn extends HookTurn {
  readonly assistantMessage: string;
  readonly usage: Usage;
}

/** The params of `context/beforeInference` (MCPL §10.1). */
export function encodeBefore({ inferenceId, conversationId, turnIndex, userMessage, model }: HookTurn): JsonObject {
  return { inferenceId, conversationId, turnIndex, userMessage, model: encodeModelInfo(model) };
}

/** The params of `context/afterInference` (MCPL §10.5). */
export function encodeAfter(turn: AnsweredTurn): JsonObject {
  const { inferenceId, conversationId, turnIndex, userMessage, assistantMessage, model, usage } = turn;
  return {
    inferenceId,
    conversationId,
    turnIndex,
    userMessage,
    assistantMessage,
    model: encodeModelInfo(model),
    usage: encodeUsage(usage),
  };
}

/** MCPL §10.4. Namespace and content are claims of the server. */
export interface Injection {
  readonly namespace: string;
  readonly position: InjectionPosition;
  readonly content: readonly ContentBlock[];
  readonly metadata: JsonObject | undefined;
}

interface Injections {
  /** The feature set that the server names. */
  readonly featureSet: string | undefined;
  readonly injections: readonly Injection[];
  /** Problems with dropped injections, one sentence each. */
  readonly remarks: readonly string[];
}

const MAX_INJECTIONS = 64;
const MAX_REMARKS = 10;
const MAX_NAMESPACE = 128;
const MAX_METADATA = 16 * 1024;

/** The answer to `context/beforeInference` (MCPL §10.2). */
export function decodeInjections(result: Json): Injections {
  if (!isJsonObject(result)) {
    // A server with nothing to add may answer `null`.
    return { featureSet: undefined, injections: [], remarks: result === null ? [] : ['Its answer is not an object.'] };
  }
  const featureSet = nameIn(result['featureSet']);
  const given = result['contextInjections'] ?? [];
  const all = isJsonObject(given) ? [given] : given;
  if (!isJsonArray(all)) return { featureSet, injections: [], remarks: ['Its "contextInjections" are not a list.'] };
  const injections: Injection[] = [];
  const remarks: string[] = [];
  for (const [index, item] of all.slice(0, MAX_INJECTIONS).entries()) {
    const injection = decodeInjection(item, featureSet);
    if (typeof injection !== 'string') injections.push(injection);
    else if (remarks.length < MAX_REMARKS) remarks.push(`Injection ${index + 1} ${injection}.`);
  }
  if (all.length > MAX_INJECTIONS) remarks.push(`${all.length - MAX_INJECTIONS} more injections were not read.`);
  return { featureSet, injections, remarks };
}

/** Returns the injection, or a reason to complete the sentence. */
function decodeInjection(value: Json, featureSet: string | undefined): Injection | string {
  if (!isJsonObject(value)) return 'is not an object';
  const position = INJECTION_POSITIONS.find((known) => known === value['position']);
  if (position === undefined) return `names no position of ${INJECTION_POSITIONS.join(', ')}`;
  const content = decodeBlocks(value['content'], { allowText: true });
  if (content === undefined) return 'has no content';
  const { namespace } = value;
  const metadata = object(value['metadata']);
  return {
    namespace: cleanLine(typeof namespace === 'string' ? namespace : (featureSet ?? ''), MAX_NAMESPACE),
    position,
    content,
    metadata: metadata !== undefined && isWithin(metadata, MAX_METADATA) ? metadata : undefined,
  };
}

interface Modified {
  readonly featureSet: string | undefined;
  /** The replacement text. `undefined` if the answer stays unchanged. */
  readonly modifiedResponse: string | undefined;
  /** The modification is unreadable, so the hook failed. A sentence. */
  readonly problem: string | undefined;
}

/** The answer to a blocking `context/afterInference` (MCPL §10.5). */
export function decodeModified(result: Json): Modified {
  if (result === null) return { featureSet: undefined, modifiedResponse: undefined, problem: undefined };
  if (!isJsonObject(result))
    return { featureSet: undefined, modifiedResponse: undefined, problem: 'Its answer is not an object.' };
  const featureSet = nameIn(result['featureSet']);
  const { modifiedResponse } = result;
  if (modifiedResponse === undefined || modifiedResponse === null)
    return { featureSet, modifiedResponse: undefined, problem: undefined };
  const problem = problemOf(modifiedResponse);
  // Any other value fails the hook. Treating it as "unchanged" would show text that the server wanted to hide.
  return typeof modifiedResponse === 'string' && problem === undefined
    ? { featureSet, modifiedResponse, problem }
    : { featureSet, modifiedResponse: undefined, problem };
}

function problemOf(modifiedResponse: Json): string | undefined {
  if (typeof modifiedResponse !== 'string') return 'Its "modifiedResponse" is not a text.';
  return modifiedResponse.length > MAX_CHARACTERS ? 'Its "modifiedResponse" is larger than 4 MB.' : undefined;
}
