import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { messageOf } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import { Throttle } from '../base/throttle.ts';
import type { ModelUses } from '../hostTypes.ts';
import type { Budgets, Payer } from './budgets.ts';
import type { Participant } from '../mcpl/participant.ts';
import { type AuditRecord, auditRecord } from '../model/audit.ts';
import type { InferenceSettings } from '../model/mcpl.ts';
import {
  type ModelBudget,
  type ModelReservation,
  type ModelUseRecord,
  type ModelUseTotal,
  operationOf,
  routeOf,
  spentText,
} from '../model/modelUse.ts';
import type { AuditStore } from '../ports.ts';
import type { StoredAudit } from '../audit/auditLog.ts';

/** The parts of a server that model use needs. */
export interface ModelServer {
  readonly id: string;
  /** The effective settings for model use. Undefined if they are unreadable. */
  readonly inference: InferenceSettings | undefined;
  readonly mcpl: { readonly member: Pick<Participant, 'setsFor'> | undefined };
}

interface StoredModelUsesOptions {
  readonly clock: Clock;
  readonly audit: StoredAudit;
  readonly store: Pick<AuditStore, 'totals'>;
  units(): readonly ModelServer[];
  /** Loads the budgets if necessary. */
  budgets(): Promise<Budgets>;
}

/** Minimum interval between updates of views. */
const TELL_MS = 250;

/** Model use according to the audit, which is the only record of it. */
export class StoredModelUses implements ModelUses, Disposable {
  readonly #options: StoredModelUsesOptions;
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #appended: Disposable;
  #budgets: Budgets | undefined;
  readonly #telling: Throttle;

  constructor(options: StoredModelUsesOptions) {
    this.#options = options;
    this.#telling = new Throttle(options.clock, TELL_MS, () => this.#changed.fire());
    this.#appended = options.audit.onDidAppend((records) => {
      if (records.some(({ tokens }) => tokens !== undefined)) this.changed();
    });
  }

  /** Sets the budgets when they are loaded. Before that, no server could use a model. */
  counting(budgets: Budgets): void {
    this.#budgets = budgets;
  }

  changed(): void {
    this.#telling.request();
  }

  record(use: ModelUseRecord): void {
    const { server, at, usage } = use;
    const tokens = usage.inputTokens + usage.outputTokens;
    if (server !== undefined) this.#note(server, { at, tokens });
    this.#options.audit.record(recordOf(use, tokens));
  }

  async reserve(server: string): Promise<ModelReservation> {
    const payer = this.#payer(server);
    if (payer === undefined) return { kind: 'refused', message: `There is no server "${server}" any more.` };
    try {
      const taken = await (await this.#options.budgets()).take(payer);
      if (taken.kind === 'refused') return { kind: 'refused', message: taken.message };
      return { kind: 'reserved', release: () => taken.done(undefined) };
    } catch (error) {
      return { kind: 'refused', message: `The budget of this server cannot be read now: ${messageOf(error)}` };
    }
  }

  budget(server: string): ModelBudget | undefined {
    const payer = this.#payer(server);
    if (payer === undefined || this.#budgets === undefined) return undefined;
    const { model, requestsPerHour, tokensPerDay } = payer.settings.inference;
    const isUsing = this.#uses(server);
    return { server, isUsing, model, requestsPerHour, tokensPerDay, ...this.#budgets.spent(server) };
  }

  async totals(since: number): Promise<readonly ModelUseTotal[]> {
    await this.#options.audit.flush();
    const totals = await this.#options.store.totals(since);
    return totals
      .flatMap(({ server, operation, ...total }): readonly ModelUseTotal[] => {
        const route = routeOf(operation);
        return route === undefined ? [] : [{ ...total, server: server === '' ? undefined : server, route }];
      })
      .sort((a, b) => b.tokens - a.tokens || b.requests - a.requests);
  }

  dispose(): void {
    this.#telling.dispose();
    this.#appended.dispose();
    this.#changed.dispose();
  }

  #note(server: string, use: { readonly at: number; readonly tokens: number }): void {
    if (this.#budgets !== undefined) this.#budgets.note(server, use);
    // Nothing to do if no budget is loaded: it will read the use from the audit.
  }

  #uses(server: string): boolean {
    const member = this.#options.units().find(({ id }) => id === server)?.mcpl.member;
    return member !== undefined && member.setsFor('inferenceRequest').length > 0;
  }

  #payer(server: string): Payer | undefined {
    const inference = this.#options.units().find(({ id }) => id === server)?.inference;
    return inference === undefined ? undefined : { server, settings: { inference } };
  }
}

function recordOf({ server = '', route, inferenceId, ...use }: ModelUseRecord, tokens: number): AuditRecord {
  const { at, durationMs, model, usage, outcome } = use;
  const operation = operationOf(route);
  return auditRecord({
    at,
    server,
    operation,
    inferenceId,
    outcome,
    durationMs,
    detail: spentText(usage),
    tokens,
    model,
  });
}
