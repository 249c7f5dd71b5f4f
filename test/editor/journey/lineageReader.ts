import type { FrameLocator, Locator } from 'playwright-core';
import { isFullDose } from '../../support/dose.ts';
import { Approver } from './approver.ts';
import type { JourneyEditor } from './journeyEditor.ts';
import { until } from './until.ts';

/** The side bar's page has a title, and the page in a tab has none. */
const PAGES = {
  side: 'iframe.webview.ready[src*="purpose=webviewView"]',
  tab: 'iframe.webview.ready:not([src*="purpose=webviewView"])',
} as const;
type Place = keyof typeof PAGES;

const BOX = '.quick-input-widget:visible input';
const MODAL = '.monaco-dialog-box';

/** The light theme last, because the editor starts with it. */
const THEMES = [
  ['Dark High Contrast', 'hc-black'],
  ['Light High Contrast', 'hc-light'],
  ['Dark Modern', 'vs-dark'],
  ['Light Modern', 'vs'],
] as const;

export type Args = Readonly<Record<string, string | true>>;

/** A user of a lineage: in the side bar, in a tab, in the tree, and in dialogs. */
export class LineageReader {
  readonly me: Approver;
  readonly #editor: JourneyEditor;

  constructor(editor: JourneyEditor) {
    this.#editor = editor;
    this.me = new Approver(editor);
  }

  page(place: Place = 'side'): FrameLocator {
    const frames = this.#editor.page.locator(PAGES[place]);
    return frames.filter({ visible: true }).last().contentFrame().frameLocator('iframe#active-frame');
  }

  at(selector: string, place: Place = 'side'): Locator {
    return this.page(place).locator(selector);
  }

  /** The visible rows from top to bottom, as `label [badge] tool`. */
  async rows(place: Place = 'side'): Promise<readonly string[]> {
    return this.at('.list', place).evaluate<readonly string[], unknown>(ROWS);
  }

  /** The rows as a screen reader reads them, from top to bottom. */
  async spoken(place: Place = 'side'): Promise<readonly string[]> {
    return this.at('.list', place).evaluate<readonly string[], unknown>(SPOKEN);
  }

  async untilRows(what: string, fits: (rows: readonly string[]) => boolean, place: Place = 'side'): Promise<void> {
    await until(what, this.#editor, async () => fits(await this.rows(place).catch(() => [])));
  }

  async untilText(selector: string, expected: RegExp, place: Place = 'side'): Promise<string> {
    let text = '';
    await until(`${selector} with ${expected.source}`, this.#editor, async () => {
      text = (await this.at(selector, place).allInnerTexts()).join('\n');
      return expected.test(text);
    });
    return text;
  }

  /** The selected row as a screen reader reads it. */
  async selected(place: Place = 'side'): Promise<string> {
    const rows = this.at('.row[aria-selected="true"]', place);
    return (await rows.count()) === 0 ? '' : ((await rows.first().getAttribute('aria-label')) ?? '');
  }

  async untilSelected(expected: RegExp, place: Place = 'side'): Promise<void> {
    await until(`the selection of ${expected.source}`, this.#editor, async () =>
      expected.test(await this.selected(place)),
    );
  }

  /** In a new form, so that nothing is left of the last one. */
  async call(tool: string, args: Args): Promise<void> {
    const { page, person } = this.#editor;
    await person.command('View: Close All Editors');
    await page.locator(PAGES.tab).first().waitFor({ state: 'detached' });
    await person.clickTreeItem(tool, 'Call Tool');
    await this.at('button.primary:enabled', 'tab').waitFor();
    await this.me.again(args);
  }

  modal(text = ''): Locator {
    return this.#editor.page.locator(MODAL, { hasText: text });
  }

  async modalText(): Promise<string> {
    await this.modal().waitFor();
    return this.modal().innerText();
  }

  async answer(button: string): Promise<void> {
    await this.#editor.person.dialog(button);
    await this.modal().waitFor({ state: 'hidden' });
  }

  /** Types a path into the file dialog of the editor in a browser. */
  async chooseFile(file: string): Promise<void> {
    const { page } = this.#editor;
    await page.locator('.quick-input-list .monaco-list-row').first().waitFor();
    const box = page.locator(BOX).first();
    // The dialog first shows its own folder, and validates the typed path before it accepts it.
    await until('the dialog to take the file', this.#editor, async () => {
      if (!(await box.isVisible())) return true;
      await box.fill(file, { timeout: 1_000 }).catch(() => undefined);
      await box.press('Enter', { timeout: 1_000 }).catch(() => undefined);
      return false;
    });
  }

  async importFile(file: string, set: string): Promise<void> {
    const { person } = this.#editor;
    await person.command('MCP Live: Import Lineage…', set);
    await this.chooseFile(file);
  }

  /** Selects a lineage. */
  async choose(label: string, place: Place = 'side'): Promise<void> {
    const choices = this.at('#lineage', place);
    await until(`${label} to choose`, this.#editor, async () => (await choices.innerText()).includes(label));
    await choices.selectOption({ label });
  }

  /** Double-clicks, and expects a single question. */
  async rollBack(): Promise<void> {
    await this.at('.detail button:has-text("Roll Back to Here")').dblclick();
    await this.modal().waitFor();
  }

  /** The accessibility attributes of the selected row. */
  async attributes(place: Place = 'side'): Promise<Readonly<Record<string, string>>> {
    return this.at('.list', place).evaluate<Readonly<Record<string, string>>, unknown>(ATTRIBUTES);
  }

  /** The lane of each row, from top to bottom. */
  async lanes(place: Place = 'side'): Promise<readonly string[]> {
    return this.at('.list', place).evaluate<readonly string[], unknown>(LANES);
  }

  async shot(name: string): Promise<void> {
    await this.#editor.page.mouse.move(640, 846);
    await this.#editor.page.evaluate<unknown>(SETTLED);
    await this.#editor.person.screenshot(`journey lineage ${name}`);
  }

  async shotInThemes(name: string): Promise<void> {
    if (!isFullDose) return this.shot(`${name} vs`);
    for (const [theme, isShown] of THEMES) {
      await this.#editor.person.command('Preferences: Color Theme');
      await this.#editor.person.answerInput(theme);
      await this.#editor.person.waitFor(`.monaco-workbench.${isShown}`);
      await this.shot(`${name} ${isShown}`);
    }
  }

  async told(text: string): Promise<string> {
    const toast = this.me.toast(text);
    await toast.waitFor();
    return toast.innerText();
  }

  async clear(): Promise<void> {
    await this.#editor.person.command('Notifications: Clear All Notifications');
    const toasts = this.#editor.page.locator('.notification-toast');
    await until('no notification', this.#editor, async () => (await toasts.count()) === 0);
  }
}

/** Runs in the page, without this project's types. */
const inOrder = `[...document.querySelectorAll('.list [role="treeitem"]:not([hidden])')]
  .sort((a, b) => Number(a.getAttribute('aria-posinset')) - Number(b.getAttribute('aria-posinset')))`;
const ROWS = `${inOrder}.map((row) => ['.label', '.badge', '.tool-name']
  .map((part) => row.querySelector(part)?.textContent ?? '').filter((text) => text !== '').join(' '))`;
const SPOKEN = `${inOrder}.map((row) => row.getAttribute('aria-label') ?? '')`;
const LANES = `${inOrder}.map((row) =>
  [...row.querySelector('.node').classList].find((name) => name.startsWith('lane-')) ?? '')`;
const ATTRIBUTES = `(() => {
  const row = document.querySelector('[aria-selected="true"]');
  const names = ['role', 'aria-selected', 'aria-posinset', 'aria-setsize'];
  const isActive = document.querySelector('.list').getAttribute('aria-activedescendant') === row.id;
  return { ...Object.fromEntries(names.map((name) => [name, row.getAttribute(name)])), isActive: String(isActive) };
})()`;
/** New animations start with the next frame. */
const SETTLED = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() =>
  Promise.allSettled(
    document.getAnimations()
      .filter(({ effect }) => effect?.getTiming().iterations !== Infinity)
      .map(({ finished }) => finished),
  ))`;
