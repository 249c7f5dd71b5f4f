import { LineageLayout } from '../../src/core/states/patches/lineageLayout.ts';
import type { FromLineagePage, PageRow, ToLineagePage } from '../../src/webview/lineage/lineageMessages.ts';
import { HISTORIES, parentsOf } from './lineageHistories.ts';
import { seededRandom } from './schedule.ts';

const SEED = 1;
const KEY = 'memory.notes';
const FIRST_DAY = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const TOOLS = ['write_file', 'append_note', 'search_and_replace', 'rename', 'commit', 'create_issue'];
const FILES = ['src/index.ts', 'docs/architecture/decisions.md', 'notes/2026-01.md', 'package.json'];

/** The number of newest rows that the editor sends without a request. */
const FIRST_ROWS = 60;

const pick = <T>(items: readonly T[], index: number): T | undefined => items[index % items.length];

/** A stub of the editor for the page. It has all checkpoints of a generated lineage, and sends requested rows. */
export class StubEditor {
  readonly #layout = new LineageLayout();
  readonly #parents: number[] = [];
  /** Ancestors of the newest checkpoint. */
  readonly #line = new Set<number>();
  #list = 1;

  constructor(count: number, history = 'usual') {
    const make = HISTORIES[history];
    if (make === undefined) throw new Error(`There is no history "${history}".`);
    for (const parent of parentsOf(make, count, seededRandom(SEED))) this.#add(parent);
    for (let row = count - 1; row >= 0; row = this.#parents[row] ?? -1) this.#line.add(row);
  }

  get layout(): LineageLayout {
    return this.#layout;
  }

  /** The name of the newest checkpoint. Once it is visible, the page is ready. */
  get newest(): string {
    return idOf(this.#layout.rows - 1);
  }

  /** One more checkpoint, after the newest. */
  append(): readonly ToLineagePage[] {
    this.#line.add(this.#layout.rows);
    this.#add(this.#layout.rows - 1);
    this.#list += 1;
    return this.#shown();
  }

  answer(message: FromLineagePage): readonly ToLineagePage[] {
    switch (message.type) {
      case 'ready':
      case 'filter':
      case 'choose':
        return this.#shown();
      case 'rows':
        return message.list === this.#list ? [this.#rows(message.from, message.count)] : [];
      case 'select':
        return [this.#detail(message.place)];
      case 'locate':
        return [{ type: 'reveal', position: this.#layout.rows - message.place, place: message.place }];
      default:
        return [];
    }
  }

  /** Newest first, like on the page. */
  rows(from: number, count: number): readonly PageRow[] {
    const { rows } = this.#layout;
    const end = rows - from;
    const first = Math.max(0, end - count);
    return this.#layout
      .graphs(first, end)
      .map((graph, index) => this.#row(first + index, graph))
      .toReversed();
  }

  #add(parent: number): void {
    this.#layout.append(parent);
    this.#parents.push(parent);
  }

  #rows(from: number, count: number): ToLineagePage {
    return { type: 'rows', list: this.#list, rows: this.rows(from, count) };
  }

  #shown(): readonly ToLineagePage[] {
    return [this.#view(), this.#rows(0, FIRST_ROWS)];
  }

  #view(): ToLineagePage {
    const { rows: total, lanes } = this.#layout;
    const choices = [{ key: KEY, label: 'memory › notes' }];
    const status = { key: KEY, choices, list: this.#list, total, all: total, head: 0, lanes, blocked: undefined };
    return { type: 'view', view: { kind: 'shown', status } };
  }

  #row(row: number, graph: PageRow['graph']): PageRow {
    const newest = this.#layout.rows - 1;
    const time = timeOf(row);
    const tool = pick(TOOLS, row * 7) ?? '';
    const kind = row % 211 === 100 ? 'broken' : row % 307 === 150 ? 'unknown' : row % 401 === 200 ? 'pruned' : 'good';
    return {
      position: newest - row,
      place: row + 1,
      id: idOf(row),
      name: row % 53 === 20 ? 'Before the great renaming' : '',
      kind,
      tool,
      args: `path: ${pick(FILES, row * 3)}, text: a line of some length`,
      time,
      size: row % 16 === 0 ? '102 KB' : `patch ${100 + (row % 800)} B`,
      isHead: row === newest,
      isOnLine: this.#line.has(row),
      isPinned: row % 53 === 20,
      conversations: row % 97 === 40 ? 2 : 0,
      rollbacks: row % 89 === 20 ? 1 : 0,
      link: row % 29 === 3 ? 'rollback' : row % 13 === 5 ? 'assumed' : 'named',
      graph,
      spoken: `${idOf(row)}, ${kind}, made by ${tool} on ${time}.`,
    };
  }

  #detail(place: number): ToLineagePage {
    const facts = [
      { label: 'Tool', value: pick(TOOLS, (place - 1) * 7) ?? '' },
      { label: 'Time', value: timeOf(place - 1) },
    ];
    const body = '[\n  { "op": "add", "path": "/notes/-", "value": "Ask Alice about the offsite" }\n]';
    const detail = { place, title: idOf(place - 1), facts, problem: '', bodyLabel: 'Patch', body };
    return { type: 'detail', detail: { ...detail, actions: ['rollBack', 'continue', 'openState', 'pin', 'copyId'] } };
  }
}

function idOf(row: number): string {
  return `chk_${(row + 1).toString(36).padStart(5, '0')}`;
}

function timeOf(row: number): string {
  return new Date(FIRST_DAY + row * MINUTE).toISOString().slice(5, 16).replace('T', ' ');
}
