import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { JourneyEditor } from './journeyEditor.ts';
import { turnRow } from '../../harness/person.ts';
import { until } from './until.ts';

/** Only fully shown toasts. Earlier, they are half transparent. */
const TOASTS = '.notifications-toasts .notification-toast.notification-fade-in-done';
const ROWS = '.sidebar .pane-body .monaco-list-row';
const MENU = '.monaco-menu .action-menu-item';

/** Waits until nothing fades or moves, except for endless animations. New elements start with the next frame. */
const settled = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() =>
  Promise.allSettled(
    document.getAnimations()
      .filter(({ effect }) => effect?.getTiming().iterations !== Infinity)
      .map(({ finished }) => finished),
  ))`;

const exactly = (text: string): RegExp => new RegExp(`^\\s*${text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}\\s*$`);

/** A user of the views, forms and notifications about approvals. */
export class Approver {
  readonly #editor: JourneyEditor;
  #folded: string | undefined;

  constructor(editor: JourneyEditor) {
    this.#editor = editor;
  }

  row(label: string | RegExp): Locator {
    const name = this.#editor.page.locator('.label-name', {
      hasText: typeof label === 'string' ? exactly(label) : label,
    });
    return this.#editor.page.locator(ROWS).filter({ has: name }).first();
  }

  async untilRow(expected: RegExp): Promise<void> {
    await until(`a row like ${expected.source}`, this.#editor, async () =>
      (await this.#editor.person.treeRows()).some((row) => expected.test(row)),
    );
  }

  async untilNoRow(expected: RegExp): Promise<void> {
    await until(`no row like ${expected.source}`, this.#editor, async () =>
      (await this.#editor.person.treeRows()).every((row) => !expected.test(row)),
    );
  }

  /** The rows as a screen reader reads them. */
  async spoken(pattern: RegExp): Promise<readonly string[]> {
    const rows = await this.#editor.page.locator(ROWS).all();
    const labels = await Promise.all(rows.map((row) => row.getAttribute('aria-label')));
    return labels.filter((label) => label !== null).filter((label) => pattern.test(label));
  }

  /** Expands these rows from the top. Starts again if one collapses or moves, as while the tree is refreshed. */
  async unfold(...path: readonly string[]): Promise<void> {
    await until(`${path.join(' > ')} to unfold`, this.#editor, async () => {
      for (const label of path) if (!(await turnRow(this.row(label), true))) return false;
      return true;
    });
  }

  async fold(label: string): Promise<void> {
    await until(`${label} to fold`, this.#editor, () => turnRow(this.row(label), false));
  }

  /** Shows only the tools of this server, because other servers have rows with the same name. */
  async seeTools(server: string): Promise<void> {
    if (this.#folded !== undefined && this.#folded !== server) await this.fold(this.#folded);
    this.#folded = server;
    await this.unfold(server, 'Tools');
  }

  async call(tool: string, args: Readonly<Record<string, string | true>>): Promise<void> {
    const { person } = this.#editor;
    await person.command('View: Close All Editors');
    await person.clickTreeItem(tool, 'Call Tool');
    await this.again(args);
  }

  /** Runs the open form again, with some changed arguments. */
  async again(args: Readonly<Record<string, string | true>> = {}): Promise<void> {
    const { person } = this.#editor;
    for (const [name, value] of Object.entries(args)) {
      const field = `.field:has(.label > :text-is("${name}"))`;
      if (value === true) await person.webviewClick(`${field} .check input`);
      else await person.webviewFill(`${field} :is(input, textarea)`, value);
    }
    await person.webviewClick('button.primary:enabled');
  }

  async result(expected: RegExp): Promise<void> {
    await until(`a result like ${expected.source}`, this.#editor, async () =>
      (await this.#editor.person.webviewTexts('.result:not(.stale)')).some((text) => expected.test(text)),
    );
  }

  toast(text: string): Locator {
    return this.#editor.page.locator(TOASTS).filter({ hasText: text }).first();
  }

  /** With the mouse, by the button's full name, because the visible text may be truncated. */
  async answer(text: string, button: string): Promise<void> {
    await this.toast(text).getByRole('button', { name: button, exact: true }).click();
  }

  /** Asserts that there is no notification, waiting row or badge. */
  async isNotAsked(): Promise<void> {
    const { page, person } = this.#editor;
    assert.deepEqual(await page.locator(TOASTS).allInnerTexts(), []);
    assert.deepEqual(
      (await person.treeRows()).filter((row) => /^(Call|Read|Append|Move) /.test(row)),
      [],
    );
    assert.equal(await this.badge(), '');
  }

  /** The container's badge: the number of waiting requests. */
  async badge(): Promise<string> {
    const tab = this.#editor.page.locator('.activitybar .action-item[role="tab"]:has([aria-label^="MCP Live"])');
    return (await tab.locator('.badge-content').allInnerTexts()).join('').trim();
  }

  /** The focused element as a screen reader reads it. */
  async focused(): Promise<string> {
    return this.#editor.page.evaluate<string>(
      `document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''`,
    );
  }

  /** Presses the key until the focused element is read like this. */
  async pressTo(key: string, expected: RegExp): Promise<void> {
    for (let left = 20; !expected.test(await this.focused()); left--) {
      assert.ok(left > 0, `${key} does not lead to ${expected.source}, but to ${await this.focused()}.`);
      await this.#editor.person.press(key);
    }
  }

  /** Uses the context menu of a row with the mouse. */
  async menu(label: string | RegExp, item: string): Promise<void> {
    await this.row(label).click({ button: 'right' });
    const entry = this.#editor.page.locator(MENU, { hasText: item }).first();
    await entry.waitFor();
    // A menu ignores a click right after it has opened.
    await until(`${item} to be chosen`, this.#editor, async () => {
      await entry.click({ timeout: 1_000 }).catch(() => undefined);
      return !(await entry.isVisible());
    });
  }

  /** The same with the keyboard. */
  async menuByKeys(spoken: RegExp, item: RegExp): Promise<void> {
    const { person, page } = this.#editor;
    await person.command('Focus on Approvals View');
    await this.pressToRow(spoken);
    await person.press('Shift+F10');
    await page.locator(MENU).first().waitFor();
    await this.pressTo('ArrowDown', item);
    await person.press('Enter');
  }

  /** A list keeps the focus and marks its active row. */
  async pressToRow(spoken: RegExp): Promise<void> {
    const { person, page } = this.#editor;
    const focused = async (): Promise<string> =>
      page.evaluate<string>(
        `document.querySelector('.sidebar .monaco-list:focus .monaco-list-row.focused')?.getAttribute('aria-label') ?? ''`,
      );
    for (let left = 20; !spoken.test(await focused()); left--) {
      assert.ok(left > 0, `No row like ${spoken.source} gets the focus, but ${await focused()}.`);
      await person.press('ArrowDown');
    }
  }

  /** Uses only the keyboard in the command palette. */
  async commandByKeys(title: string): Promise<void> {
    const { person } = this.#editor;
    await person.press('F1');
    await person.waitFor('.quick-input-widget:visible input');
    await person.type(title);
    await person.waitFor(`.quick-input-list .monaco-list-row.focused:has-text(${JSON.stringify(title)})`);
    await person.press('Enter');
  }

  /** Selects in a list with the keyboard. */
  async pickByKeys(label: string): Promise<void> {
    const { person, page } = this.#editor;
    const row = page.locator('.quick-input-list .monaco-list-row', { hasText: label }).first();
    await row.waitFor();
    for (let left = 20; !/focused/.test((await row.getAttribute('class')) ?? ''); left--) {
      assert.ok(left > 0, `The keys do not lead to ${label}.`);
      await person.press('ArrowDown');
    }
    await person.press('Enter');
  }

  /** The pointer must not rest on the text, which would show a hint. */
  async shot(name: string): Promise<void> {
    await this.#editor.page.mouse.move(640, 700);
    await this.#editor.page.evaluate<unknown>(settled);
    await this.#editor.person.screenshot(`journey scopes ${name}`);
  }
}
