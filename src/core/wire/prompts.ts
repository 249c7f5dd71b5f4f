import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Prompt, PromptArgument } from '../model/catalog.ts';
import { blocksOf, type PromptMessage, type PromptResult } from '../model/content.ts';
import { type Decoded, invalid, list, ok, text } from './members.ts';
import { decodeIcons } from './icons.ts';
import { decodePage, nameProblem, type Page } from './page.ts';

const MAX_ARGUMENTS = 200;

export function decodePromptPage(result: Json): Page<Prompt> {
  return decodePage(result, { member: 'prompts', one: 'a prompt', many: 'prompts', decode: decodePrompt });
}

function decodePrompt(value: JsonObject): Prompt | string {
  const name = text(value['name']) ?? '';
  const problem = nameProblem(name, 'a prompt');
  if (problem !== undefined) return problem;
  return {
    name,
    title: text(value['title']),
    description: text(value['description']),
    arguments: list(value['arguments']).slice(0, MAX_ARGUMENTS).flatMap(decodeArgument),
    icons: decodeIcons(value['icons']),
    raw: value,
  };
}

function decodeArgument(value: Json): readonly PromptArgument[] {
  if (!isJsonObject(value)) return [];
  const name = value['name'];
  if (typeof name !== 'string' || name === '') return [];
  const { title, description, required } = value;
  return [{ name, title: text(title), description: text(description), required: required === true }];
}

export function decodePromptResult(result: Json): Decoded<PromptResult> {
  if (!isJsonObject(result) || !isJsonArray(result['messages'])) return invalid('the answer holds no messages');
  return ok({
    description: text(result['description']),
    messages: result['messages'].flatMap(decodeMessage),
    raw: result,
  });
}

/** A message has one content. Some servers send a list, which becomes one message per item. */
function decodeMessage(value: Json): readonly PromptMessage[] {
  if (!isJsonObject(value)) return [];
  const role = value['role'] === 'assistant' ? 'assistant' : 'user';
  return blocksOf(value['content']).map((content) => ({ role, content }));
}
