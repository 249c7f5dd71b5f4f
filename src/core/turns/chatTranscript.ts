import { isJsonObject, type Json, nestsDeeperThan, parseJson } from '../base/json.ts';

/**
 * Extracts the last answer from the end of a transcript with one JSON object per line, newest last. All assistant
 * messages since the last user message form one answer, without tool calls. Returns `undefined` without an answer. The
 * first line may be incomplete.
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
