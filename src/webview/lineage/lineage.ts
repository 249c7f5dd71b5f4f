import { element } from '../shared/elements.ts';
import { LineageDetail } from './lineageDetail.ts';
import { comparison, withMark } from './lineageKeys.ts';
import { LineageList } from './lineageList.ts';
import {
  countText,
  decodeLineagePageState,
  type FromLineagePage,
  type LineagePageState,
  type LineageStatus,
  type LineageView,
  noRowsText,
  type PageDetail,
  type PageFilter,
  type PageRow,
  shortCountText,
  type ToLineagePage,
} from './lineageMessages.ts';
import { LineageNotices } from './lineageNotices.ts';
import { type LineageTool, LineageTools } from './lineageTools.ts';

interface EditorApi {
  postMessage(message: FromLineagePage): void;
  getState(): unknown;
  setState(state: LineagePageState): void;
}

declare function acquireVsCodeApi(): EditorApi;

const EVERYTHING: PageFilter = { text: '', only: 'all' };

/** The lineage page, in a side view or a tab. */
class LineagePage {
  readonly #editor = acquireVsCodeApi();
  readonly #tools = new LineageTools({
    chose: (key) => this.#chooseLineage(key),
    filtered: (filter) => this.#filter(filter),
    pressed: (tool) => this.#press(tool),
    left: () => this.#list.focus(),
  });
  readonly #notices = new LineageNotices({
    retried: () => this.#send({ type: 'retry' }),
    shown: (rowId) => this.#locate(rowId),
    unblocked: (rowId) => this.#send({ type: 'unblock', place: rowId }),
  });
  readonly #list = new LineageList({
    needs: (list, { from, to }) => this.#send({ type: 'rows', list, from, count: to - from }),
    chose: (row, isOpened) => this.#chose(row, isOpened),
    compared: () => this.#compare(),
    typed: () => this.#tools.focusSearch(true),
    marked: (row) => this.#mark(row),
  });
  readonly #detail = new LineageDetail({
    act: (action, rowId) => this.#send({ type: 'act', action, place: rowId }),
    closed: (hadFocus) => this.#closed(hadFocus),
  });
  readonly #rows = element('div', { class: 'rows' });
  #view: LineageView = { kind: 'loading' };
  #status: LineageStatus | undefined;
  #key = '';
  /** Whether the next status belongs to another lineage or filter. */
  #isOther = true;
  #marks: readonly number[] = [];
  /** The checkpoint whose detail is requested. */
  #wanted: number | undefined;
  /** The checkpoint to select without opening its detail. */
  #quiet: number | undefined;

  start(): void {
    const kept = decodeLineagePageState(this.#editor.getState());
    this.#key = kept?.key ?? '';
    this.#quiet = kept?.place;
    this.#tools.setFilter(kept?.filter ?? EVERYTHING);
    // Sent first, so that the editor prepares the data while the page is built.
    this.#send({ type: 'ready', key: this.#key, filter: this.#tools.filter });
    window.addEventListener('message', ({ data }: MessageEvent<ToLineagePage>) => this.#receive(data));
    this.#rows.append(columns(), this.#list.root, this.#notices.message);
    const main = element('main', { children: [this.#rows, this.#detail.root] });
    document.body.append(this.#tools.root, this.#notices.banner, main, this.#notices.said);
    this.#showView({ kind: 'loading' });
    document.addEventListener('keydown', (event) => this.#pageKey(event));
  }

  #receive(message: ToLineagePage): void {
    switch (message.type) {
      case 'view':
        return this.#showView(message.view);
      case 'rows':
        return this.#list.add(message.list, message.rows);
      case 'detail':
        return this.#showDetail(message.detail);
      case 'reveal':
        return this.#reveal(message.position, message.place);
    }
  }

  #showView(view: LineageView): void {
    this.#view = view;
    if (view.kind === 'shown') this.#setStatus(view.status);
    else this.#showNoRows(view);
    this.#enable();
  }

  #showNoRows(view: Exclude<LineageView, { kind: 'shown' }>): void {
    if (view.kind === 'loading') return this.#notices.load();
    this.#status = undefined;
    this.#isOther = true;
    this.#notices.block(undefined);
    if (view.kind === 'empty') this.#notices.empty(view.text);
    else this.#notices.fail(view.text);
    if (view.kind === 'empty') this.#tools.setChoices([], '');
  }

  #setStatus(status: LineageStatus): void {
    const isSame = !this.#isOther && this.#status?.key === status.key;
    const isNew = this.#status === undefined;
    this.#isOther &&= this.#status?.list === status.list;
    this.#status = status;
    this.#key = status.key;
    this.#tools.setChoices(status.choices, status.key);
    this.#notices.block(status.blocked);
    const { filter } = this.#tools;
    this.#tools.setCount(countText(status, filter), shortCountText(status, filter));
    this.#notices.sayCount(countText(status, filter));
    const none = noRowsText(status, filter);
    if (none !== '') this.#notices.empty(none);
    else if (this.#notices.clear()) this.#list.focus();
    this.#list.set(status, isSame);
    this.#keep();
    if (isNew && this.#quiet !== undefined) this.#send({ type: 'locate', place: this.#quiet });
  }

  #showDetail(detail: PageDetail | undefined): void {
    if (detail !== undefined) {
      if (detail.place === this.#wanted) this.#detail.show(detail);
    } else if (this.#wanted !== undefined) {
      this.#detail.close();
      this.#notices.say('The checkpoint is no longer kept.');
    }
  }

  #reveal(position: number, rowId: number): void {
    const isQuiet = rowId === this.#quiet;
    this.#quiet = undefined;
    this.#list.reveal(position, rowId);
    this.#keep();
    if (isQuiet) return;
    this.#open(rowId);
    this.#list.focus();
  }

  #chooseLineage(key: string): void {
    this.#key = key;
    this.#isOther = true;
    this.#marks = [];
    this.#list.mark(this.#marks);
    this.#list.clear();
    this.#detail.close();
    this.#send({ type: 'choose', key });
    this.#enable();
  }

  #filter(filter: PageFilter): void {
    this.#isOther = true;
    this.#send({ type: 'filter', filter });
    this.#keep();
    const { selected } = this.#list;
    if (selected === undefined || filter.text !== '') return;
    // After the search is cleared, keep the selected checkpoint in view with its neighbors.
    this.#quiet = selected;
    this.#send({ type: 'locate', place: selected });
  }

  #locate(rowId: number): void {
    this.#quiet = undefined;
    const { text, only } = this.#tools.filter;
    if (text !== '' || only !== 'all') {
      this.#tools.setFilter(EVERYTHING);
      this.#isOther = true;
      this.#send({ type: 'filter', filter: EVERYTHING });
    }
    this.#send({ type: 'locate', place: rowId });
  }

  #chose({ place }: PageRow, isOpened: boolean): void {
    this.#quiet = undefined;
    this.#keep();
    this.#enable();
    if (isOpened || this.#detail.isOpen) this.#open(place);
  }

  #open(rowId: number): void {
    this.#wanted = rowId;
    this.#send({ type: 'select', place: rowId });
  }

  #closed(hadFocus: boolean): void {
    this.#wanted = undefined;
    if (hadFocus) this.#list.focus();
  }

  #mark({ place, id }: PageRow): void {
    this.#marks = withMark(this.#marks, place);
    this.#list.mark(this.#marks);
    this.#enable();
    if (!this.#marks.includes(place)) this.#notices.say(`${id} is not marked any more.`);
    else if (this.#marks.length === 1) this.#notices.say(`${id} is marked. Mark another one to compare them.`);
    else this.#notices.say(`${id} is marked, the second one. Press Shift+Enter to compare them.`);
  }

  #press(tool: LineageTool): void {
    if (tool === 'compare') this.#compare();
    else if (tool === 'head') this.#goToHead();
    else this.#send({ type: tool });
  }

  #goToHead(): void {
    const head = this.#status?.head;
    if (head === undefined) return;
    this.#list.goTo(head);
    this.#list.focus();
  }

  #compare(): void {
    const rowIds = comparison(this.#marks, this.#list.selected);
    if (rowIds === undefined) return this.#notices.say('Mark a checkpoint with Space, then select another one.');
    this.#send({ type: 'compare', places: rowIds });
  }

  #pageKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      if (this.#stepBack(event.target)) event.preventDefault();
    } else if (event.key === 'f' && (event.ctrlKey || event.metaKey) && !event.altKey) {
      event.preventDefault();
      this.#tools.focusSearch(false);
    }
  }

  /** Closes the innermost state first: typing, the detail, marks, the search. */
  #stepBack(target: EventTarget | null): boolean {
    const isTyping = target instanceof HTMLInputElement;
    if (isTyping && this.#tools.clearSearch()) return true;
    if (this.#detail.isOpen) {
      this.#detail.close();
      return true;
    }
    if (this.#marks.length > 0) {
      this.#marks = [];
      this.#list.mark(this.#marks);
      this.#enable();
      this.#notices.say('Nothing is marked any more.');
      return true;
    }
    this.#list.focus();
    return this.#tools.clearSearch() || isTyping;
  }

  #enable(): void {
    const isShown = this.#view.kind === 'shown' || this.#status !== undefined;
    this.#tools.enable({
      head: this.#status?.head !== undefined,
      compare: comparison(this.#marks, this.#list.selected) !== undefined,
      export: (this.#status?.all ?? 0) > 0,
      list: isShown,
    });
  }

  #keep(): void {
    const rowId = this.#list.selected ?? this.#quiet;
    const state = { key: this.#key, filter: this.#tools.filter };
    this.#editor.setState(rowId === undefined ? state : { ...state, place: rowId });
  }

  #send(message: FromLineagePage): void {
    this.#editor.postMessage(message);
  }
}

/** Column headers, if there is room for them. */
function columns(): HTMLElement {
  const names: readonly (readonly [string, string])[] = [
    ['graph', ''],
    ['checkpoint', 'Checkpoint'],
    ['call', 'Tool'],
    ['size', 'Size'],
    ['time', 'Time'],
  ];
  const cells = names.map(([name, text]) => element('span', { class: name, text }));
  return element('div', { class: 'row columns', attributes: { 'aria-hidden': 'true' }, children: cells });
}

new LineagePage().start();
