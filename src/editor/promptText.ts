import { blockText, cleanText, type PromptResult } from '../core/index.ts';

const MAX_MESSAGE = 1_000_000;
const ROLES = { user: 'User', assistant: 'Assistant' } as const;

/** The messages of a prompt as one text that can be read, and pasted elsewhere. */
export function promptText({ messages }: PromptResult): string {
  const parts = messages.map(
    ({ role, content }) => `## ${ROLES[role]}\n\n${cleanText(blockText(content), MAX_MESSAGE)}`,
  );
  return `${parts.join('\n\n')}\n`;
}
