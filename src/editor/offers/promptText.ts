import { blockText, cleanText, type PromptResult } from '../../core/index.ts';

const MAX_MESSAGE = 1_000_000;
/** The chat's input is for reading before sending. */
const MAX_CHAT = 200_000;
const ROLES = { user: 'User', assistant: 'Assistant' } as const;

/** The messages of a prompt as one text that can be read, and pasted elsewhere. */
export function promptText({ messages }: PromptResult): string {
  const parts = messages.map(({ role, content }) => `## ${ROLES[role]}\n\n${saidIn(content)}`);
  return `${parts.join('\n\n')}\n`;
}

/** The same for a chat: without headings where only the user speaks. */
export function chatText(result: PromptResult): string {
  const isUsers = result.messages.every(({ role }) => role === 'user');
  const text = isUsers ? result.messages.map(({ content }) => saidIn(content)).join('\n\n') : promptText(result);
  return text.trim();
}

/** What `chatText` gives, of the text that `promptText` made. */
export function withoutHeading(shown: string): string {
  const parts = shown.split(/^## User\n\n/m);
  const [before, ...messages] = parts;
  if (before !== '' || /^## Assistant\n\n/m.test(shown)) return shown.trim();
  return messages
    .map((message) => message.trim())
    .join('\n\n')
    .trim();
}

/** Where a prompt goes. */
export type ChatChoice = 'chat' | 'mcpl' | 'copy';

/**
 * What stands in the chat's input. A text of a server must not begin as an order to the chat: `@workspace` would choose who
 * answers, `/help` a command, and `#file` what is attached.
 */
export function asChatInput(text: string, choice: Exclude<ChatChoice, 'copy'>): string {
  const bounded = text.trim().slice(0, MAX_CHAT);
  const plain = /^[@/#]/.test(bounded) ? `Prompt: ${bounded}` : bounded;
  return choice === 'mcpl' ? `@mcpl ${plain}` : plain;
}

function saidIn(content: PromptResult['messages'][number]['content']): string {
  return cleanText(blockText(content), MAX_MESSAGE);
}
