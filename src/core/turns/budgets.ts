import { messageOf } from '../base/errors.ts';
import { plural } from '../base/plural.ts';
import { auditRecord } from '../model/audit.ts';
import type { InferenceSettings } from '../model/mcpl.ts';
import type { AuditStore, Clock, ModelUse } from '../ports.ts';
import type { Recorder } from '../audit/auditLog.ts';

interface BudgetsOptions {
  readonly clock: Clock;
  readonly audit: Pick<AuditStore, 'used'>;
  readonly recorder: Recorder;
  /** Called when the use by earlier runs is known. */
  onRead?(server: string): void;
}

/** The server that pays, and its budget. */
export interface Payer {
  readonly server: string;
  readonly settings: { readonly inference: InferenceSettings };
}

interface Spent {
  readonly requestsLastHour: number;
  readonly tokensLastDay: number;
}

/** The exceeded limit. `unread` means that earlier use is not known yet. */
type BudgetLimit = 'requestsPerHour' | 'tokensPerDay' | 'concurrent' | 'unread';

export interface Refusal {
  readonly kind: 'refused';
  readonly limit: BudgetLimit;
  /** For the server and the user. */
  readonly message: string;
  /** Latest time at which the budget has room again. Absent if waiting does not help. */
  readonly retryAt: number | undefined;
}

/** A reservation for a model use in progress. */
export interface Taken {
  readonly kind: 'taken';
  /** Sets the length of the answer once the size of the prompt is known. */
  allow(inputTokens: number, maxTokens: number | undefined): Allowance | Refusal;
  /** Ends the use with its token count. `undefined` means that no model was used, which costs nothing. */
  done(tokens: number | undefined): void;
}

interface Allowance {
  readonly kind: 'allowed';
  readonly maxTokens: number;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const AT_ONCE = 4;
const READ_AGAIN_MS = 60_000;
/** Minimum length of an answer without a given limit, even if it exceeds an equal share of the rest. */
const OPEN_ANSWER = 4_096;
const MAX_ANSWER = 1_000_000;

interface Flight {
  readonly at: number;
  tokens: number;
}

/** Past and current use of one server. */
interface Ledger {
  /** Uses of this run. Those of earlier runs are added once they are read. */
  uses: readonly ModelUse[];
  readonly flights: Set<Flight>;
  readonly since: number;
  reading: Promise<boolean> | undefined;
  isRead: boolean;
}

/**
 * Limits each server's use of the user's models: its own requests, and turns that it causes. Use by earlier runs is
 * read from the audit, so that a reload does not reset a budget.
 */
export class Budgets {
  readonly #options: BudgetsOptions;
  readonly #ledgers = new Map<string, Ledger>();

  constructor(options: BudgetsOptions) {
    this.#options = options;
  }

  /** The caller must call `done`, whatever the outcome. */
  async take(member: Payer): Promise<Taken | Refusal> {
    const ledger = this.#ledger(member.server);
    if (!ledger.isRead && !(await this.#read(member.server, ledger))) return this.#unread();
    const refusal = this.#refusal(ledger, member.settings.inference, 1);
    if (refusal !== undefined) return refusal;
    const flight: Flight = { at: this.#options.clock.now(), tokens: 0 };
    ledger.flights.add(flight);
    return {
      kind: 'taken',
      allow: (inputTokens, maxTokens) => this.#allow(ledger, flight, member.settings.inference, inputTokens, maxTokens),
      done: (tokens) => {
        if (!ledger.flights.delete(flight) || tokens === undefined) return;
        ledger.uses = [...ledger.uses, { at: flight.at, tokens }];
      },
    };
  }

  /** Whether the budget probably has room. Only `take` decides. */
  allows(member: Payer): boolean {
    const ledger = this.#ledger(member.server);
    if (!ledger.isRead) void this.#read(member.server, ledger);
    return this.#refusal(ledger, member.settings.inference, 1) === undefined;
  }

  /** Records a use without a reservation, or one whose reservation was released unused. */
  note(server: string, use: ModelUse): void {
    const ledger = this.#ledger(server);
    // Uses before that time are read from the audit.
    if (ledger.isRead || use.at >= ledger.since) ledger.uses = [...ledger.uses, use];
  }

  /** The known use. `onRead` fires when it is complete. */
  spent(server: string): Spent {
    const ledger = this.#ledger(server);
    if (!ledger.isRead) void this.#read(server, ledger);
    const now = this.#options.clock.now();
    const uses = inOrder(ledger.uses, ledger.flights);
    return {
      requestsLastHour: uses.filter(({ at }) => at > now - HOUR).length,
      tokensLastDay: sum(ledger.uses.filter(({ at }) => at > now - DAY)),
    };
  }

  #ledger(server: string): Ledger {
    const known = this.#ledgers.get(server);
    if (known !== undefined) return known;
    const since = this.#options.clock.now();
    const ledger: Ledger = { uses: [], flights: new Set(), since, reading: undefined, isRead: false };
    this.#ledgers.set(server, ledger);
    return ledger;
  }

  #read(server: string, ledger: Ledger): Promise<boolean> {
    ledger.reading ??= this.#readOnce(server, ledger);
    return ledger.reading;
  }

  async #readOnce(server: string, ledger: Ledger): Promise<boolean> {
    const { clock, audit, recorder } = this.#options;
    try {
      const earlier = await audit.used(server, ledger.since - DAY);
      // Uses of this run are counted already and may also be in the audit.
      ledger.uses = [...earlier.filter(({ at }) => at < ledger.since), ...ledger.uses];
      ledger.isRead = true;
      this.#options.onRead?.(server);
    } catch (error) {
      ledger.reading = undefined;
      const detail = `The earlier model use of the server could not be read: ${messageOf(error)}`.slice(0, 500);
      const operation = 'inference/budget';
      recorder.record(auditRecord({ at: clock.now(), server, operation, outcome: 'failure', detail }));
    }
    return ledger.isRead;
  }

  /** Refuses while earlier use is unknown: a failing store must not lift the limits. */
  #unread(): Refusal {
    const message = 'The host cannot read the budget of this server now. Ask again in a minute.';
    return { kind: 'refused', limit: 'unread', message, retryAt: this.#options.clock.now() + READ_AGAIN_MS };
  }

  #refusal(ledger: Ledger, settings: InferenceSettings, tokens: number): Refusal | undefined {
    const now = this.#options.clock.now();
    ledger.uses = ledger.uses.filter(({ at }) => at > now - DAY);
    if (ledger.flights.size >= AT_ONCE)
      return wait(`${AT_ONCE} requests of this server are under way already, and no more may be at once.`);
    const lastHour = inOrder(ledger.uses, ledger.flights).filter(({ at }) => at > now - HOUR);
    if (lastHour.length >= settings.requestsPerHour) return overRequests(lastHour, settings);
    return overTokens(ledger.uses, [...ledger.flights], settings, tokens);
  }

  #allow(
    ledger: Ledger,
    flight: Flight,
    settings: InferenceSettings,
    inputTokens: number,
    maxTokens: number | undefined,
  ): Allowance | Refusal {
    const others = [...ledger.flights].filter((other) => other !== flight);
    const refusal = overTokens(ledger.uses, others, settings, inputTokens + 1);
    if (refusal !== undefined) return refusal;
    const left = settings.tokensPerDay - sum(ledger.uses) - sum(others) - inputTokens;
    // Does not reserve everything that is left, because that would block other requests of the server.
    const toCome = AT_ONCE - others.filter(({ tokens }) => tokens > 0).length;
    const share = Math.max(OPEN_ANSWER, Math.floor(left / toCome));
    const allowed = Math.min(maxTokens ?? share, left, MAX_ANSWER);
    flight.tokens = inputTokens + allowed;
    return { kind: 'allowed', maxTokens: allowed };
  }
}

function wait(why: string): Refusal {
  const message = `${why} Ask again when one of them has ended.`;
  return { kind: 'refused', limit: 'concurrent', message, retryAt: undefined };
}

/** @param lastHour oldest first */
function overRequests(lastHour: readonly ModelUse[], { requestsPerHour }: InferenceSettings): Refusal {
  const blocking = requestsPerHour > 0 ? lastHour[lastHour.length - Math.floor(requestsPerHour)] : undefined;
  const retryAt = blocking === undefined ? undefined : blocking.at + HOUR;
  const times = plural(requestsPerHour, 'request');
  const why = `This server may make ${times} to a model an hour, and made ${lastHour.length}.`;
  return {
    kind: 'refused',
    limit: 'requestsPerHour',
    message: `${why} ${nextStep(retryAt, 'requestsPerHour')}`,
    retryAt,
  };
}

function overTokens(
  uses: readonly ModelUse[],
  flights: readonly Flight[],
  { tokensPerDay }: InferenceSettings,
  wanted: number,
): Refusal | undefined {
  const used = sum(uses);
  if (used + sum(flights) + wanted <= tokensPerDay) return undefined;
  // Reserved tokens may remain unused.
  if (used + wanted <= tokensPerDay)
    return wait('Requests of this server that are under way may take all that is left of its tokens for today.');
  let excess = used + sum(flights) + wanted - tokensPerDay;
  const blocking = inOrder(uses, flights).find(({ tokens }) => (excess -= tokens) <= 0);
  const retryAt = blocking === undefined || wanted > tokensPerDay ? undefined : blocking.at + DAY;
  const needs = wanted > 1 ? `, and this request needs ${wanted} or more` : '';
  const why = `This server may use ${tokensPerDay} tokens of models a day; it used ${used}${needs}.`;
  return { kind: 'refused', limit: 'tokensPerDay', message: `${why} ${nextStep(retryAt, 'tokensPerDay')}`, retryAt };
}

/** Oldest first. */
function inOrder(...uses: readonly Iterable<ModelUse>[]): readonly ModelUse[] {
  return uses.flatMap((some) => [...some]).sort((a, b) => a.at - b.at);
}

function nextStep(retryAt: number | undefined, setting: string): string {
  const more = `raise "inference.${setting}" in its settings`;
  if (retryAt === undefined) return `For more, ${more}.`;
  return `It may ask again at ${new Date(retryAt).toISOString().slice(0, 16).replace('T', ' ')} UTC; for more, ${more}.`;
}

function sum(uses: readonly { readonly tokens: number }[]): number {
  return uses.reduce((total, { tokens }) => total + tokens, 0);
}
