import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundles } from '../harness/bundles.ts';
import { type Outcome, Overlay, ROOT, runNode } from './overlay.ts';

/** `name: loaders` of each bundle in the table of a page; one row may list several bundles with the same loaders. */
const rowsIn = (page: string): readonly string[] => {
  const table = /^ *\| Bundle [^\n]*\n *\|[ -|]*\n((?: *\|[^\n]*\n)*)/m.exec(page)?.[1] ?? '';
  return table.split('\n').flatMap((line) => {
    const [, names = '', loaders = ''] = line.split('|').map((cell) => cell.trim().replaceAll('`', ''));
    return names === '' ? [] : names.split(', ').map((name) => `${name}: ${loaders}`);
  });
};

suite('The table of bundles', function () {
  this.timeout(60_000);

  for (const name of ['docs/architecture.md', 'docs/internals/bundles.md'])
    test(`in ${name} is the one that is built`, async () => {
      const page = await readFile(join(ROOT, name), 'utf8');
      const built = bundles.map(({ to, loadedBy }) => `${to.replace('webview/', '')}: ${loadedBy.join(', ')}`);
      assert.deepEqual([...rowsIn(page)].sort(), built.sort());
    });

  test('has pages that start in their last line: classes below it would not be defined yet', async () => {
    const entries = bundles.flatMap(({ to, entry }) => (to.startsWith('webview/') && entry !== undefined ? entry : []));
    const last = await Promise.all(
      entries.map(async (entry) => (await readFile(join(ROOT, entry), 'utf8')).trimEnd().split('\n').at(-1)),
    );
    assert.deepEqual(last, [
      'new ToolPage().start();',
      'new QuestionPage().start();',
      'new TracePage().start();',
      'new LineagePage().start();',
    ]);
  });

  const mistakes: readonly (readonly [name: string, from: string, to: string, error: string])[] = [
    [
      'lacks a file that is loaded by import()',
      "'src/core/session/opener.ts'",
      "'src/core/session/credentials.ts'",
      '"./opener.ts" is loaded by import(), so bundles.cjs must list it as a part.',
    ],
    [
      'lacks a bundle that loads another',
      "parts: ['src/editor/approvals/lazy.ts'], loadedBy: ['extension.js']",
      "parts: ['src/editor/approvals/lazy.ts'], loadedBy: ['hostCore.js']",
      'extension.js imports approvalUi.js: correct "loadedBy" in bundles.cjs.',
    ],
    [
      'lists a bundle that does not load another',
      "parts: ['src/core/session/opener.ts'], loadedBy: ['hostCore.js']",
      "parts: ['src/core/session/opener.ts'], loadedBy: ['hostCore.js', 'extension.js']",
      'extension.js does not import opener.js: correct "loadedBy" in bundles.cjs.',
    ],
    [
      'has two parts with an export of the same name',
      "'src/editor/chat/lazy.ts'",
      "'src/editor/chat/lazy.ts', 'src/editor/chat/chatTurn.ts', 'src/editor/chat/chatTurn.ts'",
      'Two parts of conversation.js export "answerTurn".',
    ],
  ];

  for (const [name, from, to, error] of mistakes) {
    test(`fails the build if it ${name}`, async () => {
      const overlay = await Overlay.create();
      try {
        await overlay.replace('bundles.cjs', (text) => {
          assert.ok(text.includes(from), `bundles.cjs has no ${from}`);
          return text.replace(from, to);
        });
        const { code, stdout, stderr }: Outcome = await runNode(join(overlay.root, 'esbuild.mjs'), [], overlay.root);
        assert.deepEqual([code, (stdout + stderr).includes(error)], [1, true], stdout + stderr);
      } finally {
        await overlay.dispose();
      }
    });
  }
});
