import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { LineageKey } from '../model/lineage.ts';
import type { HostLimits } from '../model/server.ts';
import type { StateStore } from '../ports.ts';
import { keyText } from './lineageKey.ts';

export interface StateRetentionOptions {
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
export class StateRetention implements Disposable {
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
