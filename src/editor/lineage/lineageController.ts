import {
  type Disposable,
  isJsonArray,
  type LineageKey,
  type Lineages,
  type LineageSummary,
  type LineageWindow,
  parseJson,
} from '../../core/index.ts';
import {
  type CheckpointAction,
  FIRST_ROWS,
  type FromLineagePage,
  type LineageStatus,
  type LineageView,
  type PageDetail,
  type PageFilter,
  type ToLineagePage,
} from '../../webview/lineage/lineageMessages.ts';
import { lineageText, titleText } from './lineageText.ts';
import { pageDetail, pageRow } from './pageRows.ts';

/** Page requests that only read data. */
type Handled = 'ready' | 'filter' | 'choose' | 'rows' | 'select';
const ALL: PageFilter = { text: '', only: 'all' };

/** The services of a lineage page. */
interface LineagePagePort {
  send(message: ToLineagePage): void;
  now(): number;
  /** Why there are no lineages, with the next step. */
  emptyText(): string;
  failureText(error: unknown): string;
  /** Runs the page's other commands. */
  act(action: CheckpointAction, rowId: number): void;
  compare(rowIds: readonly [number, number]): void;
  unblock(key: LineageKey): void;
  run(what: 'export' | 'import' | 'open', key: LineageKey | undefined): void;
}

type Source = Pick<Lineages, 'onDidChange' | 'list' | 'loaded' | 'watch' | 'window' | 'checkpoint'>;

/** Controls one lineage page, in the side bar or a tab: sends its status and the requested rows. */
export class LineageController implements Disposable {
  readonly #lineages: Source;
  readonly #port: LineagePagePort;
  readonly #listener: Disposable;
  #watch: Disposable | undefined;
  #isReady = false;
  #isDisposed = false;
  #key: LineageKey | undefined;
  #filter = ALL;
  #list = 0;
  /** Identifies the current list of rows. */
  #stamp = '';
  #window: LineageWindow | undefined;
  #sentView = '';
  #sentDetail = '';
  #isEmpty = false;
  #selected: number | undefined;
  /** The checkpoint to reveal as soon as possible. */
  #wanted: number | undefined;
  #reading: Promise<void> | undefined;
  #isStale = false;

  constructor(lineages: Source, port: LineagePagePort) {
    this.#lineages = lineages;
    this.#port = port;
    this.#listener = lineages.onDidChange(() => {
      if (this.#watch !== undefined) void this.refresh();
    });
  }

  /** The shown lineage. */
  get key(): LineageKey | undefined {
    return this.#key;
  }

  /** Polls for changes of other windows while the page is visible. */
  setVisible(isVisible: boolean): void {
    if (isVisible === (this.#watch !== undefined)) return;
    this.#watch?.dispose();
    this.#watch = isVisible ? this.#lineages.watch() : undefined;
    // The editor destroys a hidden page, which starts again when shown.
    if (!isVisible) this.#isReady = false;
  }

  /** Shows a lineage and one of its checkpoints. */
  show(key: LineageKey, rowId?: number): Promise<void> {
    this.#key = key;
    this.#wanted = rowId;
    return this.refresh();
  }

  /** Without lineages, the hint depends on the servers. */
  serverChanged(): void {
    if (this.#isEmpty) void this.refresh();
  }

  receive(message: FromLineagePage | undefined): void {
    if (message === undefined) return;
    switch (message.type) {
      case 'ready':
        return this.#begin(message.key, message.filter);
      case 'filter':
        this.#filter = message.filter;
        return void this.refresh();
      case 'choose':
        this.#key = keyOf(message.key) ?? this.#key;
        this.#selected = undefined;
        return void this.refresh();
      case 'rows':
        return void this.#sendRows(message.list, message.from, message.count);
      case 'select':
        this.#selected = message.place;
        this.#sentDetail = '';
        return void this.#sendDetail();
      default:
        return this.#pass(message);
    }
  }

  /** Reads the page's data again. Concurrent calls share one read. */
  refresh(): Promise<void> {
    if (this.#reading !== undefined) {
      this.#isStale = true;
      return this.#reading;
    }
    const reading = this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    this.#reading = reading;
    return reading;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#watch?.dispose();
    this.#listener.dispose();
  }

  #pass(message: Exclude<FromLineagePage, { type: Handled }>): void {
    switch (message.type) {
      case 'act':
        return this.#port.act(message.action, message.place);
      case 'compare':
        return this.#port.compare(message.places);
      case 'locate':
        this.#wanted = message.place;
        return void this.refresh();
      case 'unblock':
        if (this.#key !== undefined) this.#port.unblock(this.#key);
        return;
      case 'retry':
        this.#sentView = '';
        return void this.refresh();
      case 'export':
      case 'import':
      case 'open':
        return this.#port.run(message.type, this.#key);
    }
  }

  /** A page that was hidden or reloaded only has its stored state. */
  #begin(key: string, filter: PageFilter): void {
    this.#isReady = true;
    this.#key ??= keyOf(key);
    this.#filter = filter;
    this.#stamp = '';
    this.#sentView = '';
    this.#sentDetail = '';
    void this.refresh();
  }

  async #readAll(): Promise<void> {
    do {
      this.#isStale = false;
      try {
        await this.#read();
      } catch (error) {
        // The next change or the user retries.
        this.#stamp = '';
        this.#sendView({ kind: 'failed', text: this.#port.failureText(error) });
      }
    } while (this.#isStale && !this.#isDisposed);
  }

  async #read(): Promise<void> {
    if (!this.#isReady || this.#isDisposed) return;
    if (this.#sentView === '') this.#sendView({ kind: 'loading' });
    await this.#lineages.loaded();
    const summary = this.#chosen();
    if (summary === undefined) return this.#sendView({ kind: 'empty', text: this.#port.emptyText() });
    this.#key = keyIn(summary);
    const filter = this.#filter;
    const window = await this.#lineages.window({ ...keyIn(summary), filter, from: 0, count: FIRST_ROWS });
    // The page requested something else in the meantime, which comes next.
    if (filter !== this.#filter || !isSame(summary, this.#key)) return;
    this.#window = window;
    this.#showWindow(summary, window);
    await this.#sendDetail();
    await this.#reveal();
  }

  /** The selected lineage, else a blocked one, else the last changed one. */
  #chosen(): LineageSummary | undefined {
    const all = this.#lineages.list();
    const chosen = all.find((each) => isSame(each, this.#key));
    const byAge = [...all].sort((one, other) => other.changedAt - one.changedAt);
    return chosen ?? byAge.find(({ blocked }) => blocked !== undefined) ?? byAge[0];
  }

  #showWindow(summary: LineageSummary, window: LineageWindow): void {
    const stamp = JSON.stringify([keyIn(summary), this.#filter, window.version]);
    const isNew = stamp !== this.#stamp;
    if (isNew) this.#list++;
    this.#stamp = stamp;
    this.#sendView({ kind: 'shown', status: this.#status(summary, window) });
    if (!isNew || window.rows.length === 0) return;
    const now = this.#port.now();
    this.#port.send({ type: 'rows', list: this.#list, rows: window.rows.map((row) => pageRow(row, now)) });
  }

  #status(summary: LineageSummary, { total, all, head, lanes }: LineageWindow): LineageStatus {
    const { blocked } = summary;
    return {
      key: keyText(summary),
      choices: this.#lineages.list().map((each) => ({ key: keyText(each), label: lineageText(each) })),
      list: this.#list,
      total,
      all,
      head,
      lanes,
      blocked: blocked === undefined ? undefined : { text: blockedText(summary), place: blocked.place },
    };
  }

  async #sendRows(list: number, from: number, count: number): Promise<void> {
    const key = this.#key;
    if (list !== this.#list || key === undefined) return;
    try {
      const window = await this.#lineages.window({ ...key, filter: this.#filter, from, count });
      if (list !== this.#list) return;
      // It changed since the page got its status.
      if (window.version !== this.#window?.version) return await this.refresh();
      const now = this.#port.now();
      this.#port.send({ type: 'rows', list, rows: window.rows.map((row) => pageRow(row, now)) });
    } catch (error) {
      this.#stamp = '';
      this.#sendView({ kind: 'failed', text: this.#port.failureText(error) });
    }
  }

  async #sendDetail(): Promise<void> {
    const rowId = this.#selected;
    if (rowId === undefined) return;
    try {
      const found = await this.#lineages.checkpoint(rowId);
      // After switching the lineage, a quick selection could still refer to an old row.
      if (rowId !== this.#selected || (found !== undefined && !isSame(found, this.#key))) return;
      const blocked = this.#lineages.list().find((each) => isSame(each, found))?.blocked;
      this.#showDetail(found === undefined ? undefined : pageDetail(found, blocked !== undefined, this.#port.now()));
    } catch (error) {
      this.#sendView({ kind: 'failed', text: this.#port.failureText(error) });
    }
  }

  #showDetail(detail: PageDetail | undefined): void {
    // A changed relative time is no change.
    const sent = detail === undefined ? 'none' : JSON.stringify(detail).replaceAll(AGO, '');
    if (sent === this.#sentDetail) return;
    this.#sentDetail = sent;
    this.#port.send({ type: 'detail', detail });
  }

  async #reveal(): Promise<void> {
    const rowId = this.#wanted;
    const key = this.#key;
    if (rowId === undefined || key === undefined) return;
    this.#wanted = undefined;
    const position = await this.#positionOf(key, rowId);
    if (position !== undefined) this.#port.send({ type: 'reveal', position, place: rowId });
  }

  /** Binary search: row ids decrease with the position. */
  async #positionOf(key: LineageKey, rowId: number): Promise<number | undefined> {
    const near = this.#window?.rows.find(({ node }) => node.place === rowId);
    if (near !== undefined) return near.position;
    let from = 0;
    let to = this.#window?.total ?? 0;
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      const { rows } = await this.#lineages.window({ ...key, filter: this.#filter, from: middle, count: 1 });
      const [row] = rows;
      if (row === undefined) return undefined;
      if (row.node.place === rowId) return row.position;
      if (row.node.place > rowId) from = middle + 1;
      else to = middle;
    }
    return undefined;
  }

  #sendView(view: LineageView): void {
    const text = JSON.stringify(view);
    this.#isEmpty = view.kind === 'empty';
    if (text === this.#sentView || this.#isDisposed) return;
    this.#sentView = text;
    this.#port.send({ type: 'view', view });
  }
}

const AGO = /, (?:just now|\d+ (?:min|h|d) ago)/g;

/** Why the next call is blocked, and the possible actions. */
export function blockedText({ blocked, head }: Pick<LineageSummary, 'blocked' | 'head'>): string {
  if (blocked === undefined) return '';
  const what = `The state of ${titleText(blocked)} could not be made, so calls of this set are refused.`;
  return head === undefined
    ? `${what} There is no good checkpoint before it: forget the lineage to start again.`
    : `${what} Continue from ${titleText(head)}, the last good one, or roll back.`;
}

function keyText({ server, featureSet }: LineageKey): string {
  return JSON.stringify([server, featureSet]);
}

export function keyIn({ server, featureSet }: LineageKey): LineageKey {
  return { server, featureSet };
}

export function isSame(one: LineageKey, other: LineageKey | undefined): boolean {
  return one.server === other?.server && one.featureSet === other.featureSet;
}

export function keyOf(text: string): LineageKey | undefined {
  try {
    const value = parseJson(text);
    const [server, featureSet] = isJsonArray(value) ? value : [];
    return typeof server === 'string' && typeof featureSet === 'string' ? { server, featureSet } : undefined;
  } catch {
    return undefined;
  }
}
