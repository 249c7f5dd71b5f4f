/** A message of a request as far as it says what turn it is. */
export interface MessageOutline {
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
  /** It answers a call of the model: nobody wrote it, and nothing may stand between the two. */
  readonly isToolResult: boolean;
}

export interface RequestOutline {
  /** By which the conversation is known again. */
  readonly beginning: string;
  /** Null where the model goes on after a tool's result. */
  readonly userMessage: string | null;
  /** The place of the last message that the user wrote; -1 for none. */
  readonly anchor: number;
}

/**
 * What can be told of a request to a model, which names neither its conversation nor its turn: it is known by all that the user
 * said before the first answer.
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

/** Those that were not heard of for longest are forgotten. */
const MOST_CONVERSATIONS = 128;

/** Counts the turns of conversations, each of which is as many requests as the model calls tools. */
export class TurnCounter {
  readonly #known = new Map<string, KnownTurn>();

  /** From 0. The same words at the same place are the same turn, asked for again. */
  count(conversation: string, { userMessage }: Pick<RequestOutline, 'userMessage'>, messages: number): number {
    const known = this.#known.get(conversation);
    if (userMessage === null) return known?.index ?? 0;
    const isAgain = known?.userMessage === userMessage && known.messages === messages;
    const index = known === undefined ? 0 : isAgain ? known.index : known.index + 1;
    this.#known.delete(conversation);
    this.#known.set(conversation, { index, userMessage, messages });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_CONVERSATIONS && oldest !== undefined) this.#known.delete(oldest);
    return index;
  }
}
