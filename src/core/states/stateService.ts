import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { cleaning, type Logger } from '../base/log.ts';
import type { RollbackOptions, RollbackPlan, RollbackResult } from '../hostTypes.ts';
import type { Recorder } from '../audit/auditLog.ts';
import type { UpdatedState, StateVerdict } from '../mcpl/stateUpdates.ts';
import type { ResultView } from '../model/content.ts';
import { keyText, type LineageKey } from '../model/lineage.ts';
import type { HostLimits } from '../model/server.ts';
import type { GrantStore, Ids, Logs, StateStore } from '../ports.ts';
import type { LineageActions, StoredLineages } from './storedLineages.ts';
import { StateCalls, type StatefulServer, StateQueue } from './stateCalls.ts';
import { StateOwners } from './stateOwners.ts';
import { StateKeeping } from './stateKeeping.ts';
import { StateRollback } from './stateRollback.ts';
import type { CallContext, CallStep } from '../calls/callSteps.ts';
import { messageOf } from '../base/errors.ts';

interface StateServiceOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logs: Logs;
  readonly states: StateStore;
  readonly grants: GrantStore;
  readonly audit: Recorder;
  readonly lineages: Pick<StoredLineages, 'changed' | 'broke'>;
  limits(): HostLimits;
  find(server: string): StatefulServer | undefined;
}

/** All actions on states, combined. Loaded with the first call that involves a state. */
export class StateService implements LineageActions, Disposable {
  readonly #keeping: StateKeeping;
  readonly #retention: StateRetention;
  readonly #calls: StateCalls;
  readonly #owners: StateOwners;
  readonly #rollback: StateRollback;

  constructor(options: StateServiceOptions) {
    const { clock, logs, states, audit, lineages } = options;
    const queue = new StateQueue();
    const find = (server: string): StatefulServer | undefined => options.find(server);
    const redact = (server: string, text: string): string => find(server)?.redact(text) ?? text;
    const log = (server: string): Logger => {
      // Does not reopen the log of a server that was removed from settings.
      const channel = find(server) === undefined ? logs.host : logs.server(server);
      return cleaning(channel, (text) => redact(server, text));
    };
    this.#retention = new StateRetention({ clock, states, log: logs.host, limits: () => options.limits() });
    this.#keeping = new StateKeeping({
      clock,
      states,
      audit,
      log,
      redact,
      onKept: (key, characters) => {
        this.#retention.kept(key, characters);
        lineages.changed(key);
      },
      onBroken: (trouble) => lineages.broke(trouble),
    });
    const keeping = this.#keeping;
    this.#owners = new StateOwners({ clock, ids: options.ids, grants: options.grants, log: logs.host });
    this.#calls = new StateCalls({ clock, states, queue, keeping, owners: this.#owners, log, redact, find });
    const onMoved = (key: LineageKey): void => lineages.changed(key);
    this.#rollback = new StateRollback({ clock, states, queue, keeping, audit, redact, find, onMoved });
  }

  /** The set that owned the first state of a tool without a set. */
  ownerOf(server: string, tool: string): Promise<string | undefined> {
    return this.#owners.of(server, tool);
  }

  send(context: CallContext, use: Parameters<StateCalls['send']>[1], next: CallStep): Promise<ResultView> {
    return this.#calls.send(context, use, next);
  }

  keep(context: CallContext, result: ResultView): Promise<ResultView> {
    return this.#calls.keep(context, result);
  }

  release(context: CallContext): void {
    this.#calls.release(context);
  }

  update(state: UpdatedState): Promise<StateVerdict> {
    return this.#calls.update(state);
  }

  plan(rowId: number): Promise<RollbackPlan> {
    return this.#rollback.plan(rowId);
  }

  rollBack(rowId: number, options?: RollbackOptions): Promise<RollbackResult> {
    return this.#rollback.rollBack(rowId, options);
  }

  continueFrom(rowId: number, conversation?: string): Promise<void> {
    return this.#rollback.continueFrom(rowId, conversation);
  }

  forgot(key: LineageKey): void {
    this.#keeping.forget(key);
  }

  async close(): Promise<void> {
    await this.#retention.close();
    await this.#keeping.close();
  }

  dispose(): void {
    this.#retention.dispose();
  }
}

interface StateRetentionOptions {
  readonly clock: Clock;
  readonly states: Pick<StateStore, 'trim'>;
  readonly log: Logger;
  limits(): HostLimits;
}

/** Number of new states in a lineage after which the store is trimmed. */
const EVERY = 200;
/** Or the total characters of new states. */
const EVERY_CHARACTERS = 64_000_000;
/** Delay of the first run after a start. */
const FIRST_MS = 30_000;
const DAY_MS = 86_400_000;

/** Enforces the limits of stored states in the background. */
class StateRetention implements Disposable {
  readonly #options: StateRetentionOptions;
  readonly #first: Disposable;
  readonly #counts = new Map<string, number>();
  #characters = 0;
  #trimming: Promise<void> | undefined;

  constructor(options: StateRetentionOptions) {
    this.#options = options;
    this.#first = options.clock.delay(FIRST_MS, () => this.#trim());
  }

  kept(key: LineageKey, characters: number): void {
    const text = keyText(key);
    const count = (this.#counts.get(text) ?? 0) + 1;
    this.#counts.set(text, count);
    this.#characters += characters;
    if (count >= EVERY || this.#characters >= EVERY_CHARACTERS) this.#trim();
  }

  /** Resolves after running work has ended. */
  async close(): Promise<void> {
    this.dispose();
    await this.#trimming;
  }

  dispose(): void {
    this.#first.dispose();
  }

  #trim(): void {
    if (this.#trimming !== undefined) return;
    this.#counts.clear();
    this.#characters = 0;
    const { clock, states, log } = this.#options;
    const { maxCheckpoints, stateDays, stateMegabytes } = this.#options.limits();
    const kept = { count: maxCheckpoints, ageMs: stateDays * DAY_MS, characters: stateMegabytes * 1_000_000 };
    this.#trimming = states
      .trim(kept, Math.floor(clock.now()))
      .catch((error: unknown) => log.log('warn', `Old states were not given up: ${messageOf(error)}`))
      .finally(() => (this.#trimming = undefined));
  }
}
