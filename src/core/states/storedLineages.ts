import { type Disposable, DisposableStore, toDisposable } from '../base/disposable.ts';
import { messageOf } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { Logger } from '../base/log.ts';
import { Throttle } from '../base/throttle.ts';
import type { Lineages, RollbackOptions, RollbackPlan, RollbackResult, StateTrouble } from '../hostTypes.ts';
import {
  type Checkpoint,
  type CheckpointDetail,
  keyText,
  type LineageKey,
  type LineageQuery,
  type LineageSummary,
  type LineageWindow,
} from '../model/lineage.ts';
import type { Annotation, Clock, StateImport, StateStore } from '../ports.ts';

/** Parts that are loaded on demand. */
export interface LineageActions {
  readonly rollback: Pick<Lineages, 'plan' | 'rollBack' | 'continueFrom'>;
  /** A lineage was removed: drops states that wait to be stored for it. */
  forgot(key: LineageKey): void;
}

interface StoredLineagesOptions {
  readonly clock: Clock;
  readonly states: StateStore;
  readonly log: Logger;
  actions(): Promise<LineageActions>;
}

/** Minimum interval between updates of views. */
const TELL_MS = 100;
/** Polling interval for changes by other windows. */
const LOOK_MS = 2_000;

/** The lineages of all servers, as last read. Actions on them are loaded on demand. */
export class StoredLineages implements Lineages, Disposable {
  readonly #options: StoredLineagesOptions;
  readonly #store = new DisposableStore();
  readonly #changed: Emitter<void>;
  readonly #broke: Emitter<StateTrouble>;
  readonly onDidChange: Event<void>;
  readonly onDidBreak: Event<StateTrouble>;
  #list: readonly LineageSummary[] = [];
  /** Keys of existing lineages. */
  readonly #known = new Set<string>();
  #loading: Promise<void> | undefined;
  #isLoaded = false;
  #isAsked = false;
  readonly #telling: Throttle;
  #version: number | undefined;
  #watchers = 0;
  #looking: Disposable | undefined;
  #isFailing = false;

  constructor(options: StoredLineagesOptions) {
    this.#options = options;
    const onError = (error: unknown): void => options.log.log('error', messageOf(error));
    this.#changed = this.#store.add(new Emitter<void>(onError));
    this.#broke = this.#store.add(new Emitter<StateTrouble>(onError));
    this.onDidChange = this.#changed.event;
    this.onDidBreak = this.#broke.event;
    this.#telling = this.#store.add(new Throttle(options.clock, TELL_MS, () => void this.#refresh()));
    this.#store.add(
      toDisposable(() => {
        this.#looking?.dispose();
      }),
    );
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Whether such a lineage is known. */
  isKnown(key: LineageKey): boolean {
    return this.#known.has(keyText(key));
  }

  list(): readonly LineageSummary[] {
    // Only once, because a listener for the failure would ask again.
    if (!this.#isAsked) void this.loaded().then(() => this.#changed.fire());
    return this.#list;
  }

  /** Never rejects. A failed read is retried next time. */
  loaded(): Promise<void> {
    this.#isAsked = true;
    this.#loading ??= this.#read().then((isRead) => {
      this.#isLoaded = isRead;
      if (!isRead) this.#loading = undefined;
    });
    return this.#loading;
  }

  watch(): Disposable {
    if (this.#watchers++ === 0) void this.#look();
    return toDisposable(() => {
      if (--this.#watchers > 0) return;
      this.#looking?.dispose();
      this.#looking = undefined;
    });
  }

  /** Call this after something was stored. */
  changed(key: LineageKey): void {
    this.#known.add(keyText(key));
    this.#tell();
  }

  broke(trouble: StateTrouble): void {
    this.#broke.fire(trouble);
  }

  window(query: LineageQuery): Promise<LineageWindow> {
    return this.#options.states.window(query);
  }

  checkpoint(rowId: number): Promise<CheckpointDetail | undefined> {
    return this.#options.states.checkpoint(rowId);
  }

  find(server: string, checkpoint: string): Promise<readonly (Checkpoint & LineageKey)[]> {
    return this.#options.states.find(server, checkpoint);
  }

  state(rowId: number, form: 'compact' | 'pretty'): Promise<string | undefined> {
    return this.#options.states.state(rowId, form);
  }

  async plan(rowId: number): Promise<RollbackPlan> {
    return (await this.#options.actions()).rollback.plan(rowId);
  }

  async rollBack(rowId: number, options?: RollbackOptions): Promise<RollbackResult> {
    return (await this.#options.actions()).rollback.rollBack(rowId, options);
  }

  async continueFrom(rowId: number, conversation?: string): Promise<void> {
    await (await this.#options.actions()).rollback.continueFrom(rowId, conversation);
  }

  async annotate(rowId: number, change: Annotation): Promise<void> {
    await this.#options.states.annotate(rowId, change);
    this.#tell();
  }

  exportTo(key: LineageKey, file: string): Promise<number> {
    return this.#options.states.exportTo(key, file);
  }

  async importFrom(key: LineageKey, file: string): Promise<StateImport> {
    const imported = await this.#options.states.importFrom(key, file);
    this.changed(key);
    return imported;
  }

  async forget(key: LineageKey): Promise<void> {
    await this.#options.states.forget(key);
    (await this.#options.actions()).forgot(key);
    this.#known.delete(keyText(key));
    this.#tell();
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Merges changes. Does nothing before the first request. */
  #tell(): void {
    if (this.#isAsked || this.#changed.hasListeners) this.#telling.request();
  }

  async #refresh(): Promise<void> {
    if (this.#watchers > 0) await this.#versionNow();
    if (await this.#read()) this.#changed.fire();
  }

  /** Polls once, and repeatedly while there are viewers. */
  async #look(): Promise<void> {
    const before = this.#version;
    if ((await this.#versionNow()) && this.#version !== before) await this.#refresh();
    if (this.#watchers === 0 || this.#store.isDisposed || this.#looking !== undefined) return;
    this.#looking = this.#options.clock.delay(LOOK_MS, () => {
      this.#looking = undefined;
      void this.#look();
    });
  }

  #versionNow(): Promise<boolean> {
    return this.#attempt(async () => {
      this.#version = await this.#options.states.version();
    });
  }

  #read(): Promise<boolean> {
    return this.#attempt(async () => {
      this.#list = await this.#options.states.lineages();
      // Only adds keys: a lineage may have been created during the read.
      for (const lineage of this.#list) this.#known.add(keyText(lineage));
    });
  }

  /** Logs the first of consecutive failures only. */
  async #attempt(read: () => Promise<void>): Promise<boolean> {
    try {
      await read();
      this.#isFailing = false;
      return true;
    } catch (error) {
      if (!this.#isFailing) this.#options.log.log('error', `The lineages cannot be read: ${messageOf(error)}`);
      this.#isFailing = true;
      return false;
    }
  }
}
