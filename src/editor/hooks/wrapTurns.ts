/** The parts of a message that identify its turn. */
export interface MessageOutline {
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
  /** Whether it is a tool result, which must directly follow its call. */
  readonly isToolResult: boolean;
}

interface RequestOutline {
  /** Identifies the conversation. */
  readonly beginning: string;
  /** Null if the model continues after a tool result. */
  readonly userMessage: string | null;
  /** Index of the user's last message, or -1. */
  readonly anchor: number;
}

/**
 * Identifies a model request, which names neither conversation nor turn, by the user's messages before the first
 * answer.
 */
export function outlineRequest(messages: readonly MessageOutline[]): RequestOutline {
  const isWritten = ({ role, isToolResult }: MessageOutline): boolean => role === 'user' && !isToolResult;
  const answered = messages.findIndex(({ role }) => role === 'assistant');
  const before = messages.slice(0, answered === -1 ? messages.length : answered).filter(isWritten);
  const last = messages.findLast(({ role }) => role !== 'system');
  return {
    beginning: before.map(({ text }) => text).join('\n'),
    userMessage: last !== undefined && isWritten(last) ? last.text : null,
    anchor: messages.findLastIndex(isWritten),
  };
}

interface KnownTurn {
  readonly index: number;
  readonly userMessage: string;
  readonly messages: number;
}

/** Maximum conversations. The least recently used are dropped. */
const MAX_CONVERSATIONS = 128;

/** Counts turns. A turn has one request per round of tool calls. */
export class TurnCounter {
  readonly #known = new Map<string, KnownTurn>();

  /** From 0. The same text at the same position is a repeat of the same turn. */
  count(conversation: string, { userMessage }: Pick<RequestOutline, 'userMessage'>, messages: number): number {
    const known = this.#known.get(conversation);
    if (userMessage === null) return known?.index ?? 0;
    const isAgain = known?.userMessage === userMessage && known.messages === messages;
    const index = known === undefined ? 0 : isAgain ? known.index : known.index + 1;
    this.#known.delete(conversation);
    this.#known.set(conversation, { index, userMessage, messages });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_CONVERSATIONS && oldest !== undefined) this.#known.delete(oldest);
    return index;
  }
}
