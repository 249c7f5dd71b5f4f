import { KeyedQueue } from '../base/async.ts';
import { cleanLine } from '../base/cleanText.ts';
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { StateTrouble } from '../hostTypes.ts';
import type { Recorder } from '../audit/auditLog.ts';
import { type AuditOutcome, auditRecord } from '../model/audit.ts';
import { checkpointName, type KeptState, keyText, type LineageKey } from '../model/lineage.ts';
import type { StateRecord, StateStore, StateUpdate } from '../ports.ts';

interface StateKeepingOptions {
  readonly clock: Clock;
  readonly states: StateStore;
  readonly audit: Recorder;
  log(server: string): Logger;
  redact(server: string, text: string): string;
  /** Called after something was stored, with its size in characters. */
  onKept(key: LineageKey, characters: number): void;
  onBroken(trouble: StateTrouble): void;
}

/** A state to store. */
export interface NewState {
  readonly update: StateUpdate;
  /** Uses the checkpoint that is current at storage time, because the one of the request is unknown. */
  readonly isLoose: boolean;
}

/** States received while the store could not be written. */
interface Waiting {
  readonly states: NewState[];
  characters: number;
}

/** Maximum waiting states per set, and their total characters. Further ones are lost. */
const MAX_WAITING = 16;
const MAX_CHARACTERS = 64_000_000;
const MAX_PROBLEM = 1_000;

/** Stores states in order of arrival. States that cannot be stored wait in memory. */
export class StateKeeping {
  readonly #options: StateKeepingOptions;
  readonly #order = new KeyedQueue();
  /** By server, so that updates of all its sets delay other calls by at most one update. */
  readonly #announced = new KeyedQueue();
  readonly #waiting = new Map<string, Waiting>();
  readonly #working = new Set<Promise<unknown>>();

  constructor(options: StateKeepingOptions) {
    this.#options = options;
  }

  /** Stores the waiting states of a lineage. Rejects if the store still fails. */
  async flush(key: LineageKey): Promise<void> {
    if (this.#waiting.has(keyText(key))) await this.#inOrder(key, () => this.#flushed(key));
  }

  /** Stores the state of a result. Keeps it in memory if the store fails. */
  keep(key: LineageKey, made: () => Promise<NewState>): Promise<KeptState> {
    return this.#inOrder(key, async () => {
      const state = await made();
      try {
        await this.#flushed(key);
        return this.#keptOf(key, await this.#store(state));
      } catch (error) {
        return this.#postponed(state, messageOf(error));
      }
    });
  }

  /**
   * Stores a state that the server sent outside a call. If that fails, the server gets an error and may send it again.
   */
  store(key: LineageKey, made: () => Promise<NewState>): Promise<KeptState> {
    const work = async (): Promise<KeptState> => {
      await this.#flushed(key);
      return this.#keptOf(key, await this.#store(await made()));
    };
    return this.#inOrder(key, () => this.#announced.run(key.server, work));
  }

  /** The head moved: drops states that wait to be stored after the old head. */
  forget(key: LineageKey): void {
    const text = keyText(key);
    const waiting = this.#waiting.get(text)?.states.length ?? 0;
    this.#waiting.delete(text);
    if (waiting > 0) this.#log(key, 'warn', `States that could not be stored were given up: ${waiting}.`);
  }

  /** Reports a state that cannot be stored. */
  lost(key: LineageKey, problem: string, outcome: AuditOutcome): void {
    this.#log(key, 'warn', problem);
    this.#record(key, outcome, problem);
  }

  /** Finishes running work, and tries to store waiting states. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#working);
    for (const { states } of [...this.#waiting.values()]) {
      const update = states[0]?.update;
      if (update === undefined) continue;
      await this.flush(update).catch((error: unknown) => {
        this.#log(update, 'error', `States of "${update.featureSet}" are lost: ${messageOf(error)}`);
      });
    }
  }

  #inOrder<T>(key: LineageKey, work: () => Promise<T>): Promise<T> {
    const working = this.#order.run(keyText(key), work);
    this.#working.add(working);
    const over = (): void => void this.#working.delete(working);
    void working.then(over, over);
    return working;
  }

  async #flushed(key: LineageKey): Promise<void> {
    const text = keyText(key);
    const waiting = this.#waiting.get(text);
    for (;;) {
      const next = waiting?.states[0];
      if (waiting === undefined || next === undefined) break;
      await this.#store(next);
      // The user may have moved the head in the meantime.
      if (this.#waiting.get(text) !== waiting) return;
      waiting.states.shift();
      waiting.characters -= sizeOf(next);
    }
    this.#waiting.delete(text);
  }

  async #store({ update, isLoose }: NewState): Promise<StateRecord> {
    const { states } = this.#options;
    const { conversation, keeper } = update;
    const needsBase = isLoose && update.parent === undefined;
    const base = needsBase ? (await states.base(update, conversation, keeper)).head?.place : update.base;
    const record = await states.record({ ...update, base });
    this.#report(update, record);
    return record;
  }

  #report(update: StateUpdate, record: StateRecord): void {
    const { kind, node, written, remarks } = record;
    const name = checkpointName(node);
    for (const remark of remarks) this.#log(update, 'info', `State ${name} of "${update.featureSet}": ${remark}`);
    if (kind === 'known') return;
    this.#options.onKept(update, written);
    if (kind !== 'broken') return;
    const problem = this.#problemOf(update, record);
    this.#log(update, 'error', `The state ${name} of "${update.featureSet}" could not be made: ${problem}`);
    this.#record(update, 'failure', `${name}: ${problem}`);
    this.#broken(update, node.place, problem);
  }

  #postponed(state: NewState, why: string): KeptState {
    const { update } = state;
    const { checkpoint } = update;
    const text = keyText(update);
    const waiting = this.#waiting.get(text) ?? { states: [], characters: 0 };
    const size = sizeOf(state);
    const all = [...this.#waiting.values()].reduce((sum, { characters }) => sum + characters, size);
    const isFull = waiting.states.length >= MAX_WAITING || all > MAX_CHARACTERS;
    if (!isFull) {
      waiting.states.push(state);
      waiting.characters += size;
      this.#waiting.set(text, waiting);
    }
    const next = isFull ? 'Too many wait already: it is lost.' : 'That is tried again before the next call.';
    const problem = `It could not be stored: ${sentence(why)} ${next}`;
    this.#log(update, 'error', `The state ${checkpoint} of "${update.featureSet}" could not be stored: ${why}`);
    this.#record(update, 'failure', `${checkpoint}: ${problem}`);
    this.#broken(update, undefined, problem);
    return { kind: 'lost', checkpoint, problem };
  }

  #keptOf(key: LineageKey, record: StateRecord): KeptState {
    const { kind, node } = record;
    const checkpoint = checkpointName(node);
    const { place } = node;
    if (kind !== 'broken') return { kind, checkpoint, place };
    return { kind, checkpoint, place, problem: this.#problemOf(key, record) };
  }

  /** The problem may quote text of the server. */
  #problemOf({ server }: LineageKey, { node }: StateRecord): string {
    const problem = node.problem ?? 'There is no state at it.';
    return cleanLine(this.#options.redact(server, problem), MAX_PROBLEM);
  }

  #broken(update: StateUpdate, rowId: number | undefined, problem: string): void {
    const { server, featureSet, tool } = update;
    this.#options.onBroken({ server, featureSet, place: rowId, tool, problem });
  }

  #log({ server }: LineageKey, level: 'info' | 'warn' | 'error', message: string): void {
    this.#options.log(server).log(level, cleanLine(message));
  }

  #record({ server, featureSet }: LineageKey, outcome: AuditOutcome, detail: string): void {
    const { audit, clock } = this.#options;
    const facts = { at: clock.now(), server, operation: 'state/checkpoint', featureSet, outcome };
    audit.record(auditRecord({ ...facts, detail: this.#options.redact(server, detail) }));
  }
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function sizeOf({ update }: NewState): number {
  return update.body?.text.length ?? 0;
}
