import assert from 'node:assert/strict';
import type { JsonObject } from '../../../../../src/core/base/json.ts';
import { fakeFiles } from '../../../../support/fakeFiles.ts';
import { decider } from './verdicts.ts';

const place = { folders: [{ name: 'ws', path: '/ws' }], userHome: '/home/me', bases: ['/ws'] };
const files = fakeFiles({
  '/ws/src/a.ts': 'file',
  '/ws/secrets/key.pem': 'file',
  '/ws/link': { link: '/ws/secrets' },
  '/ws/my secrets/plan.txt': 'file',
  '/etc/passwd': 'file',
  '/home/me/.ssh/id': 'file',
});
const lists = { whitelist: ['${workspaceFolder}/**'], blacklist: ['**/.env', '/ws/secrets/**', '~/.ssh/**'] };
const decide = decider(files, place, lists);
const string = { type: 'string' };

/** A schema in which undeclared members are plain strings. */
const schemaOf = (args: JsonObject, declared: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { path: string, ...Object.fromEntries(Object.keys(args).map((key) => [key, string])), ...declared },
});

async function verdicts(table: readonly JsonObject[], declared?: JsonObject): Promise<readonly string[]> {
  const found: string[] = [];
  for (const args of table) found.push(`${JSON.stringify(args)} ${await decide.call(args, schemaOf(args, declared))}`);
  return found;
}

const all = (table: readonly JsonObject[], verdict: string): readonly string[] =>
  table.map((args) => `${JSON.stringify(args)} ${verdict}`);

suite('A file in an argument that is not called so', () => {
  test('is denied beside a path that is allowed', async () => {
    const path = 'src/a.ts';
    const table: readonly JsonObject[] = [
      { path, filesToStage: 'secrets/key.pem' },
      { path, filesToStage: ['src/a.ts', 'secrets/key.pem'] },
      { path, url: 'secrets/key.pem' },
      { path, url: 'file:///ws/secrets/key.pem' },
      { path, object: 'HEAD:secrets/key.pem' },
      { path, object: 'HEAD~2:./secrets/key.pem' },
      { path, object: ':secrets/key.pem' },
      { path, object: ':(top)secrets/key.pem' },
      { path, projectRoot: 'secrets' },
      { path, includePatterns: ['src/**', 'secrets/**'] },
      { path, includePatterns: 's?crets/*' },
      { path, includePatterns: '{src,secrets}/**' },
      { path, includePatterns: 'sec*/key.pem' },
      { path, includePatterns: '**/[s]ecrets/**' },
      { path, zorb: 'src/../.ENV' },
      { path, zorb: 'link/key.pem' },
      { path, zorb: '--file=secrets/key.pem' },
      { path, zorb: '-fsecrets/key.pem' },
      { path, zorb: 'a=secrets/key.pem' },
      { path, zorb: 'secrets/key.pem:10' },
      { path, zorb: 'secrets/key.pem#L10' },
      { path, zorb: 'secrets/key.pem@HEAD' },
      { path, zorb: 'src/a.ts,secrets/key.pem' },
      { path, zorb: 'src/a.ts secrets/key.pem' },
      { path, zorb: 'src/a.ts; secrets/key.pem' },
      { path, zorb: 'src/a.ts:secrets/key.pem' },
      { path, zorb: '!secrets/key.pem' },
      { path, zorb: '@secrets/key.pem' },
      { path, zorb: '["src/a.ts", "secrets/key.pem"]' },
      { path, zorb: '{"path":"secrets/key.pem"}' },
      { path, zorb: '[key](secrets/key.pem)' },
      { path, zorb: 'secrets\\key.pem' },
      { path, zorb: ' secrets/key.pem\n' },
      { path, zorb: 'src%2Fx/%2E%2E/secrets/key.pem'.replace('src%2Fx/', 'src%2Fx/%2E%2E/') },
      { path, zorb: 'src%2Fx/%2E%2E/secrets/key.pem' },
      { path, zorb: 'src/${UNSET}/../secrets/key.pem' },
      { path, zorb: 'src/$UNSET/../secrets/key.pem' },
      { path, zorb: 'src/%UNSET%/../secrets/key.pem' },
      { path, zorb: '${DIR:-secrets}/key.pem' },
      { path, zorb: '${PWD}/secrets/key.pem' },
      { path, zorb: '~/.ssh/id' },
      { path, zorb: '/home/me/.ssh/id' },
      { path, zorb: 'x=~/.ssh/id' },
      { path, zorb: 'https://example.org/x y=~/.ssh/id' },
      { path, zorb: { deep: [[{ er: '.env' }]] } },
      { path, zorb: { 'secrets/key.pem': 1 } },
      { folder: '/ws', name: 'secrets' },
      { path: '/ws', name: 'secrets/key.pem' },
      { parent: '/home/me', name: '.ssh/id' },
      { path: 'src/a.ts', newName: '../secrets/key.pem' },
    ];
    assert.deepEqual(await verdicts(table), all(table, 'deny'));
  });

  test('is asked about outside the whitelist', async () => {
    const table: readonly JsonObject[] = [
      ['/etc/passwd', '/etc/passwd'],
      ['/nowhere/x', '/nowhere/x'],
      ['../x', '/x'],
      ['file:///etc/passwd', '/etc/passwd'],
      ['file://host/x', 'file://host/x'],
      ['~/notes', '/home/me/notes'],
      ['~root/x', '/ws/~root/x'],
      ['HEAD:/etc/passwd', '/etc/passwd'],
      ['--out=/etc/passwd', '/etc/passwd'],
      ['-I/etc', '/etc'],
      ['src/a.ts,/etc/passwd', '/etc/passwd'],
      ['a=../../x', '/x'],
      ['"/etc/passwd"', '/etc/passwd'],
      ['%2fetc%2fpasswd', '/etc/passwd'],
      ['$TMPDIR/x', '/ws/$TMPDIR/x'],
    ].map(([text = '']) => ({ path: 'src/a.ts', zorb: text }));
    const found = await verdicts(table);
    assert.deepEqual(
      found.filter((line) => !line.includes(' ask unlisted, /arguments/path /ws/src/a.ts, /arguments/zorb ')),
      [],
    );
  });

  test('is nothing if it is a word, a sentence, several lines, or marked as content by the schema', async () => {
    const path = 'src/a.ts';
    const content = { contentMediaType: 'text/plain', ...string };
    const table: readonly JsonObject[] = [
      { path, query: 'hello' },
      { path, query: 'how does the /login page work, and why?' },
      { path, title: 'Describe the src/../x layout' },
      { path, content: '.env' },
      { path, text: '/etc/passwd' },
      { path, newText: 'secrets/key.pem' },
      { path, zorb: '.env\nsecrets/key.pem' },
      { path, marked: 'secrets/key.pem' },
      { path, pattern: '// note' },
      { path, pattern: '/^import .* from/gm' },
      { path, pattern: '\\bfoo\\b' },
      { path, pattern: '^\\s+\\d+%$' },
      { path, zorb: 'x'.repeat(4_097) },
      { path, range: '10:20', ratio: '16/9', date: '2026-01-02', branch: 'feature/login', tag: 'v1.2.3' },
      { path, url: 'https://example.org/a/b?next=/home#top' },
      { path, email: 'me@example.org', package: '@scope/name', color: '#ff0000' },
      { path, glob: 'src/**/*.{ts,tsx}', exclude: ['**/node_modules/**', '*.log'] },
      { path, zorb: '/ws/src/b.ts' },
      { path, zorb: 'src/../src/b.ts' },
    ];
    assert.deepEqual(await verdicts(table, { marked: content }), all(table, 'allow'));
  });

  test('is denied in a title that is one word or a list of paths, and allowed as a word of a sentence', async () => {
    const path = 'src/a.ts';
    const titles = [
      ...['secrets', ' secrets ', 'secrets/key.pem', '.env', 'src/a.ts,secrets', 'src/a.ts secrets/key.pem'],
      ...['src/a.ts .env', '["src/a.ts", "secrets/key.pem"]'],
    ];
    const sentences = ['Rotate secrets', 'src/a.ts secrets', 'secrets src/a.ts', 'Delete secrets/key.pem', 'Read .env'];
    const table = [
      ...all(
        titles.flatMap((title) => [{ path, title }, { title }]),
        'deny',
      ),
      ...all(
        sentences.map((title) => ({ path, title })),
        'allow',
      ),
      // Without a schema that calls it a text, or under another key, the words are read as paths.
      ...all(
        sentences.slice(1).map((zorb) => ({ path, zorb })),
        'deny',
      ),
    ];
    assert.deepEqual(
      [
        ...(await verdicts(titles.flatMap((title) => [{ path, title }, { title }]))),
        ...(await verdicts(sentences.map((title) => ({ path, title })))),
        ...(await verdicts(sentences.slice(1).map((zorb) => ({ path, zorb })))),
      ],
      table,
    );
    assert.equal(await decide.call({ path, title: 'src/a.ts secrets' }, {}), 'deny');
  });

  test('is absolute only where its first folder is there, for a tool that is not about files', async () => {
    const names = decider(files, place, { whitelist: ['#general'], blacklist: ['#admin-*'] });
    const schema = { properties: { channel: string, note: string } };
    assert.deepEqual(
      [
        await names.call({ channel: '#general', note: '/giphy cats' }, schema),
        await names.call({ channel: '#general', note: '/etc/passwd' }, schema),
      ],
      ['allow', 'ask unlisted, /arguments/channel #general, /arguments/note /etc/passwd'],
    );
  });

  test('is asked about if there is too much to check', async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => `word${index}`);
    assert.equal(await decide.call({ path: 'src/a.ts', many }, schemaOf({ many })), 'ask noTarget');
    const list = Array.from({ length: 300 }, (_, index) => `w${index}`).join(',');
    assert.equal(await decide.call({ path: 'src/a.ts', list }, schemaOf({ list })), 'ask noTarget');
  });
});

suite('Ordinary names of files', () => {
  test('are allowed, whatever signs they have', async () => {
    const names = [
      ...['@types/node/index.d.ts', '#backup#', '#readme.md', '@scope', '~backup.txt', '~$letter.docx', '$RECYCLE.BIN'],
      ...['$RECYCLE.BIN/S-1-5/x', '$id.tsx', 'routes/$postId/edit.tsx', 'Outer$Inner.class', 'my secrets/plan.txt'],
      ...[
        '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645.txt',
        '\u0915\u094d\u200d\u0937.txt',
        '1\ufe0f\u20e3.md',
        '#\ufe0f\u20e3.md',
      ],
      ...[
        '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}.md',
        '\u845b\u{e0100}.txt',
        'app/[slug]/(a)/page.tsx',
      ],
      ...['a,b.txt', 'a;b (1).txt', "it's.txt", '100%.txt', 'c++.h', 'x=y.txt'],
    ];
    const table = names.map((path) => ({ path }));
    assert.deepEqual(await verdicts(table), all(table, 'allow'));
  });

  test('are denied with and without joiners, and with joiners where no word has any', async () => {
    const persian = decider(files, place, {
      whitelist: ['/ws/**'],
      blacklist: ['/ws/\u0645\u06cc\u062e\u0648\u0627\u0647\u0645/**'],
    });
    assert.equal(await persian.call({ path: '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645/x' }), 'deny');
    for (const hidden of ['\u200b', '\u200c', '\u200d', '\u202e', '\u2066', '\ufe0f', '\u00ad', '\u2060', '\ufeff'])
      for (const args of [{ path: `.e${hidden}nv` }, { path: 'a', zorb: `sec${hidden}rets/key.pem` }])
        assert.match(await decide.call(args, schemaOf(args)), /^deny/, JSON.stringify(args));
  });
});
