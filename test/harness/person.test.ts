import assert from 'node:assert/strict';
import { type OpenBrowser, openBrowser } from './browser.ts';
import { createPerson } from './person.ts';

/** A tree of one row, of which the first presses of the mouse are followed by a repaint; clicks of its button are counted. */
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

/** Its button is shown under the mouse alone, and the row moves away from there the first times. */
const movingPage = (moves: number): string => `
  <style>.monaco-list-row { height: 22px } .monaco-list-row:not(:hover) .actions { display: none }</style>
  ${page(0)}
  <script>{
    let left = ${moves};
    const away = () => document.body.insertAdjacentHTML('afterbegin', '<div style="height: 80px"></div>');
    const overRow = () => { if (left-- > 0) setTimeout(away, 1); };
    document.querySelector('.pane-body').addEventListener('mouseover', overRow);
  }</script>`;

suite('A person of the tests', () => {
  let open: OpenBrowser;

  suiteSetup(async function () {
    this.timeout(60_000);
    open = await openBrowser();
  });

  suiteTeardown(() => open.close());

  test('clicks again what was painted anew under the mouse, and no more than that', async () => {
    for (const repaints of [0, 1, 3]) {
      await open.page.setContent(page(repaints));
      await createPerson(open.page, '').clickTreeItem('a grant', 'Revoke');
      assert.equal(await open.page.title(), 'clicked', `${repaints} repaints`);
    }
  });

  test('points again at a row that moved away, whose button is gone with the mouse', async () => {
    await open.page.setContent(movingPage(1));
    await createPerson(open.page, '').clickTreeItem('a grant', 'Revoke');
    assert.equal(await open.page.title(), 'clicked');
  });

  test('says so where no click ever comes to it', async () => {
    await open.page.setContent(page(100));
    await assert.rejects(
      createPerson(open.page, '').clickTreeItem('a grant', 'Revoke'),
      /^Error: Four clicks came to nothing that is \.actions \.action-label\[aria-label\^="Revoke"\]\.$/,
    );
  });
});
