import { type Disposable, Emitter, type Event, type SettingsLayer } from '../../core/index.ts';

/** What other extensions contribute to the servers, as layers of the settings: the weakest of all. */
export class ContributedLayers implements Disposable {
  readonly #layers = new Map<object, SettingsLayer>();
  readonly #changed = new Emitter<void>();

  readonly onDidChange: Event<void> = this.#changed.event;

  /** In an order that does not depend on which extension was faster. */
  get all(): readonly SettingsLayer[] {
    const by = ({ contributed }: SettingsLayer): string => contributed?.by.id ?? '';
    return [...this.#layers.values()].sort((a, b) => (by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : 0));
  }

  /** `undefined` takes it away. */
  set(key: object, layer: SettingsLayer | undefined): void {
    if (layer === undefined) {
      if (!this.#layers.delete(key)) return;
    } else this.#layers.set(key, layer);
    this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
