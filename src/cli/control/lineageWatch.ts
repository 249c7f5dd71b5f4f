import { type Disposable, disposeAll, type JsonObject, type Lineages } from '../../core/index.ts';
import { briefLineageView, troubleView } from './lineageViews.ts';

/** Tells of states as they change, and while it is switched on also of what other processes do with the same store. */
export class LineageWatch implements Disposable {
  readonly #lineages: Lineages;
  readonly #listening: readonly Disposable[];
  #watching: Disposable | undefined;

  constructor(lineages: Lineages, write: (message: JsonObject) => void) {
    this.#lineages = lineages;
    this.#listening = [
      lineages.onDidChange(() => write({ event: 'lineages', lineages: lineages.list().map(briefLineageView) })),
      lineages.onDidBreak((trouble) => write({ event: 'stateTrouble', ...troubleView(trouble) })),
    ];
  }

  switch(on: boolean): void {
    if (on) this.#watching ??= this.#lineages.watch();
    else this.#stop();
  }

  dispose(): void {
    disposeAll(this.#listening);
    this.#stop();
  }

  #stop(): void {
    this.#watching?.dispose();
    this.#watching = undefined;
  }
}
