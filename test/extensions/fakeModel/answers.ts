import { setTimeout as wait } from 'node:timers/promises';
import type { AnswerPart, RecordedMessage, RecordedRequest } from './api.ts';

const textOf = (message: RecordedMessage): string =>
  message.content.map((part) => (part.kind === 'text' ? part.value : '')).join('');

const toolResults = (message: RecordedMessage): readonly string[] =>
  message.content.flatMap((part) =>
    part.kind === 'toolResult'
      ? [part.content.map((inner) => (inner.kind === 'text' ? inner.value : `(${inner.kind})`)).join('')]
      : [],
  );

const parseInput = (text: string | undefined): object => {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
};

/** The editor prefixes tool names with the server's name. Prompts contain only the tool's. */
const findTool = (request: RecordedRequest, name: string): string | undefined =>
  request.tools.map((tool) => tool.name).find((offered) => offered === name || offered.endsWith(`_${name}`));

const PIECE = /[^]{1,4}/g;
const PIECE_MS = 30;

/** Streams like a large model, to show which readers wait for the end. */
async function* slowly(parts: readonly AnswerPart[]): AsyncGenerator<AnswerPart> {
  for (const part of parts) {
    for (const piece of typeof part === 'string' ? (part.match(PIECE) ?? []) : [part]) {
      await wait(PIECE_MS);
      yield piece;
    }
  }
}

/** For manual tests: answers slowly if the prompt contains "slowly". */
export const defaultAnswer = (request: RecordedRequest): readonly AnswerPart[] | AsyncIterable<AnswerPart> => {
  const last = request.messages.at(-1);
  const answer = answerTo(request);
  return last !== undefined && /\bslowly\b/i.test(textOf(last)) ? slowly(answer) : answer;
};

/** Calls the tool that the prompt names, reports results, and otherwise repeats the input. */
const answerTo = (request: RecordedRequest): readonly AnswerPart[] => {
  const last = request.messages.at(-1);
  if (last === undefined) return ['I was asked nothing.'];
  const results = toolResults(last);
  if (results.length > 0) return [`The tool answered: ${results.join('; ')}`];
  const text = textOf(last);
  const [, wanted, input] = /\bcall\s+#?([\w.:/-]+)\s*(\{[\s\S]*\})?/i.exec(text) ?? [];
  const tool = wanted === undefined ? undefined : findTool(request, wanted);
  if (tool !== undefined) return [{ call: tool, input: parseInput(input) }];
  const offered = request.tools.map((entry) => entry.name).join(', ');
  const missing = wanted === undefined ? '' : ` There is no tool "${wanted}".`;
  return [
    `I am a fake model.${missing} I was given ${request.messages.length} message(s); the last one says: ${text}\n\n`,
    offered === ''
      ? 'No tools were offered to me.'
      : `Tools offered to me: ${offered}. Say "call <tool> {…}" and I call it.`,
  ];
};
