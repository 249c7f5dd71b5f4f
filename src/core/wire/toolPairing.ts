import type { SamplingContent, SamplingMessage } from '../model/inputs.ts';

/**
 * MCP 2025-11-25 "Tool use in sampling": the user's next message must answer all tool calls of an assistant message,
 * and contain nothing else. Models reject other conversations.
 */
export function pairingProblem(messages: readonly SamplingMessage[]): string | undefined {
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
