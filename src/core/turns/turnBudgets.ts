import { isCancellation, messageOf } from '../base/errors.ts';
import { clip } from '../base/json.ts';
import { type AuditOutcome, type AuditRecord, auditRecord } from '../model/audit.ts';
import type { ModelFacts, Usage } from '../model/inference.ts';
import { operationOf, spentText } from '../model/modelUse.ts';
import type { Clock } from '../ports.ts';
import type { Budgets, Taken } from './budgets.ts';
import type { Participant } from '../mcpl/participant.ts';
import type { Unanswered } from './chooseModel.ts';
import type { Recorder } from '../audit/auditLog.ts';
import { overBudget } from './turnFailure.ts';

interface TurnBudgetsOptions {
  readonly clock: Clock;
  readonly budgets: Pick<Budgets, 'take'>;
  readonly recorder: Recorder;
}

/** Accounting for one turn. */
export interface TurnBudget {
  /** True if a server's budget pays. Turns of the user have no limit. */
  readonly isPaid: boolean;
  /** Records the selected model. */
  chose(model: ModelFacts): void;
  /** Returns the maximum length of the answer. Throws a `HostError`: BUDGET_SPENT. */
  allow(inputTokens: number): number;
  used(usage: Usage): void;
  /** The model started but gave no answer. */
  failed(end: Unanswered, usage: Usage): void;
  /** Ends the turn, with its error if it failed. */
  close(end: 'success' | { readonly error: unknown }): void;
}

const MAX_DETAIL = 500;

type Outcome = Pick<AuditRecord, 'outcome'> & Partial<Pick<AuditRecord, 'detail' | 'tokens' | 'model'>>;

/** Turns started by a server's event count against its budget, like the server's own requests. */
export class TurnBudgets {
  readonly #options: TurnBudgetsOptions;

  constructor(options: TurnBudgetsOptions) {
    this.#options = options;
  }

  /** Rejects with a `HostError`: BUDGET_SPENT. */
  async open(payer: Participant | undefined, inferenceId: string): Promise<TurnBudget> {
    const { clock, recorder, budgets } = this.#options;
    const startedAt = clock.now();
    const route = payer === undefined ? 'chat' : 'event';
    const facts = { server: payer?.server ?? '', operation: operationOf(route), inferenceId };
    const record = ({ detail = '', ...outcome }: Outcome): void => {
      const at = clock.now();
      const shown = clip(payer?.redact(detail) ?? detail, MAX_DETAIL);
      recorder.record(auditRecord({ at, ...facts, durationMs: at - startedAt, ...outcome, detail: shown }));
    };
    if (payer === undefined) return new RunningTurnBudget(undefined, record);
    const taken = await budgets.take(payer);
    if (taken.kind === 'taken') return new RunningTurnBudget(taken, record);
    record({ outcome: 'refused', detail: taken.message });
    throw overBudget(taken);
  }
}

class RunningTurnBudget implements TurnBudget {
  readonly #taken: Taken | undefined;
  readonly #record: (outcome: Outcome) => void;
  #model: string | undefined;
  #usage: Usage | undefined;
  #isRefused = false;

  constructor(taken: Taken | undefined, record: (outcome: Outcome) => void) {
    this.#taken = taken;
    this.#record = record;
  }

  get isPaid(): boolean {
    return this.#taken !== undefined;
  }

  chose({ vendor, id }: ModelFacts): void {
    this.#model = `${vendor}/${id}`;
  }

  allow(inputTokens: number): number {
    if (this.#taken === undefined) return Infinity;
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
    this.#taken?.done(tokens);
    // A failed turn of the user needs no record.
    if (!this.isPaid && usage === undefined) return;
    const spent = usage === undefined ? '' : spentText(usage);
    const used = { tokens, model: usage === undefined ? undefined : this.#model };
    if (end === 'success') this.#record({ outcome: 'success', detail: spent, ...used });
    else
      this.#record({ outcome: this.#outcomeOf(end.error), detail: `${messageOf(end.error)} ${spent}`.trim(), ...used });
  }

  #outcomeOf(error: unknown): AuditOutcome {
    if (this.#isRefused) return 'refused';
    return isCancellation(error) ? 'cancelled' : 'failure';
  }
}
