import { CancellationSource, type CancellationToken, NO_CANCELLATION } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { isHostError, messageOf, toHostError } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import type { Host, OpenInference } from '../hostTypes.ts';
import type { InboundEvent } from '../model/inboundEvent.ts';
import type { ModelFacts } from '../model/inference.ts';
import { decodeChatHook, additionalContext, deliveryOf, lastAnswer } from './chatHookText.ts';
import { estimatedTokens } from './tokenCounter.ts';

export type ChatHookHost = Pick<Host, 'openInference' | 'server' | 'redact'> & {
  readonly events: Pick<Host['events'], 'list'>;
};

interface ChatHooksOptions {
  readonly host: ChatHookHost;
  readonly clock: Clock;
  readonly log: Logger;
  /** Reads the end of a file. `undefined` if that fails. */
  readTail(path: string): Promise<string | undefined>;
}

interface ChatSession {
  turns: number;
  /** The current turn. */
  open: { readonly inference: OpenInference; readonly prompt: string; readonly at: number } | undefined;
  readonly delivered: Set<string>;
  wasRefused: boolean;
}

/** The script waits five seconds in total. */
const CONTEXT_MS = 3_500;
const TOTAL_MS = 4_300;
/** Drops the chats that were idle longest. */
const MAX_SESSIONS = 64;
const TWICE_MS = 1_000;
const EVENT_AGE_MS = 24 * 60 * 60_000;
const NOTHING: JsonObject = {};

/** Hooks do not receive the model or its context size. */
const UNKNOWN_MODEL: ModelFacts = { id: 'unknown', vendor: 'unknown', contextWindow: 0, capabilities: [] };

/**
 * Runs MCPL hooks (§10) for turns of the editor's own chat, which calls a script of this extension before and after
 * each turn: servers add context to the prompt, and read the answer. They cannot block or change it here.
 */
export class ChatHooks implements Disposable {
  readonly #options: ChatHooksOptions;
  readonly #sessions = new Map<string, ChatSession>();
  readonly #ends = new CancellationSource();
  #hasWarnedOfChecks = false;

  constructor(options: ChatHooksOptions) {
    this.#options = options;
  }

  /** Returns the script's output. Never rejects: after an error the chat continues without the hook. */
  async answer(input: Json, token: CancellationToken = NO_CANCELLATION): Promise<JsonObject> {
    try {
      const hook = decodeChatHook(input);
      if (hook === undefined || this.#ends.isCancelled) return NOTHING;
      if (hook.kind === 'prompt') return await this.#prompted(hook.session, hook.prompt, token);
      // The chat waits for this answer, so the rest runs in the background.
      void this.#stopped(hook.session, hook.transcript);
      return NOTHING;
    } catch (error) {
      this.#options.log.log('warn', `A hook of the chat failed: ${messageOf(error)}`);
      return NOTHING;
    }
  }

  dispose(): void {
    this.#ends.cancel();
    for (const session of this.#sessions.values()) session.open?.inference.abandon();
    this.#sessions.clear();
  }

  async #prompted(id: string, prompt: string, token: CancellationToken): Promise<JsonObject> {
    const session = this.#session(id);
    // A hook that is listed twice runs twice for one prompt.
    if (session.open?.prompt === prompt && this.#options.clock.now() - session.open.at < TWICE_MS) return NOTHING;
    // The user stopped the earlier turn, so servers get no answer for it.
    session.open?.inference.abandon();
    session.open = undefined;
    const turnIndex = session.turns++;
    const source = new CancellationSource();
    const timer = this.#options.clock.delay(TOTAL_MS, () => source.cancel());
    const cancels = [token, this.#ends.token].map((each) => each.onCancellationRequested(() => source.cancel()));
    try {
      const inference = await this.#options.host.openInference({
        conversationId: id,
        turnIndex,
        userMessage: prompt,
        model: UNKNOWN_MODEL,
        isShownAtOnce: true,
        contextMs: CONTEXT_MS,
        token: source.token,
      });
      session.open = { inference, prompt, at: this.#options.clock.now() };
      this.#noteChecks(inference);
      for (const remark of inference.remarks) this.#options.log.log('info', `In the editor's chat: ${remark}`);
      const { events, text } = deliveryOf(this.#waiting(session));
      for (const event of events) session.delivered.add(event.id);
      return withContext(this.#options.host.redact(additionalContext(inference.context, text)));
    } catch (error) {
      if (!isHostError(error, 'ANSWER_WITHHELD')) throw error;
      return this.#refused(session, error);
    } finally {
      timer.dispose();
      for (const each of cancels) each.dispose();
      source.dispose();
    }
  }

  /**
   * A server that must check every answer cannot do so here. The host does not block the chat; instead, servers add
   * nothing to it (MCPL §13.3), and the user is told why once.
   */
  #refused(session: ChatSession, error: unknown): JsonObject {
    const { message, suggestion = '' } = toHostError(error);
    const words = `MCP Live adds nothing to this chat. ${message} ${suggestion}`.trim();
    this.#options.log.log('warn', words);
    if (session.wasRefused) return NOTHING;
    session.wasRefused = true;
    return { systemMessage: words };
  }

  #noteChecks(inference: OpenInference): void {
    if (!inference.isChecked || this.#hasWarnedOfChecks) return;
    this.#hasWarnedOfChecks = true;
    const words =
      'A server wants to check answers before they are shown. The chat of the editor shows them at once: the';
    this.#options.log.log('warn', `${words} server is told of them, and what it would change is not used.`);
  }

  async #stopped(id: string, transcript: string | undefined): Promise<void> {
    const session = this.#sessions.get(id);
    const open = session?.open;
    if (session === undefined || open === undefined) return;
    // Another hook may let the model continue the same turn. Servers are notified only once.
    session.open = undefined;
    try {
      const tail = transcript === undefined ? undefined : await this.#options.readTail(transcript);
      const text = tail === undefined ? undefined : lastAnswer(tail);
      if (text === undefined) return open.inference.abandon();
      // Hooks do not receive token counts.
      const usage = { inputTokens: estimatedTokens(open.prompt), outputTokens: estimatedTokens(text) };
      await open.inference.finish({ text, usage });
    } catch (error) {
      open.inference.abandon();
      this.#options.log.log('warn', `Servers were not told of an answer of the chat: ${messageOf(error)}`);
    }
  }

  /** Unread events that this chat has not received yet, oldest first. */
  #waiting({ delivered }: ChatSession): readonly InboundEvent[] {
    const { host, clock } = this.#options;
    const since = clock.now() - EVENT_AGE_MS;
    return host.events
      .list()
      .filter((event) => isOpen(event) && event.receivedAt >= since && !delivered.has(event.id) && this.#isHeard(event))
      .toReversed();
  }

  /** Skips events whose set was muted in the meantime. */
  #isHeard({ server, source }: InboundEvent): boolean {
    const view = this.#options.host.server(server)?.mcpl?.sets.find(({ set }) => set.name === source.featureSet);
    return view?.state === 'enabled' && view.push !== 'ignore';
  }

  #session(id: string): ChatSession {
    const known = this.#sessions.get(id) ?? { turns: 0, open: undefined, delivered: new Set(), wasRefused: false };
    this.#sessions.delete(id);
    this.#sessions.set(id, known);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MAX_SESSIONS && oldest !== undefined) {
      this.#sessions.get(oldest)?.open?.inference.abandon();
      this.#sessions.delete(oldest);
    }
    return known;
  }
}

/** Events with an earlier or current turn need no other. */
function isOpen({ isRead, outcome }: InboundEvent): boolean {
  return !isRead && (outcome.kind === 'none' || outcome.kind === 'failed');
}

function withContext(text: string): JsonObject {
  if (text === '') return NOTHING;
  return { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: text } };
}
