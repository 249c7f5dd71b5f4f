import assert from 'node:assert/strict';
import { fakeFiles } from '../../../../support/fakeFiles.ts';
import { assertReadings, reader } from './renderScope.ts';

const files = fakeFiles({
  '/ws/src/a.ts': 'file',
  '/ws/link': { link: '/etc' },
  '/ws/up': { link: 'src/..' },
  '/ws/loop': { link: 'loop' },
  '/ws/closed': 'closed',
  '/ws/cafe\u0301': { link: '/etc' },
  '/ws/na\u00efve': { link: '/etc' },
  '/ws/nested/x': 'file',
  '/ws2': { link: '/data/ws2' },
  '/data/ws2': 'folder',
  '/etc/passwd': 'file',
});
const read = reader(files, {
  folders: [
    { name: 'ws', path: '/ws' },
    { name: 'two', path: '/ws2/' },
    { name: 'nested', path: '/ws/nested' },
  ],
  userHome: '/home/me',
  bases: ['/ws'],
});

suite('What a text may mean as a path', () => {
  test('has its path as text and its real path, relative to the innermost open folder', async () => {
    await assertReadings(read, [
      ['/ws/src/a.ts', '/ws/src/a.ts [ws: src/a.ts]'],
      ['src/a.ts', '/ws/src/a.ts [ws: src/a.ts]'],
      ['/ws', '/ws [ws: .]'],
      ['.', '/ws [ws: .]'],
      ['/', '/'],
      ['..', '/'],
      ['/ws2/a', '/data/ws2/a [two: a] or /ws2/a'],
      ['/data/ws2/a', '/data/ws2/a [two: a]'],
      ['/ws/nested/x', '/ws/nested/x [nested: x]'],
      ['/wsx/a', '/wsx/a'],
      ['/etc/passwd', '/etc/passwd'],
      ['link/passwd', '/etc/passwd or /ws/link/passwd'],
      ['link/../x', '/x or /ws/x'],
      ['up/link/y', '/etc/y or /ws/up/link/y'],
      ['cafe\u0301/x', '/etc/x or /ws/caf\u00e9/x'],
      ['nai\u0308ve/x', '/etc/x or /ws/na\u00efve/x'],
      ['caf\u00e9/x', '/ws/caf\u00e9/x [ws: caf\u00e9/x]'],
      ['nope/../link/z', '/etc/z or /ws/link/z'],
    ]);
  });

  test('is the same by any detour, also one that shows only when it is decoded', async () => {
    await assertReadings(read, [
      ['./src/./../src//a.ts/', '/ws/src/a.ts [ws: src/a.ts]'],
      ['/ws/src/', '/ws/src [ws: src]'],
      ['//ws///src', '/ws/src [ws: src]'],
      ['src\\..\\..\\etc', '/etc or /ws/src\\..\\..\\etc'],
      ['%73rc/a.ts', '/ws/src/a.ts [ws: src/a.ts] or /ws/%73rc/a.ts'],
      ['%252e%252e/etc', '/etc or /ws/%252e%252e/etc or /ws/%2e%2e/etc'],
      ['%25252e%25252e/etc', '/etc or /ws/%25252e%25252e/etc or /ws/%252e%252e/etc or /ws/%2e%2e/etc'],
      ['%2525252e', '! It is encoded more than three times over.'],
      ['100%', '/ws/100% [ws: 100%]'],
      ['%c0%ae%c0%ae/etc', '! Its encoding is invalid.'],
      ['%ff', '! Its encoding is invalid.'],
      ['a%2fb/../%73ecrets', '/ws/%73ecrets [ws: %73ecrets] or /ws/a/%73ecrets or /ws/secrets or /ws/a/secrets'],
      ['%2fetc/passwd', '/etc/passwd or /ws/%2fetc/passwd or /ws/etc/passwd'],
    ]);
  });

  test('is in the home folder if the text says so, and refused if only a shell knows it', async () => {
    await assertReadings(read, [
      ['~', '/home/me or /ws/~'],
      ['~/.ssh/id', '/home/me/.ssh/id or /ws/~/.ssh/id'],
      ['~\\.ssh', '/home/me\\.ssh or /ws/~\\.ssh or /ws/~/.ssh or /home/me/.ssh'],
      ['%7e/.ssh', '/home/me/.ssh or /ws/%7e/.ssh or /ws/~/.ssh'],
      ['./~/x', '/home/me/x or /ws/~/x'],
      ['$HOME/.ssh', '/home/me/.ssh or /ws/$HOME/.ssh'],
      ['/${HOME}/x', '/${HOME}/x or /home/me/x never /x'],
      ['%USERPROFILE%/x', '/home/me/x or /ws/%USERPROFILE%/x never /ws/x'],
      ['~root/x', '! It is relative to a home folder that is not known. Write the whole path.'],
      ['~+/x', '! It is relative to a home folder that is not known. Write the whole path.'],
      ['$TMPDIR/x', '! It has a variable with an unknown value. Write the whole path.'],
      ['$(pwd)/x', '! It has a variable with an unknown value. Write the whole path.'],
      ['${env:X}', '! It has a variable with an unknown value. Write the whole path.'],
      ['$id.tsx', '/ws/$id.tsx [ws: $id.tsx] never /ws/.tsx or /ws/..tsx'],
      ['./$TMPDIR/x', '! It has a variable with an unknown value. Write the whole path.'],
    ]);
  });

  test('is what a URI of a file names on this machine', async () => {
    await assertReadings(read, [
      ['file:///ws/src/a.ts', '/ws/src/a.ts [ws: src/a.ts] never /ws/file:/ws/src/a.ts'],
      ['file:/ws/a%20b', '/ws/a%20b [ws: a%20b] or /ws/a b never /ws/file:/ws/a%20b or /ws/file:/ws/a b'],
      ['FILE://LOCALHOST/etc/x', '/etc/x never /ws/FILE:/LOCALHOST/etc/x or /ws/LOCALHOST/etc/x'],
      ['file:etc/x', '/etc/x or /ws/etc/x never /ws/file:etc/x'],
      ['file:///ws/a?b#c', '/ws/a [ws: a] or /ws/a?b#c never /ws/file:/ws/a?b#c'],
      ['file:///ws/secrets//../k', '/ws/k [ws: k] or /ws/secrets/k never /ws/file:/ws/k'],
      ['file%3A///etc/x', '/etc/x or /ws/file%3A/etc/x never /ws/file:/etc/x'],
      ['file://other/x', '! It is on another machine.'],
      ['file://../x', '! It is on another machine.'],
      [
        'vscode-remote://ssh-remote+box/ws/a',
        '/ws/a [ws: a] never /ws/vscode-remote:/ssh-remote+box/ws/a or /ws/ssh-remote+box/ws/a',
      ],
      [
        'vscode-remote://wsl%2Bubuntu/etc/x?q',
        '/etc/x or /etc/x?q never /ws/vscode-remote:/wsl%2Bubuntu/etc/x?q or /ws/vscode-remote:/wsl+ubuntu/etc/x?q or /ws/wsl%2Bubuntu/etc/x?q or /ws/wsl+ubuntu/etc/x?q',
      ],
      ['x file:///etc/y', '/etc/y or /ws/x file:/etc/y or /ws/x or /ws/x file never /ws/file:/etc/y'],
    ]);
  });

  test('is also what a label says besides, and what programs cut off', async () => {
    await assertReadings(read, [
      ['write /etc/hosts now', '/etc/hosts now or /ws/write /etc/hosts now or /etc/hosts or /ws/write'],
      ['--file=/etc/x', '/etc/x or /ws/--file=/etc/x or /ws/--file'],
      ['/ws/a, /etc/x', '/etc/x or /ws/a, /etc/x or /ws/a,'],
      ['/ws/a:/etc/x', '/etc/x or /ws/a:/etc/x or /ws/a'],
      ['edit ../../etc/x', '/etc/x or /ws/etc/x or /ws/edit'],
      [' link/x ', '/etc/x or /ws/ link/x  or /ws/link/x or /ws/link/x  or /ws/ link/x or /etc/x '],
      [' /etc/x', '/etc/x or /ws/ /etc/x'],
      ['"/etc/x"', '/etc/x or /ws/"/etc/x" or /etc/x" or /ws/"/etc/x'],
      ["'link/x", "/etc/x or /ws/'link/x or /ws/link/x"],
      ['a.ts:10:2', '/ws/a.ts:10:2 [ws: a.ts:10:2] or /ws/a.ts'],
      ['a.ts#L3-L4', '/ws/a.ts#L3-L4 [ws: a.ts#L3-L4] or /ws/a.ts'],
      [
        'C:\\Users\\x',
        '/mnt/c/Users/x or /ws/C:\\Users\\x or /ws/C:/Users/x or /ws/\\Users\\x or /ws/C or /Users/x or /ws/Users/x',
      ],
      ['\uff0fetc', '/etc or /ws/\uff0fetc'],
      ['\uff0e\uff0e/x', '/x or /ws/\uff0e\uff0e/x'],
      ['\ufb01le.txt', '/ws/\ufb01le.txt [ws: \ufb01le.txt] never /ws/file.txt'],
      ['/System/Volumes/Data/ws/src/a.ts', '/System/Volumes/Data/ws/src/a.ts or /ws/src/a.ts'],
    ]);
  });

  test('may only deny as a path if it is another kind of name', async () => {
    await assertReadings(read, [
      ['#general', 'name #general never /ws/#general or /ws/general'],
      ['@someone', 'name @someone never /ws/@someone or /ws/someone'],
      ['discord:acme/general', 'name discord:acme/general never /ws/discord:acme/general'],
      [
        'https://example.org/a/../b',
        'name https://example.org/a/../b never /ws/https:/example.org/b or /example.org/b or /ws/https',
      ],
      ['#cafe\u0301', 'name #caf\u00e9 never /ws/#caf\u00e9 or /ws/caf\u00e9 or /etc'],
      ['%23general', 'name %23general or #general never /ws/%23general or /ws/#general or /ws/general'],
      [' #general', 'name  #general or #general never /ws/ #general or /ws/#general or /ws/general'],
      ['#%61dmin', 'name #%61dmin or #admin never /ws/#%61dmin or /ws/#admin or /ws/%61dmin or /ws/admin'],
      ['\uff03general', '/ws/\uff03general [ws: \uff03general] never /ws/#general'],
      ['git:/ws/a.ts', 'name git:/ws/a.ts never /ws/git:/ws/a.ts or /ws/a.ts or /ws/git'],
      ['a:b', '/ws/a:b [ws: a:b]'],
      ['1a:b', '/ws/1a:b [ws: 1a:b]'],
      ['vscode-vfs://x/y', 'name vscode-vfs://x/y never /ws/vscode-vfs:/x/y or /x/y or /ws/vscode-vfs'],
      [
        '#\u{1f469}\u200d\u{1f4bb} dev',
        'name #\u{1f469}\u200d\u{1f4bb} dev never /ws/#\u{1f469}\u200d\u{1f4bb} dev or /ws/\u{1f469}\u200d\u{1f4bb} dev',
      ],
    ]);
  });

  test('is refused if it is invisible or its target is unknown', async () => {
    await assertReadings(read, [
      ['a\u0000b', '! It has characters that cannot be seen, or that change what is seen.'],
      ['a\nb', '! It has characters that cannot be seen, or that change what is seen.'],
      ['a\tb', '! It has characters that cannot be seen, or that change what is seen.'],
      ['a\u200bb', '! It has characters that cannot be seen, or that change what is seen.'],
      ['a\u202eb', '! It has characters that cannot be seen, or that change what is seen.'],
      ['a\u00adb', '! It has characters that cannot be seen, or that change what is seen.'],
      ['.e\u200cnv', '! It has characters that cannot be seen, or that change what is seen.'],
      ['.e\ufe0fnv', '! It has characters that cannot be seen, or that change what is seen.'],
      ['a\ud800', '! It has characters that cannot be seen, or that change what is seen.'],
      ['a\u{e0001}', '! It has characters that cannot be seen, or that change what is seen.'],
      ['a\u3164', '! It has characters that cannot be seen, or that change what is seen.'],
      ['%00', '! It has characters that cannot be seen, or that change what is seen.'],
      ['%e2%80%8b', '! It has characters that cannot be seen, or that change what is seen.'],
      ['%ef%bb%bfx', '! It has characters that cannot be seen, or that change what is seen.'],
      ['loop', '! It leads through too many links, or in a circle.'],
      ['loop/x', '! It leads through too many links, or in a circle.'],
      ['closed/x', '! A folder on the way cannot be looked into.'],
      ['\u{1f469}\u200d\u{1f4bb}.md', '/ws/\u{1f469}\u200d\u{1f4bb}.md [ws: \u{1f469}\u200d\u{1f4bb}.md]'],
      ['#gen\u200beral', '! It has characters that cannot be seen, or that change what is seen.'],
    ]);
  });

  test('is refused beyond the length of a path, and without a base folder', async () => {
    assert.match(await read.text('x'.repeat(4_096)), /^\/ws\/x{4096} \[ws: x+\]$/);
    assert.equal(await read.text('x'.repeat(4_097)), 'The label is longer than 4096 characters.');
    const nowhere = reader(files, { folders: [], userHome: '', bases: ['relative'] });
    await assertReadings(nowhere, [
      ['/etc/passwd', '/etc/passwd'],
      ['src/a.ts', '! It is relative, and no folder is open that it could be relative to.'],
      ['~/x', '! It is relative to a home folder that is not known.'],
    ]);
  });

  test('is read from every base, and shown at its most important place', async () => {
    const two = reader(files, {
      folders: [{ name: 'ws', path: '/ws' }],
      userHome: '/home/me',
      bases: ['/ws', '/ws/link/', '/srv/server'],
    });
    await assertReadings(two, [
      ['src/a.ts', '/etc/src/a.ts or /ws/src/a.ts or /ws/link/src/a.ts or /srv/server/src/a.ts'],
      ['../x', '/x or /ws/x or /srv/x'],
    ]);
    // Read as text, the path passes the link again. The system resolves `..` after the link.
    const linked = reader(files, { folders: [], userHome: '/home/me', bases: ['/ws/link'] });
    await assertReadings(linked, [['../link/x', '/link/x or /ws/link/x or /etc/x']]);
  });

  test('is refused with too many readings', async () => {
    const MANY = '! It can be read in too many ways.';
    await assertReadings(read, [
      [`${'\\a/../ '.repeat(20)}%20%2520`, MANY],
      [`#${'\\a/../ '.repeat(20)}%20%2520`, MANY],
    ]);
    const bases = Array.from({ length: 300 }, (_, index) => `/ws/${index}`);
    const wide = reader(files, { folders: [], userHome: '/home/me', bases });
    await assertReadings(wide, [['../a/../b', MANY]]);
    assert.deepEqual(await wide.claim('a', { paths: ['b', 'c', 'd', 'e', 'f', 'g'] }), [
      'REFUSED It can be read in too many ways.',
    ]);
  });

  test('is one name in any case on a case-insensitive system', async () => {
    const folded = fakeFiles({ '/Ws/Secrets/K': 'file', '/Ws/link': { link: '/etc' } }, { ignoresCase: true });
    const place = { folders: [{ name: 'ws', path: '/ws' }], userHome: '/home/me', bases: ['/ws'] };
    await assertReadings(reader(folded, place), [
      ['SECRETS/k', '/Ws/Secrets/K [ws: Secrets/K] or /ws/SECRETS/k'],
      ['LINK/x', '/etc/x or /ws/LINK/x'],
      ['\u017fecrets', '/Ws/Secrets [ws: Secrets] or /ws/\u017fecrets or /ws/secrets or /Ws/\u017fecrets'],
      ['stra\u00dfe', '/Ws/stra\u00dfe [ws: stra\u00dfe] or /ws/stra\u00dfe never /ws/strasse or /Ws/strasse'],
    ]);
  });
});
