import { cancelled, messageOf } from '../base/errors.ts';
import type { CancellationToken } from '../base/cancellation.ts';
import type { Logger } from '../base/log.ts';
import type { HookTurn } from '../wire/mcpl/hooks.ts';
import type { Usage } from '../model/inference.ts';
import { AfterHooks, type Checked } from './afterHooks.ts';
import { ContextHooks, type Gathered, type HooksOptions } from './contextHooks.ts';
import type { ConversationModels } from './conversationModels.ts';
import type { Participant } from '../mcpl/participant.ts';

interface TurnHooksOptions extends HooksOptions {
  readonly log: Logger;
  /** Records the model of each conversation. */
  readonly conversations: Pick<ConversationModels, 'note'>;
  members(): readonly Participant[];
}

interface HookedTurnOptions {
  readonly token: CancellationToken;
  /** Receives short descriptions of slow steps. */
  readonly onStep?: ((step: string) => void) | undefined;
  /** Maximum time for each server's context. */
  readonly contextMs?: number | undefined;
}

/** The hooks of all servers around the host's inferences (MCPL §10). */
export class TurnHooks {
  readonly #options: TurnHooksOptions;
  readonly #before: ContextHooks;
  readonly #after: AfterHooks;

  constructor(options: TurnHooksOptions) {
    this.#options = options;
    this.#before = new ContextHooks(options);
    this.#after = new AfterHooks(options);
  }

  /** Call this before awaiting anything: a server that stops later must still check the answer. */
  begin(options: HookedTurnOptions): HookedTurn {
    const { log, conversations } = this.#options;
    const members = (): readonly Participant[] => inOrder(this.#options.members());
    return new HookedTurn({ before: this.#before, after: this.#after, members, log, conversations }, options);
  }
}

interface Parts {
  readonly before: ContextHooks;
  readonly after: AfterHooks;
  readonly log: Logger;
  readonly conversations: TurnHooksOptions['conversations'];
  /** In hook order. */
  members(): readonly Participant[];
}

/** One inference: servers add context to it, then read its answer. */
export class HookedTurn {
  readonly #parts: Parts;
  readonly #options: HookedTurnOptions;
  /** Servers that could change the answer when the turn began. */
  readonly #guards: readonly Participant[];
  #blockers: readonly Participant[] | undefined;

  constructor(parts: Parts, options: HookedTurnOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#guards = parts.after.blockers(parts.members());
  }

  /**
   * Whether a server may change the answer. Then nothing may be shown before `finish`
   * (docs/decisions/changeable-answers.md).
   */
  get isChecked(): boolean {
    return this.#checkers().length > 0;
  }

  /** MCPL §13.3, for answers that no server can check. Throws a `HostError`: ANSWER_WITHHELD. */
  refuseUnchecked(): void {
    this.#parts.after.refuseUnchecked(this.#guards);
  }

  async gather(turn: HookTurn): Promise<Gathered> {
    const { before, conversations } = this.#parts;
    conversations.note(turn.conversationId, turn.model);
    const { token, contextMs } = this.#options;
    const asked = before.participants(this.#parts.members());
    let gathered: Gathered = { placed: [], remarks: [] };
    if (asked.length > 0) {
      const names = asked.map(({ server }) => server).join(', ');
      this.#step(`Asking ${names} for context`);
      gathered = await before.gather(turn, asked, { token, mostMs: contextMs });
    }
    if (token.isCancellationRequested) throw cancelled('The turn');
    this.#checkers();
    return gathered;
  }

  /** Runs the checks, then notifies the other servers. Rejects with a `HostError`: ANSWER_WITHHELD, CANCELLED. */
  async finish(turn: HookTurn, text: string, usage: Usage): Promise<Checked> {
    const { after } = this.#parts;
    const { token } = this.#options;
    const answered = { ...turn, assistantMessage: text, usage };
    const checked = await after.check(answered, this.#checkers(), { token, onStep: (step) => this.#step(step) });
    if (token.isCancellationRequested) throw cancelled('The turn');
    after.tell({ ...answered, assistantMessage: checked.text }, this.#parts.members());
    return checked;
  }

  /**
   * Servers that could change the answer when the turn began, or when its context was complete. Includes servers that
   * have stopped since: their settings decide whether the answer is shown without a check.
   */
  #checkers(): readonly Participant[] {
    const { after } = this.#parts;
    this.#blockers ??= inOrder([...new Set([...this.#guards, ...after.blockers(this.#parts.members())])]);
    return this.#blockers;
  }

  /** A failing listener must not break the turn. */
  #step(step: string): void {
    try {
      this.#options.onStep?.(step);
    } catch (error) {
      this.#parts.log.log('error', `onStep of a turn failed: ${messageOf(error)}`);
    }
  }
}

/** Servers with equal order stay in the order of the settings. */
function inOrder(members: readonly Participant[]): readonly Participant[] {
  return members.toSorted((a, b) => a.settings.hooks.order - b.settings.hooks.order);
}
