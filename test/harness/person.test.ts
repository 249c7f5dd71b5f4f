import assert from 'node:assert/strict';
import { type OpenBrowser, openBrowser } from './browser.ts';
import { createPerson } from './person.ts';

/** A tree with one row, which is repainted after the first mouse presses. Counts clicks of its button. */
const page = (repaints: number): string => `
  <div class="pane-body"></div>
  <script>{
    document.title = '';
    const tree = document.querySelector('.pane-body');
    let left = ${repaints};
    const paint = () => {
      tree.innerHTML = '<div class="monaco-list-row"><span class="label-name">a grant</span>'
        + '<div class="actions"><a class="action-label" aria-label="Revoke it">x</a></div></div>';
    };
    tree.addEventListener('mousedown', () => { if (left-- > 0) paint(); });
    tree.addEventListener('click', ({ target }) => { if (target.matches('.action-label')) document.title += 'clicked '; });
    paint();
  }</script>`;

/** The button appears under the mouse, and the row moves away the first time. */
const movingPage = `
  <style>.monaco-list-row { height: 22px } .monaco-list-row:not(:hover) .actions { display: none }</style>
  ${page(0)}
  <script>{
    let left = 1;
    const away = () => document.body.insertAdjacentHTML('afterbegin', '<div style="height: 80px"></div>');
    const overRow = () => { if (left-- > 0) setTimeout(away, 1); };
    document.querySelector('.pane-body').addEventListener('mouseover', overRow);
  }</script>`;

/** A notification whose button is repainted under the mouse for the first presses. */
const notificationPage = (repaints: number): string => `
  <div class="notifications-center"></div>
  <script>{
    document.title = '';
    const center = document.querySelector('.notifications-center');
    let left = ${repaints};
    const paint = () => {
      center.innerHTML = '<div class="notification-list-item">Start it? <a class="monaco-button">Start</a></div>';
    };
    center.addEventListener('mousedown', () => { if (left-- > 0) paint(); });
    center.addEventListener('click', ({ target }) => { if (target.matches('.monaco-button')) document.title += 'clicked '; });
    paint();
  }</script>`;

suite('The simulated user', () => {
  let open: OpenBrowser;

  suiteSetup(async function () {
    this.timeout(60_000);
    open = await openBrowser();
  });

  suiteTeardown(() => open.close());

  test('clicks again after a repaint under the mouse, and not more often', async () => {
    for (const repaints of [0, 1, 3]) {
      await open.page.setContent(page(repaints));
      await createPerson(open.page, '').clickTreeItem('a grant', 'Revoke');
      assert.equal(await open.page.title(), 'clicked', `${repaints} repaints`);
    }
  });

  test('points again at a row that moved away and hid its button', async () => {
    await open.page.setContent(movingPage);
    await createPerson(open.page, '').clickTreeItem('a grant', 'Revoke');
    assert.equal(await open.page.title(), 'clicked');
  });

  test('presses the button of a repainted notification again, and not more often', async () => {
    for (const repaints of [0, 2]) {
      await open.page.setContent(notificationPage(repaints));
      await createPerson(open.page, '').notification('Start', 'Start it?');
      assert.equal(await open.page.title(), 'clicked', `${repaints} repaints`);
    }
  });

  test('fails if no click arrives', async () => {
    await open.page.setContent(page(100));
    await assert.rejects(
      createPerson(open.page, '').clickTreeItem('a grant', 'Revoke'),
      /^Error: Four clicks came to nothing that is \.actions \.action-label\[aria-label\^="Revoke"\]\.$/,
    );
  });
});
