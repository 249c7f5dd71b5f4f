import { icon } from '../shared/drawings.ts';
import { element, show } from '../shared/elements.ts';
import { LINEAGE_CHOICES, type LineageChoice, type PageFilter } from './lineageMessages.ts';

interface LineageToolsEvents {
  chose(key: string): void;
  filtered(filter: PageFilter): void;
  pressed(tool: LineageTool): void;
  /** The user left the search for its results. */
  left(): void;
}

export type LineageTool = 'head' | 'compare' | 'export' | 'import' | 'open';

const CHOICES: Readonly<Record<PageFilter['only'], string>> = {
  all: 'All',
  line: 'Current branch',
  marked: 'Pinned and named',
  problems: 'Problems',
};

const TOOLS: readonly (readonly [LineageTool, string, string])[] = [
  ['head', 'Go to Head', 'Go to the checkpoint that the next call begins with'],
  ['compare', 'Compare', 'Compare two checkpoints: mark one with Space or Ctrl+click, then another one'],
  ['export', 'Export…', 'Export this lineage to a file'],
  ['import', 'Import…', 'Import a lineage from a file'],
  ['open', 'Open as Editor', 'Open this lineage as an editor'],
];

/** Debounce interval for typing. */
const FILTER_MS = 150;

/** The toolbar above the list: lineage, filter and actions. */
export class LineageTools {
  readonly root: HTMLElement;
  readonly #events: LineageToolsEvents;
  readonly #lineage = element('select', { id: 'lineage', attributes: { 'aria-label': 'Lineage' } });
  readonly #search = element('input', {
    id: 'search',
    attributes: {
      type: 'search',
      placeholder: 'Search',
      'aria-label': 'Search name, id, tool or arguments',
      maxlength: '1000',
      spellcheck: 'false',
    },
  });
  readonly #only = element('select', { id: 'only', attributes: { 'aria-label': 'Show' } });
  readonly #count = element('span', { class: 'long' });
  readonly #shortCount = element('span', { class: 'short' });
  readonly #buttons: ReadonlyMap<LineageTool, HTMLButtonElement>;
  readonly #filters: HTMLElement;
  #choices: readonly LineageChoice[] = [];
  #typing: number | undefined;
  #sent = '';

  constructor(events: LineageToolsEvents) {
    this.#events = events;
    for (const value of LINEAGE_CHOICES) this.#only.append(new Option(CHOICES[value], value));
    this.#buttons = new Map(TOOLS.map(([tool, text, title]) => [tool, this.#button(tool, text, title)]));
    const buttons = element('div', { class: 'buttons', children: [...this.#buttons.values()] });
    const count = element('span', { class: 'count', children: [this.#count, this.#shortCount] });
    const search = element('div', { class: 'search', children: [this.#search, count] });
    const only = element('div', { class: 'select', children: [this.#only] });
    this.#filters = element('div', { class: 'filters', children: [search, only] });
    const lineage = element('div', { class: 'select lineage', children: [this.#lineage] });
    const children = [lineage, buttons, this.#filters];
    this.root = element('header', { attributes: { role: 'group', 'aria-label': 'Lineage' }, children });
    this.#lineage.addEventListener('change', () => this.#events.chose(this.#lineage.value));
    this.#only.addEventListener('change', () => this.#filter());
    this.#search.addEventListener('input', () => this.#typed());
    this.#search.addEventListener('keydown', (event) => this.#key(event));
    this.setChoices([], '');
    this.enable({ head: false, compare: false, export: false, list: false });
  }

  get filter(): PageFilter {
    const only = LINEAGE_CHOICES.find((value) => value === this.#only.value) ?? 'all';
    return { text: this.#search.value, only };
  }

  setFilter({ text, only }: PageFilter): void {
    clearTimeout(this.#typing);
    this.#search.value = text;
    this.#only.value = only;
    this.#sent = `${only} ${text}`;
  }

  setChoices(choices: readonly LineageChoice[], key: string): void {
    const isSame =
      choices.length === this.#choices.length &&
      choices.every((choice, at) => choice.key === this.#choices[at]?.key && choice.label === this.#choices[at].label);
    // Replacing the options would close an open menu.
    if (!isSame || choices.length === 0) {
      this.#choices = choices;
      const options = choices.map((choice) => new Option(choice.label, choice.key));
      this.#lineage.replaceChildren(...(options.length === 0 ? [new Option('No lineage')] : options));
    }
    this.#lineage.disabled = choices.length === 0;
    if (choices.length > 0) this.#lineage.value = key;
    this.#lineage.title = this.#lineage.selectedOptions[0]?.text ?? '';
  }

  /** `short` is for narrow views. */
  setCount(text: string, short: string): void {
    this.#count.textContent = text;
    this.#shortCount.textContent = short;
  }

  /** Disables unavailable actions. `list`: whether there are rows to search. */
  enable(can: {
    readonly head: boolean;
    readonly compare: boolean;
    readonly export: boolean;
    readonly list: boolean;
  }): void {
    this.#enable('head', can.head);
    this.#enable('compare', can.compare);
    this.#enable('export', can.export);
    show(this.#filters, can.list);
  }

  /** Focuses the search for typing. */
  focusSearch(isForMore: boolean): void {
    this.#search.focus();
    if (isForMore) this.#search.setSelectionRange(this.#search.value.length, this.#search.value.length);
    else this.#search.select();
  }

  /** Returns whether there was a search to clear. */
  clearSearch(): boolean {
    if (this.#search.value === '') return false;
    this.#search.value = '';
    this.#filter();
    return true;
  }

  #enable(tool: LineageTool, isEnabled: boolean): void {
    const target = this.#buttons.get(tool);
    if (target === undefined) return;
    // A disabled button would lose the focus.
    target.setAttribute('aria-disabled', String(!isEnabled));
  }

  #button(tool: LineageTool, text: string, title: string): HTMLButtonElement {
    const label = element('span', { class: 'text', text });
    const made = element('button', {
      class: `tool ${tool}`,
      attributes: { type: 'button', title, 'aria-label': text.replace('…', '') },
      children: [icon(tool), label],
    });
    made.addEventListener('click', () => {
      if (made.getAttribute('aria-disabled') !== 'true') this.#events.pressed(tool);
    });
    return made;
  }

  #key(event: KeyboardEvent): void {
    if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
    event.preventDefault();
    this.#filter();
    this.#events.left();
  }

  #typed(): void {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#filter(), FILTER_MS);
  }

  #filter(): void {
    clearTimeout(this.#typing);
    const { filter } = this;
    const wanted = `${filter.only} ${filter.text}`;
    if (wanted === this.#sent) return;
    this.#sent = wanted;
    this.#events.filtered(filter);
  }
}
