import { type CancellationToken, unlessCancelled } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { Era } from '../model/server.ts';
import type { EraVerdict, VerdictStore } from '../ports.ts';
import type { Handshake } from '../wire/handshake.ts';
import { decodeAdvert } from '../wire/mcpl/advert.ts';
import { LEGACY_VERDICT_MS } from './openingPlan.ts';

interface EraMemoryOptions {
  readonly verdicts: VerdictStore;
  readonly fingerprint: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly token: CancellationToken;
}

/**
 * The reason for the era of a start. `answer`: the server's behavior. `silence`: no answer in time. `load`: no answer
 * in time, but the machine was slow too.
 */
type EraBasis = 'answer' | 'silence' | 'load';

/**
 * Remembers a server's era for the next start. A verdict from silence is stored only if two starts agree, and a late
 * answer replaces it. If the store fails, the next start asks again.
 */
export class EraMemory {
  readonly #options: EraMemoryOptions;
  #basis: EraBasis = 'answer';
  #lateEra: Era | undefined;
  #handshake: Handshake | undefined;

  constructor(options: EraMemoryOptions) {
    this.#options = options;
  }

  async find(): Promise<EraVerdict | undefined> {
    const { verdicts, fingerprint, token, log } = this.#options;
    try {
      return await unlessCancelled(verdicts.find(fingerprint), token, 'The start');
    } catch (error) {
      if (token.isCancellationRequested) throw error;
      log.log('warn', `What the server speaks could not be looked up: ${messageOf(error)}`);
      return undefined;
    }
  }

  async forget(): Promise<void> {
    const { verdicts, fingerprint, log } = this.#options;
    try {
      await verdicts.forget(fingerprint);
    } catch (error) {
      log.log('warn', `What the server spoke could not be forgotten: ${messageOf(error)}`);
    }
  }

  wasSilent(): void {
    this.#basis = 'silence';
  }

  /** Compares how long a silent process was silent with the time that the next one took to open its session. */
  replaced(silentMs: number, openedMs: number): void {
    // On a busy machine every process is slow, so silence says nothing about the server.
    if (this.#basis === 'silence' && openedMs * CLEARLY_FASTER > silentMs) this.#basis = 'load';
  }

  async opened(handshake: Handshake, before?: EraVerdict): Promise<void> {
    const { verdicts, fingerprint, clock, log } = this.#options;
    this.#handshake = handshake;
    const mcpl = decodeAdvert(handshake.capabilities) !== undefined;
    const era = this.#lateEra ?? handshake.era;
    const at = clock.now();
    if (before?.era === era && before.mcpl === mcpl && isRecent(before, at, LEGACY_VERDICT_MS / 2)) return;
    try {
      // Silence only ever implies the older era.
      const isCertain = mcpl || era === 'modern' || (await this.#mayConclude(at));
      if (isCertain) await verdicts.save({ fingerprint, era, mcpl, at });
    } catch (error) {
      log.log('warn', `What the server speaks could not be kept: ${messageOf(error)}`);
    }
  }

  /** The server answered the question after `initialize` was sent. */
  async answeredLate(era: Era): Promise<void> {
    this.#basis = 'answer';
    this.#lateEra = era;
    if (this.#handshake === undefined) return;
    await this.#options.verdicts.forget(this.#silenceKey);
    await this.opened(this.#handshake);
  }

  get #silenceKey(): string {
    return `${this.#options.fingerprint} silent`;
  }

  async #mayConclude(at: number): Promise<boolean> {
    if (this.#basis !== 'silence') return this.#basis === 'answer';
    const { verdicts } = this.#options;
    const before = await verdicts.find(this.#silenceKey);
    if (before !== undefined && isRecent(before, at, LEGACY_VERDICT_MS)) return true;
    await verdicts.save({ fingerprint: this.#silenceKey, era: 'legacy', mcpl: false, at });
    return false;
  }
}

const CLEARLY_FASTER = 3;

function isRecent({ at }: EraVerdict, now: number, ms: number): boolean {
  return at <= now && now - at < ms;
}
