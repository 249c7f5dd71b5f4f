import { isJsonObject, type Json, nestsDeeperThan, parseJson } from '../base/json.ts';

/**
 * The last answer of the model, from the end of a chat's transcript: a JSON object in each line, the newest last. All its
 * messages since the last message of the user are one answer, without the tool calls between them.
 * Undefined without an answer. The first line may be half of one.
 */
export function lastAnswer(tail: string): string | undefined {
  const said: string[] = [];
  for (const line of tail.split('\n').reverse()) {
    const entry = parsed(line);
    if (!isJsonObject(entry)) continue;
    if (entry['type'] === 'user.message') break;
    if (entry['type'] !== 'assistant.message' || !isJsonObject(entry['data'])) continue;
    const { content } = entry['data'];
    if (typeof content === 'string' && content.trim() !== '') said.push(content);
  }
  return said.length === 0 ? undefined : said.reverse().join('\n\n');
}

function parsed(line: string): Json | undefined {
  if (!line.startsWith('{') || nestsDeeperThan(line)) return undefined;
  try {
    return parseJson(line);
  } catch {
    return undefined;
  }
}
