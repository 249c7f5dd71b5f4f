import { type Disposable, Emitter, type Event, type SettingsLayer } from '../../core/index.ts';

/** Settings layers contributed by other extensions, which have the lowest priority. */
export class ContributedLayers implements Disposable {
  readonly #layers = new Map<object, SettingsLayer>();
  readonly #changed = new Emitter<void>();

  readonly onDidChange: Event<void> = this.#changed.event;

  /** In a stable order, independent of activation. */
  get all(): readonly SettingsLayer[] {
    const by = ({ contributed }: SettingsLayer): string => contributed?.by.id ?? '';
    return [...this.#layers.values()].sort((a, b) => (by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : 0));
  }

  /** `undefined` removes the layer. */
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
