import { isCancellation, messageOf } from '../base/errors.ts';
import { clip } from '../base/json.ts';
import type { AuditOutcome } from '../model/audit.ts';
import type { Usage } from '../model/inference.ts';
import type { Clock } from '../ports.ts';
import type { Budgets, Taken } from './budgets.ts';
import type { McplMember } from './member.ts';
import type { Unanswered } from './modelUse.ts';
import type { Recorder } from './recorder.ts';
import { overBudget } from './turnFailure.ts';

export interface TurnAccountsOptions {
  readonly clock: Clock;
  readonly budgets: Pick<Budgets, 'take'>;
  readonly recorder: Recorder;
}

/** What one turn costs, and whom. */
export interface Account {
  /** Somebody's budget pays; a turn of a person has no limit. */
  readonly isPaid: boolean;
  /** How long the answer may be. Throws a `HostError`: BUDGET_SPENT. */
  allow(inputTokens: number): number;
  used(usage: Usage): void;
  /** The model began and gave no answer. */
  failed(end: Unanswered, usage: Usage): void;
  /** The turn is over; with what it failed of, where it failed. */
  close(end: 'success' | { readonly error: unknown }): void;
}

const OPERATION = 'inference/turn';
const MAX_DETAIL = 500;

const FREE: Account = {
  isPaid: false,
  allow: () => Infinity,
  used: () => undefined,
  failed: () => undefined,
  close: () => undefined,
};

/** Turns that a server began by an event are at the cost of its budget, like what it asks of models itself. */
export class TurnAccounts {
  readonly #options: TurnAccountsOptions;

  constructor(options: TurnAccountsOptions) {
    this.#options = options;
  }

  /** Rejects with a `HostError`: BUDGET_SPENT. */
  async open(payer: McplMember | undefined, inferenceId: string): Promise<Account> {
    if (payer === undefined) return FREE;
    const startedAt = this.#options.clock.now();
    const taken = await this.#options.budgets.take(payer);
    const record = (outcome: AuditOutcome, detail: string, tokens: number | undefined): void => {
      const at = this.#options.clock.now();
      this.#options.recorder.record({
        at,
        server: payer.server,
        operation: OPERATION,
        featureSet: undefined,
        inferenceId,
        outcome,
        durationMs: at - startedAt,
        detail: clip(payer.redact(detail), MAX_DETAIL),
        tokens,
      });
    };
    if (taken.kind === 'taken') return new PaidAccount(taken, record);
    record('refused', taken.message, undefined);
    throw overBudget(taken);
  }
}

class PaidAccount implements Account {
  readonly isPaid = true;
  readonly #taken: Taken;
  readonly #record: (outcome: AuditOutcome, detail: string, tokens: number | undefined) => void;
  #usage: Usage | undefined;
  #isRefused = false;

  constructor(taken: Taken, record: (outcome: AuditOutcome, detail: string, tokens: number | undefined) => void) {
    this.#taken = taken;
    this.#record = record;
  }

  allow(inputTokens: number): number {
    const allowed = this.#taken.allow(inputTokens, undefined);
    if (allowed.kind === 'allowed') return allowed.maxTokens;
    this.#isRefused = true;
    throw overBudget(allowed);
  }

  used(usage: Usage): void {
    this.#usage = usage;
  }

  failed(end: Unanswered, usage: Usage): void {
    const isUnused = end.kind === 'failed' && (end.reason === 'no_model' || end.reason === 'no_permission');
    if (!isUnused) this.#usage = usage;
  }

  close(end: 'success' | { readonly error: unknown }): void {
    const usage = this.#usage;
    const tokens = usage === undefined ? undefined : usage.inputTokens + usage.outputTokens;
    this.#taken.done(tokens);
    const spent = usage === undefined ? '' : `${usage.inputTokens} tokens read, ${usage.outputTokens} written.`;
    if (end === 'success') this.#record('success', spent, tokens);
    else this.#record(this.#outcomeOf(end.error), `${messageOf(end.error)} ${spent}`.trim(), tokens);
  }

  #outcomeOf(error: unknown): AuditOutcome {
    if (this.#isRefused) return 'refused';
    return isCancellation(error) ? 'cancelled' : 'failure';
  }
}
