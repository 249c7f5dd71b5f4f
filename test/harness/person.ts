import { type FrameLocator, type Locator, type Page, errors } from 'playwright-core';
import { takeScreenshot } from './browser.ts';

/**
 * Actions that only a user can take in the editor. The driver performs them with Playwright. Tests in the extension
 * host request them over the bridge, so arguments and results are plain JSON.
 */
export interface Person {
  readonly click: (selector: string) => Promise<void>;
  readonly type: (text: string) => Promise<void>;
  readonly press: (key: string) => Promise<void>;
  /** The texts of all visible matches. */
  readonly texts: (selector: string) => Promise<readonly string[]>;
  readonly waitFor: (selector: string) => Promise<void>;
  /** Starts recording every text that matches ever have, however briefly. */
  readonly watch: (selector: string) => Promise<void>;
  /** All recorded texts, latest last. */
  readonly seen: () => Promise<readonly string[]>;
  readonly screenshot: (name: string) => Promise<string>;
  /**
   * Runs a command by its title in the command palette. With a choice, selects it from the list that the command shows.
   */
  readonly command: (title: string, choice?: string) => Promise<void>;
  /** Opens a view container by its title in the activity bar. */
  readonly openContainer: (title: string) => Promise<void>;
  /** Drags the border of the side bar to this width in pixels. */
  readonly resizeSideBar: (width: string) => Promise<void>;
  /**
   * Clicks a tree row by its label. With an action: `checkbox`, `expand`, `collapse`, or the title of its inline
   * button.
   */
  readonly clickTreeItem: (label: string, action?: string) => Promise<void>;
  /** Double-clicks the inline button of a tree row, at the same place even if the row gets other buttons meanwhile. */
  readonly doubleClickTreeItem: (label: string, action: string) => Promise<void>;
  /** The visible rows of the trees in the side bar, or of one view, indented by level: `label description [x]`. */
  readonly treeRows: (view?: string) => Promise<readonly string[]>;
  /** Clicks a button of a waiting notification (toast or notification centre). */
  readonly notification: (button: string, message?: string) => Promise<void>;
  readonly notifications: () => Promise<readonly string[]>;
  /** The buttons of the waiting notifications that are cut with this font: `Deny: 43 of 47 px`. */
  readonly cutButtons: (font: string) => Promise<readonly string[]>;
  /** Clicks a button of the open modal dialog. Only without the smoke-test driver, under which modals throw. */
  readonly dialog: (button: string) => Promise<void>;
  /** Answers the open input box. */
  readonly answerInput: (text: string) => Promise<void>;
  readonly pick: (label: string) => Promise<void>;
  readonly webviewClick: (selector: string) => Promise<void>;
  readonly webviewFill: (selector: string, text: string) => Promise<void>;
  readonly webviewTexts: (selector: string) => Promise<readonly string[]>;
}

export type PersonAction = keyof Person;

/** In one step, because elements may disappear between two. */
const visibleTexts = async (matches: Locator): Promise<readonly string[]> =>
  (await matches.filter({ visible: true }).allInnerTexts()).map((text) => text.trim());

/** Returns nothing if the page closes meanwhile. */
const unlessGone = async (texts: Promise<readonly string[]>): Promise<readonly string[]> => {
  try {
    return await texts;
  } catch (error) {
    if (
      error instanceof Error &&
      /Frame was detached|Target closed|Cannot find context|context was destroyed/.test(error.message)
    )
      return [];
    throw error;
  }
};

const quoted = (text: string): string => JSON.stringify(text);

const exactly = (text: string): RegExp => new RegExp(`^\\s*${text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}\\s*$`);

/** The label is exact: `tools` must not find `tools of another server`. */
const treeRow = (page: Page, label: string): Locator =>
  page
    .locator('.pane-body .monaco-list-row')
    .filter({ has: page.locator('.label-name', { hasText: exactly(label) }) })
    .first();

const unlessLate = (error: unknown): void => {
  if (!(error instanceof errors.TimeoutError)) throw error;
};

/** Time for a row to expand or collapse before it is clicked again. */
const TURN_MS = 3_000;

/** Expands or collapses a row. Returns whether it did: a row that is repainted at that moment loses the click. */
export const turnRow = async (row: Locator, isExpanded: boolean): Promise<boolean> => {
  const turned = row.and(row.page().locator(`[aria-expanded="${isExpanded}"]`));
  if (await turned.isVisible()) return true;
  if (!(await row.isVisible())) return false;
  await row.locator('.monaco-tl-twistie').click({ timeout: TURN_MS }).catch(unlessLate);
  await turned.waitFor({ timeout: TURN_MS }).catch(unlessLate);
  return turned.isVisible();
};

/** Like a user, checks the result and tries again. */
const turnRowSurely = async (row: Locator, isExpanded: boolean): Promise<void> => {
  await row.waitFor();
  for (let left = 10; left > 0; left--) if (await turnRow(row, isExpanded)) return;
  throw new Error(`A row did not ${isExpanded ? 'expand' : 'collapse'}: ${await row.innerText()}`);
};

/** Records whether a click reached its target. A script, as below. */
const noteClickScript = (selector: string): string => `(() => {
  globalThis.mcplClick?.abort();
  const noting = new AbortController();
  globalThis.mcplClick = noting;
  const note = ({ target }) => {
    if (target instanceof Element && target.closest(${quoted(selector)}) !== null) noting.abort();
  };
  document.addEventListener('click', note, { capture: true, signal: noting.signal });
})()`;

/** Timeout of all tries but the last, whose error names the awaited button. */
const BUTTON_MS = 1_500;

/**
 * Clicks until the click arrives: elements that are repainted or move between press and release lose it, and the
 * buttons of a row that moved away are hidden.
 */
const clickSurely = async (button: Locator, selector: string, approach?: () => Promise<void>): Promise<void> => {
  for (let left = 4; left > 0; left--) {
    await button.page().evaluate(noteClickScript(selector));
    await approach?.();
    await (left > 1 ? button.click({ timeout: BUTTON_MS }).catch(unlessLate) : button.click());
    if (await button.page().evaluate<boolean>('globalThis.mcplClick.signal.aborted')) return;
  }
  throw new Error(`Four clicks came to nothing that is ${selector}.`);
};

/** The buttons of a row appear under the mouse. */
const clickOfRow = async (row: Locator, selector: string): Promise<void> =>
  clickSurely(row.locator(selector).first(), selector, () => row.hover());

const clickInRow = async (row: Locator, action: string | undefined): Promise<void> => {
  if (action === undefined) return row.click();
  if (action === 'checkbox') return clickOfRow(row, '.monaco-checkbox, .custom-view-tree-node-item-checkbox');
  if (action === 'expand' || action === 'collapse') return turnRowSurely(row, action === 'expand');
  return clickOfRow(row, `.actions .action-label[aria-label^=${quoted(action)}]`);
};

/** The time between the clicks of a fast double-click. */
const BETWEEN_MS = 80;

const doubleClickInRow = async (row: Locator, action: string): Promise<void> => {
  await row.hover();
  const box = await row.locator(`.actions .action-label[aria-label^=${quoted(action)}]`).boundingBox();
  if (box === null) throw new Error(`The row has no button "${action}".`);
  const page = row.page();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.click(x, y);
  await page.waitForTimeout(BETWEEN_MS);
  await page.mouse.click(x, y, { clickCount: 2 });
};

/** A script as text, because it runs in the page, without this project's types. */
const treeRowsScript = (view: string): string => `[...document.querySelectorAll('.sidebar .pane-body .monaco-list-row')]
  .filter((row) => (row.closest('.pane')?.querySelector('.pane-header')?.textContent ?? '').includes(${quoted(view)}))
  .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
  .map((row) => {
    const level = Number(row.getAttribute('aria-level') ?? '1');
    const label = row.querySelector('.label-name')?.textContent ?? row.textContent ?? '';
    const description = row.querySelector('.label-description')?.textContent ?? '';
    const box = row.querySelector('.monaco-checkbox');
    const state = box === null ? '' : box.getAttribute('aria-checked') === 'true' ? '[x]' : '[ ]';
    return '  '.repeat(level - 1) + [label, description, state].filter((part) => part !== '').join(' ');
  })`;

/** An observer sees every change before the page is painted. */
const watchScript = (selector: string): string => `(() => {
  globalThis.mcplWatch?.observer.disconnect();
  const seen = new Set();
  const look = () => {
    for (const match of document.querySelectorAll(${quoted(selector)})) seen.add(match.textContent);
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { subtree: true, childList: true, characterData: true });
  globalThis.mcplWatch = { observer, seen };
  look();
})()`;

const waitingNotifications =
  '.notifications-toasts .notification-list-item, .notifications-center .notification-list-item';

/** The usual width of a notification. */
const NOTIFICATION_PX = 450;

/** Measures the buttons while they have this font. A script, as above. */
const cutButtonsScript = (font: string): string => `(() => {
  const style = document.createElement('style');
  style.textContent = '.notification-list-item :is(.monaco-button, .notification-list-item-source) '
    + '{ font-family: ' + ${quoted(font)} + ' !important }';
  document.head.append(style);
  try {
    return [...document.querySelectorAll(${quoted(waitingNotifications)})].flatMap((item) => {
      if (item.clientWidth > ${NOTIFICATION_PX}) throw new Error('A notification is ' + item.clientWidth + ' px wide.');
      return [...item.querySelectorAll('.notification-list-item-buttons-container, .monaco-button')]
        .filter((box) => box.scrollWidth > box.clientWidth)
        .map((box) => box.textContent.trim() + ': ' + box.clientWidth + ' of ' + box.scrollWidth + ' px');
    });
  } finally {
    style.remove();
  }
})()`;

/** Toasts disappear, and the driver hides them at once. The notification centre keeps them. */
const showNotifications = async (page: Page): Promise<void> => {
  if (await page.locator(waitingNotifications).first().isVisible()) return;
  const bell = page.locator('[id="status.notifications"]');
  if (!(await bell.isVisible())) return;
  await bell.click();
  // Its tooltip would cover the buttons of a short message.
  await page.mouse.move(640, 240);
};

/** Prefers the web view in the editor area. Uses one in the side bar only if there is no other. */
const webviewOf = async (page: Page): Promise<FrameLocator> => {
  const frames = page.locator('iframe.webview.ready');
  await frames.first().waitFor({ state: 'attached' });
  const area = await page.locator('[id="workbench.parts.editor"]').boundingBox();
  const isInArea = (box: Box | null): boolean =>
    area !== null && box !== null && box.width > 0 && box.x >= area.x && box.x < area.x + area.width;
  let chosen = 0;
  for (let at = (await frames.count()) - 1; at >= 0; at--)
    if ((await frames.nth(at).isVisible()) && isInArea(await frames.nth(at).boundingBox())) chosen = at;
  return page.frameLocator('iframe.webview.ready').nth(chosen).frameLocator('iframe#active-frame');
};

/** Waits for a page that was just opened. Until it appears, another page would match. */
const inWebview = async (page: Page, selector: string): Promise<Locator> => {
  for (let left = 150; left > 0; left--) {
    const found = (await webviewOf(page)).locator(selector).first();
    if ((await found.count()) > 0) return found;
    await page.waitForTimeout(100);
  }
  return (await webviewOf(page)).locator(selector).first();
};

interface Box {
  readonly x: number;
  readonly width: number;
}

const resizeSideBar = async (page: Page, width: number): Promise<void> => {
  const box = await page.locator('[id="workbench.parts.sidebar"]').boundingBox();
  if (box === null) throw new Error('The side bar is not open.');
  const middle = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width, middle);
  await page.mouse.down();
  await page.mouse.move(box.x + width, middle, { steps: 5 });
  await page.mouse.up();
};

type InTree = 'openContainer' | 'resizeSideBar' | 'clickTreeItem' | 'doubleClickTreeItem' | 'treeRows';

const inTree = (page: Page): Pick<Person, InTree> => ({
  openContainer: async (title) => {
    const tab = page
      .locator(`.activitybar .action-item[role="tab"]:has(.action-label[aria-label^=${quoted(title)}])`)
      .first();
    // While a window restores its side bar, the click may close the container that the window has just opened.
    const opened = tab.and(page.locator('[aria-expanded="true"]'));
    await tab.waitFor();
    for (let left = 5; left > 0 && !(await opened.isVisible()); left--) {
      await tab.click();
      await opened.waitFor({ timeout: TURN_MS }).catch(unlessLate);
    }
    await opened.waitFor();
  },
  resizeSideBar: async (width) => resizeSideBar(page, Number(width)),
  clickTreeItem: async (label, action) => clickInRow(treeRow(page, label), action),
  doubleClickTreeItem: async (label, action) => doubleClickInRow(treeRow(page, label), action),
  treeRows: async (view = '') => page.evaluate<readonly string[]>(treeRowsScript(view)),
});

const inNotifications = (page: Page): Pick<Person, 'notification' | 'notifications' | 'cutButtons' | 'dialog'> => ({
  notification: async (button, message) => {
    await showNotifications(page);
    const items = page.locator(waitingNotifications);
    const item = message === undefined ? items : items.filter({ hasText: message });
    const found = item.locator(`.monaco-button:has-text(${quoted(button)})`).first();
    await clickSurely(found, '.notification-list-item .monaco-button');
  },
  notifications: async () => {
    await showNotifications(page);
    // In one step: a toast may hide itself between two.
    const texts = await page.locator(waitingNotifications).locator('.notification-list-item-message').allInnerTexts();
    return texts.map((text) => text.trim()).filter((text) => text !== '');
  },
  cutButtons: async (font) => {
    await showNotifications(page);
    await page.locator(waitingNotifications).locator('.monaco-button').first().waitFor();
    return page.evaluate<readonly string[]>(cutButtonsScript(font));
  },
  dialog: async (button) =>
    page
      .locator(`.monaco-dialog-box .monaco-button:has-text(${quoted(button)})`)
      .first()
      .click(),
});

/** Timeouts of the tries for the palette. A palette that does not open at once never opens. */
const PALETTE_MS = [700, 1_500, 3_000, 3_000, 3_000];

const quickRow = (page: Page, label: string): Locator =>
  page.locator(`.quick-input-list .monaco-list-row:has-text(${quoted(label)})`).first();

/**
 * The palette or a list closes when something else takes the focus, for example while a window settles. Tries again
 * like a user.
 */
const runCommand = async (page: Page, box: Locator, title: string, choice: string | undefined): Promise<void> => {
  let reason: unknown;
  for (const timeout of PALETTE_MS) {
    try {
      await page.keyboard.press('F1');
      await box.fill(`>${title}`, { timeout });
      await quickRow(page, title).click({ timeout: 3_000 });
      return await (choice === undefined ? undefined : quickRow(page, choice).click({ timeout: 5_000 }));
    } catch (error) {
      reason = error;
      await page.keyboard.press('Escape');
    }
  }
  throw reason;
};

const inQuickInput = (page: Page): Pick<Person, 'command' | 'answerInput' | 'pick'> => {
  const box = page.locator('.quick-input-widget:visible input').first();
  return {
    command: async (title, choice) => runCommand(page, box, title, choice),
    answerInput: async (text) => {
      await box.fill(text);
      await box.press('Enter');
    },
    pick: async (label) => quickRow(page, label).click(),
  };
};

export const createPerson = (page: Page, screenshots: string): Person => ({
  click: async (selector) => page.locator(selector).first().click(),
  type: async (text) => page.keyboard.type(text),
  press: async (key) => page.keyboard.press(key),
  texts: async (selector) => visibleTexts(page.locator(selector)),
  waitFor: async (selector) => page.locator(selector).first().waitFor(),
  watch: async (selector) => page.evaluate<void>(watchScript(selector)),
  seen: async () => page.evaluate<readonly string[]>('[...(globalThis.mcplWatch?.seen ?? [])]'),
  screenshot: async (name) => takeScreenshot(page, screenshots, name),
  ...inTree(page),
  ...inNotifications(page),
  ...inQuickInput(page),
  webviewClick: async (selector) => (await inWebview(page, selector)).click(),
  webviewFill: async (selector, text) => (await inWebview(page, selector)).fill(text),
  webviewTexts: async (selector) => unlessGone(visibleTexts((await webviewOf(page)).locator(selector))),
});
