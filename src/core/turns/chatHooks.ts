import { CancellationSource, type CancellationToken, NO_CANCELLATION } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { isHostError, messageOf, toHostError } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import type { Host, OpenInference } from '../hostTypes.ts';
import type { InboundEvent } from '../model/event.ts';
import type { ModelFacts } from '../model/inference.ts';
import { decodeChatHook } from './chatHookInput.ts';
import { additionalContext, deliveryOf } from './chatHookText.ts';
import { lastAnswer } from './chatTranscript.ts';

export type ChatHookHost = Pick<Host, 'openInference' | 'server' | 'redact'> & {
  readonly events: Pick<Host['events'], 'list'>;
};

export interface ChatHooksOptions {
  readonly host: ChatHookHost;
  readonly clock: Clock;
  readonly log: Logger;
  /** The end of a file, if it is one and can be read. */
  readTail(path: string): Promise<string | undefined>;
}

interface ChatSession {
  turns: number;
  /** What the chat is answering now. */
  open: { readonly inference: OpenInference; readonly prompt: string; readonly at: number } | undefined;
  readonly delivered: Set<string>;
  wasRefused: boolean;
}

/** The script waits five seconds for all of it. */
const CONTEXT_MS = 3_500;
const TOTAL_MS = 4_300;
/** The chats that were idle for longest are forgotten. */
const MOST_SESSIONS = 64;
const TWICE_MS = 1_000;
const EVENT_AGE_MS = 24 * 60 * 60_000;
const NOTHING: JsonObject = {};

/** A hook is not told which model answers, nor how long the context may be. */
const UNKNOWN_MODEL: ModelFacts = { id: 'unknown', vendor: 'unknown', contextWindow: 0, capabilities: [] };
/** Nor how many tokens it took: a common measure for texts of which nothing is known. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * The hooks of MCPL (§10) around turns of the editor's own chat, which runs a script of this extension before and after each:
 * the prompt includes the context of servers, and they read the answer. Hooks here cannot block or change an answer.
 */
export class ChatHooks implements Disposable {
  readonly #options: ChatHooksOptions;
  readonly #sessions = new Map<string, ChatSession>();
  readonly #ends = new CancellationSource();
  #wasToldOfChecks = false;

  constructor(options: ChatHooksOptions) {
    this.#options = options;
  }

  /** What the script prints. Never rejects: whatever goes wrong, the chat goes on as if there were no hook. */
  async answer(input: Json, token: CancellationToken = NO_CANCELLATION): Promise<JsonObject> {
    try {
      const hook = decodeChatHook(input);
      if (hook === undefined || this.#ends.isCancelled) return NOTHING;
      if (hook.kind === 'prompt') return await this.#prompted(hook.session, hook.prompt, token);
      // The chat waits for the answer to this, and must not wait for what follows.
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
    // Listed in two places, a hook may be run twice for one prompt.
    if (session.open?.prompt === prompt && this.#options.clock.now() - session.open.at < TWICE_MS) return NOTHING;
    // The person stopped the earlier turn: servers get no answer.
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
   * A server that must see every answer cannot do so here, and to hold up the chat is not ours: so nothing that servers add
   * goes into it (MCPL §13.3), and the person reads why, once.
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
    if (!inference.isChecked || this.#wasToldOfChecks) return;
    this.#wasToldOfChecks = true;
    const words =
      'A server wants to check answers before they are shown. The chat of the editor shows them at once: the';
    this.#options.log.log('warn', `${words} server is told of them, and what it would change is not used.`);
  }

  async #stopped(id: string, transcript: string | undefined): Promise<void> {
    const session = this.#sessions.get(id);
    const open = session?.open;
    if (session === undefined || open === undefined) return;
    // If another hook lets the model continue, it is the same turn: servers are notified once.
    session.open = undefined;
    try {
      const tail = transcript === undefined ? undefined : await this.#options.readTail(transcript);
      const text = tail === undefined ? undefined : lastAnswer(tail);
      if (text === undefined) return open.inference.abandon();
      const usage = { inputTokens: estimated(open.prompt), outputTokens: estimated(text) };
      await open.inference.finish({ text, usage });
    } catch (error) {
      open.inference.abandon();
      this.#options.log.log('warn', `Servers were not told of an answer of the chat: ${messageOf(error)}`);
    }
  }

  /** What the person has not read, and this chat was not given; the oldest first. */
  #waiting({ delivered }: ChatSession): readonly InboundEvent[] {
    const { host, clock } = this.#options;
    const since = clock.now() - EVENT_AGE_MS;
    return host.events
      .list()
      .filter((event) => isOpen(event) && event.receivedAt >= since && !delivered.has(event.id) && this.#isHeard(event))
      .toReversed();
  }

  /** Whoever muted a set since then wants to hear no more of it. */
  #isHeard({ server, source }: InboundEvent): boolean {
    const view = this.#options.host.server(server)?.mcpl?.sets.find(({ set }) => set.name === source.featureSet);
    return view?.state === 'enabled' && view.push !== 'ignore';
  }

  #session(id: string): ChatSession {
    const known = this.#sessions.get(id) ?? { turns: 0, open: undefined, delivered: new Set(), wasRefused: false };
    this.#sessions.delete(id);
    this.#sessions.set(id, known);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MOST_SESSIONS && oldest !== undefined) {
      this.#sessions.get(oldest)?.open?.inference.abandon();
      this.#sessions.delete(oldest);
    }
    return known;
  }
}

/** One that a model looked at already, or does now, needs no other. */
function isOpen({ isRead, outcome }: InboundEvent): boolean {
  return !isRead && (outcome.kind === 'none' || outcome.kind === 'failed');
}

function withContext(text: string): JsonObject {
  if (text === '') return NOTHING;
  return { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: text } };
}

function estimated(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}
