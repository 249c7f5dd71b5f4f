import { blockText, cleanText, type PromptResult } from '../../core/index.ts';

const MAX_MESSAGE = 1_000_000;
/** The user should be able to read the chat's input. */
const MAX_CHAT = 200_000;
const ROLES = { user: 'User', assistant: 'Assistant' } as const;

/** The messages of a prompt as readable text. */
export function promptText({ messages }: PromptResult): string {
  const parts = messages.map(({ role, content }) => `## ${ROLES[role]}\n\n${messageText(content)}`);
  return `${parts.join('\n\n')}\n`;
}

/** The messages for a chat, without headings if only the user speaks. */
export function chatText(result: PromptResult): string {
  const isUsers = result.messages.every(({ role }) => role === 'user');
  const text = isUsers ? result.messages.map(({ content }) => messageText(content)).join('\n\n') : promptText(result);
  return text.trim();
}

/** Converts the output of `promptText` to that of `chatText`. */
export function withoutHeading(shown: string): string {
  const parts = shown.split(/^## User\n\n/m);
  const [before, ...messages] = parts;
  if (before !== '' || /^## Assistant\n\n/m.test(shown)) return shown.trim();
  return messages
    .map((message) => message.trim())
    .join('\n\n')
    .trim();
}

/** Where to send a prompt. */
export type ChatChoice = 'chat' | 'mcpl' | 'copy';

/**
 * The text for the chat's input. It must not start like a chat command: `@workspace` selects the responder, `/help` a
 * command, and `#file` an attachment.
 */
export function asChatInput(text: string, choice: Exclude<ChatChoice, 'copy'>): string {
  const bounded = text.trim().slice(0, MAX_CHAT);
  const plain = /^[@/#]/.test(bounded) ? `Prompt: ${bounded}` : bounded;
  return choice === 'mcpl' ? `@mcpl ${plain}` : plain;
}

function messageText(content: PromptResult['messages'][number]['content']): string {
  return cleanText(blockText(content), MAX_MESSAGE);
}
