import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { cleaning, type Logger } from '../base/log.ts';
import type { Recorder } from '../audit/auditLog.ts';
import { keyText, type LineageKey } from '../model/lineage.ts';
import type { HostLimits } from '../model/server.ts';
import type { GrantStore, Ids, Logs, StateStore } from '../ports.ts';
import type { StoredLineages } from './storedLineages.ts';
import { StateCalls, type StatefulServer, StateQueue } from './stateCalls.ts';
import { StateOwners } from './stateOwners.ts';
import { StateKeeping } from './stateKeeping.ts';
import { StateRollback } from './stateRollback.ts';
import { messageOf } from '../base/errors.ts';

interface StateServiceOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logs: Logs;
  readonly states: StateStore;
  readonly grants: GrantStore;
  readonly audit: Recorder;
  readonly lineages: Pick<StoredLineages, 'changed' | 'broke'>;
  readonly limits: () => HostLimits;
  find(server: string): StatefulServer | undefined;
}

/** Creates the parts that act on states, and connects them. Loaded with the first call that involves a state. */
export class StateService implements Disposable {
  readonly #keeping: StateKeeping;
  readonly #retention: StateRetention;
  readonly #owners: StateOwners;
  readonly calls: StateCalls;
  readonly rollback: StateRollback;

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
    this.#retention = new StateRetention({ clock, states, log: logs.host, limits: options.limits });
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
    this.calls = new StateCalls({ clock, states, queue, keeping, owners: this.#owners, log, redact, find });
    const onMoved = (key: LineageKey): void => lineages.changed(key);
    this.rollback = new StateRollback({ clock, states, queue, keeping, audit, redact, find, onMoved });
  }

  /** The set that owned the first state of a tool without a set. */
  ownerOf(server: string, tool: string): Promise<string | undefined> {
    return this.#owners.of(server, tool);
  }

  /** A lineage was removed: drops states that wait to be stored for it. */
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
  readonly limits: () => HostLimits;
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
