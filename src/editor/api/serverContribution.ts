import type { Event as TheirEvent, ServerProvider } from '../../../media/mcp-live.d.ts';
import {
  CancellationSource,
  canonicalJson,
  type Clock,
  type Contributor,
  type Disposable,
  ignoreFailure,
  type Logger,
  messageOf,
  type SettingsLayer,
  Throttle,
  toDisposable,
  unlessCancelled,
} from '../../core/index.ts';
import type { ContributedLayers } from '../settings/contributedLayers.ts';
import { failedLayer, providedLayer } from './providedServers.ts';
import { toJson } from '../shared/settingsJson.ts';

const ANSWER_MS = 10_000;
/** Minimum delay after a change, because changes come in bursts or endlessly. */
const PAUSE_MS = 100;

interface ContributionOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly layers: ContributedLayers;
}

/** The servers of one provider, requested at the start and after each change, one request at a time. */
export class ServerContribution implements Disposable {
  readonly #options: ContributionOptions;
  readonly #provider: ServerProvider;
  readonly #by: Contributor;
  readonly #changes: Disposable;
  readonly #reasking: Throttle;
  #layer: SettingsLayer | undefined;
  #asking: CancellationSource | undefined;
  #isOutdated = false;
  #isDisposed = false;

  constructor(provider: ServerProvider, by: Contributor, options: ContributionOptions) {
    this.#options = options;
    this.#provider = provider;
    this.#by = by;
    this.#reasking = new Throttle(options.clock, PAUSE_MS, () => this.#ask());
    this.#changes = this.#follow(provider);
    this.#ask();
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#changes.dispose();
    this.#reasking.dispose();
    this.#asking?.cancel();
    this.#options.layers.set(this, undefined);
  }

  #follow(provider: ServerProvider): Disposable {
    try {
      const event: TheirEvent<void> | undefined = provider.onDidChangeServers?.bind(provider);
      const listening: unknown = event?.(() => this.#changed());
      return toDisposable(() => this.#endListening(listening));
    } catch (error) {
      this.#warn(`its "onDidChangeServers" failed: ${messageOf(error)}`);
      return toDisposable(() => undefined);
    }
  }

  #endListening(listening: unknown): void {
    try {
      if (isDisposable(listening)) listening.dispose();
    } catch (error) {
      this.#warn(`it did not end its "onDidChangeServers": ${messageOf(error)}`);
    }
  }

  #changed(): void {
    if (this.#isDisposed) return;
    this.#isOutdated = true;
    if (this.#asking === undefined) this.#reasking.request();
  }

  #ask(): void {
    this.#isOutdated = false;
    const source = new CancellationSource();
    this.#asking = source;
    ignoreFailure(
      this.#answer(source)
        .catch((error: unknown) => failedLayer(this.#layer, this.#by, messageOf(error)))
        .then((layer) => {
          this.#asking = undefined;
          if (this.#isDisposed) return;
          this.#publish(layer);
          if (this.#isOutdated) this.#changed();
        }),
    );
  }

  async #answer(source: CancellationSource): Promise<SettingsLayer> {
    let isLate = false;
    const timer = this.#options.clock.delay(ANSWER_MS, () => {
      isLate = true;
      source.cancel();
    });
    try {
      const asked = (async (): Promise<unknown> => this.#provider.provideServers(source.token))();
      return providedLayer(await unlessCancelled(asked, source.token, 'The question'), this.#by);
    } catch (error) {
      if (isLate) throw new Error(`it did not answer within ${ANSWER_MS / 1_000} s.`);
      throw error;
    } finally {
      timer.dispose();
      source.cancel();
    }
  }

  #publish(layer: SettingsLayer): void {
    for (const problem of layer.contributed?.problems ?? []) this.#warn(problem);
    const isSame = this.#layer !== undefined && canonicalJson(toJson(this.#layer)) === canonicalJson(toJson(layer));
    this.#layer = layer;
    if (!isSame) this.#options.layers.set(this, layer);
  }

  #warn(text: string): void {
    this.#options.log.log('warn', `Servers of the extension ${this.#by.id}: ${text}`);
  }
}

function isDisposable(value: unknown): value is Disposable {
  return typeof value === 'object' && value !== null && 'dispose' in value && typeof value.dispose === 'function';
}
