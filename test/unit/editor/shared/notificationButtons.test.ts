import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { answersTo } from '../../../../src/editor/approvals/approvalPage.ts';
import { OFFER_TITLES } from '../../../../src/editor/lineage/rollbackText.ts';
import { notificationButtons } from '../../../support/notificationButtons.ts';
import { subject } from '../approvals/scopeApprovals.ts';

/** Buttons that are passed along before they are shown, by file. */
const PASSED = {
  'editor/questions/samplingReview.ts': [
    ['Allow', 'Review…', 'Decline'],
    ['Send', 'Review…', 'Discard'],
  ],
  'editor/shared/failureNotices.ts': [
    ['Retry', 'Show Log', 'Open Settings'],
    ['Manage Workspace Trust'],
    ['Show Servers'],
  ],
  // Others, from other files, also stand alone.
  'editor/shared/quickPicker.ts': [
    ['Start Server…'],
    ['Add Server…'],
    ['Open Server Settings…'],
    ['Manage Workspace Trust'],
  ],
};

/** Buttons whose titles are in a table of another file. */
const FROM_TABLES = {
  'editor/approvals/lazy.ts': [answersTo(subject([])).map(({ title }) => title)],
  'editor/lineage/rollbackDialog.ts': [Object.values(OFFER_TITLES)],
};

/** The width of the row of buttons in a notification of 450 px. */
const ROW = 414;
/** Padding, border and margin of a button. */
const AROUND = 22;
const FONT_SIZE = 12;

/** Widths in Verdana, the widest of the usual fonts of user interfaces, in hundredths of the font size, rounded up. */
const WIDTHS: readonly (readonly [chars: string, width: number])[] = [
  ["'ijl", 35],
  [' ft', 40],
  ['rI', 43],
  ['cszJ', 53],
  ['aekvxyFLPTY', 62],
  ['bdghnopquE', 64],
  ['ABCKRSVXZ', 70],
  ['DGHNOQU', 79],
  ['w…', 82],
  ['M', 85],
];

function widthOf(titles: readonly string[]): number {
  const texts = titles.map((title) => [...title].reduce((sum, char) => sum + charWidth(char), 0));
  return Math.ceil(texts.reduce((sum, width) => sum + (width * FONT_SIZE) / 100 + AROUND, 0));
}

function charWidth(char: string): number {
  return WIDTHS.find(([chars]) => chars.includes(char))?.[1] ?? 100;
}

suite('The buttons of a notification', () => {
  const all = notificationButtons({ ...PASSED, ...FROM_TABLES });

  test('are found wherever one is shown', () => {
    const files = new Set(all.map(({ file }) => file));
    assert.ok(files.size >= 20, [...files].join('\n'));
    const rows = all.map(({ titles }) => titles.join(' · '));
    for (const row of [
      'Allow Once · Session · Always · Deny',
      "Start · Open Settings · Don't Start",
      "Review… · Open Settings · Don't Start",
      "Keep Mine · Use the Workspace's · Open Settings",
      'Approve · Approve Any Definition… · Keep Asking',
      'Ask Model · Open in Chat · Show · Mute',
      'Open in Chat · Show · Mute',
    ])
      assert.ok(rows.includes(row), `${row} is not in:\n${rows.join('\n')}`);
  });

  test('have the titles of this test where they are passed along', () => {
    for (const [file, rows] of Object.entries(PASSED)) {
      const source = readFileSync(new URL(`../../../../src/${file}`, import.meta.url), 'utf8');
      for (const title of rows.flat()) assert.ok(source.includes(`l10n.t('${title}')`), `${file}: ${title}`);
    }
  });

  test('fit side by side with a wide font', () => {
    const tooWide = all
      .map(({ file, titles }) => ({ file, titles: titles.join(' · '), width: widthOf(titles) }))
      .filter(({ width }) => width > ROW);
    assert.deepEqual(tooWide, []);
    // The titles that were cut.
    assert.ok(widthOf(['Allow Once', 'Allow for This Session', 'Always Allow in This Workspace', 'Deny']) > ROW);
  });
});
