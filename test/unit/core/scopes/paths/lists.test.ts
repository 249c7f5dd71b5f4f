import assert from 'node:assert/strict';
import { compileLists, concernOf } from '../../../../../src/core/scopes/paths/lists.ts';
import { type Kind, listsOf, matched, PLACE, verdict } from './judging.ts';

/** `pattern | kind | form | verdict as a whitelist | verdict as a blacklist` */
const check = (table: string): void => {
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const told = rows.map(([pattern = '', kind = '', form = '']) => {
    const isName = kind === 'name';
    const of = (given: Parameters<typeof listsOf>[0]): string =>
      verdict(listsOf(given), isName ? 'name' : 'path', form.replaceAll('¶', '\n'));
    return [pattern, kind, form, of({ allow: [pattern] }), of({ deny: [pattern] })].join(' | ');
  });
  assert.deepEqual(
    told,
    rows.map((cells) => cells.join(' | ')),
  );
};

suite('Lists of scopes', () => {
  test('decide as the specification requires, without a prompt', () => {
    const lists = listsOf({ allow: ['/ws/**'], deny: ['**/.env', '**/secrets/**'] });
    const told = [
      '/ws/src/a.ts',
      '/ws',
      '/ws/',
      '/ws/.env',
      '/ws/secrets/k',
      '/ws/secrets',
      '/ws/./secrets/k',
      '/ws/x/../secrets/k',
      '/ws/SECRETS/k',
      '/ws/.cfg/secrets/k',
      '/etc/hosts',
      '/ws2/a',
    ].map((form) => `${form} ${verdict(lists, 'path', form)}`);
    assert.deepEqual(told, [
      '/ws/src/a.ts allowed',
      '/ws allowed',
      '/ws/ allowed',
      '/ws/.env denied',
      '/ws/secrets/k denied',
      '/ws/secrets denied',
      '/ws/./secrets/k denied',
      '/ws/x/../secrets/k denied',
      '/ws/SECRETS/k denied',
      '/ws/.cfg/secrets/k denied',
      '/etc/hosts unlisted',
      '/ws2/a unlisted',
    ]);
  });

  test('names that begin like comments, negations or shell patterns are names', () =>
    check(`
      #general | name | #general | allowed | denied
      #dev-* | name | #dev-x | allowed | denied
      #dev-* | name | #general | unlisted | unlisted
      #admin-* | name | #admin-x | allowed | denied
      !x | name | !x | allowed | denied
      !x | name | y | unlisted | unlisted
      !* | name | !a/b | unlisted | denied
      +(b) | name | +(b) | allowed | denied
      +(b) | name | b | unlisted | unlisted
      !(a) | name | b | unlisted | unlisted
      /a/(b)/** | path | /a/(b)/c | allowed | denied
      /a/(b)/** | path | /a/b/c | unlisted | unlisted
      discord:* | name | discord:acme/general | unlisted | denied
      discord:acme/* | name | discord:acme/general | allowed | denied
      discord:acme/* | name | discord:acme | unlisted | unlisted
      general | name | general | allowed | denied
      @team | name | @team | allowed | denied
    `));

  test('names that begin with a dot are like any other', () =>
    check(`
      /project/** | path | /project/.git/config | allowed | denied
      **/secrets/** | path | /project/.cfg/secrets/k | allowed | denied
      **/secrets/** | path | /project/.hidden/secrets/k | allowed | denied
      **/.env | path | /project/.hidden/.env | allowed | denied
      /project/* | path | /project/.env | allowed | denied
    `));

  test('a spelling that is not normal is denied, whatever the lists say', () =>
    check(`
      /project/** | path | /project/../etc/passwd | denied | denied
      /project/** | path | /project/.. | denied | denied
      /project/** | path | /project/./a | denied | denied
      /project/** | path | /project//a | denied | denied
      /project/** | path | /project/..\\..\\etc\\passwd | denied | denied
      /project/** | path | /project/a¶/etc/passwd | denied | denied
      /project/** | path | /project/a\u0000 | denied | denied
      /project/** | path | /project/se\u200bcrets | denied | denied
      /project/** | path | /project/\u202etxt.exe | denied | denied
      /other/** | path | /project/.. | denied | denied
      ** | name | ../x | denied | denied
      ** | path | . | denied | denied
      ** | name | a\\b | denied | denied
      /project/** | path | /project/... | allowed | denied
      /project/** | path | /project/..a | allowed | denied
      /project/** | path | /project/%2e%2e | allowed | denied
    `));

  test('a folder is what is said of all that is in it; a denied one also denies what is below', () =>
    check(`
      /project/** | path | /project | allowed | denied
      /project/** | path | /project/ | allowed | denied
      /project/** | path | /projects | unlisted | unlisted
      **/secrets/** | path | /project/secrets | allowed | denied
      **/.git | path | /ws/.git/config | unlisted | denied
      **/.git | path | /ws/.git | allowed | denied
      **/.git | path | /ws/.github/x | unlisted | unlisted
      /ws/secrets | path | /ws/secrets/a/b | unlisted | denied
      /ws/secrets/ | path | /ws/secrets/a/b | unlisted | denied
      /ws/secrets/ | path | /ws/secrets | allowed | denied
      /ws/* | path | /ws/a/b | unlisted | denied
      /ws/* | path | /ws | unlisted | unlisted
      **/*.pem | path | /ws/x.pem/y | unlisted | denied
      / | path | /etc | unlisted | denied
      / | path | / | allowed | denied
      /** | path | / | allowed | denied
      ** | path | / | allowed | denied
    `));

  test('what is denied is denied in any case, what is allowed only in its own', () =>
    check(`
      /ws/secrets/** | path | /ws/SECRETS/k | unlisted | denied
      /WS/Secrets | path | /ws/secrets | unlisted | denied
      /ws/secret? | path | /ws/SECRETS | unlisted | denied
      /ws/[a-z]* | path | /ws/SECRETS | unlisted | denied
      /ws/[A-Z]* | path | /ws/secrets | unlisted | denied
      /ws/[!A-Z]* | path | /ws/secrets | allowed | denied
      /ws/[!A-Z]* | path | /ws/SECRETS | unlisted | unlisted
      /ws/[[:upper:]]x | path | /ws/ax | unlisted | denied
      /ws/[[:lower:]]x | path | /ws/AX | unlisted | denied
      /ws/[s]tra?e | path | /ws/STRAẞE | unlisted | denied
      /ws/[^a]b | path | /ws/Ab | allowed | denied
      /ws/straße | path | /ws/STRASSE | unlisted | denied
      /ws/STRASSE | path | /ws/straße | unlisted | denied
      /ws/stra?e | path | /ws/STRAẞE | unlisted | denied
      /ws/ΟΔΟΣ* | path | /ws/οδος | unlisted | denied
      /ws/οδος | path | /ws/ΟΔΟΣ | unlisted | denied
      /ws/İx | path | /ws/i\u0307x | unlisted | denied
      /ws/ınfo | path | /ws/INFO | unlisted | denied
      /ws/info | path | /ws/\u0131nfo | unlisted | denied
      /ws/kelvin | path | /ws/\u212aelvin | unlisted | denied
      /ws/é | path | /ws/e\u0301 | allowed | denied
      /ws/e\u0301 | path | /ws/É | unlisted | denied
      #General | name | #GENERAL | unlisted | denied
    `));

  test('where the file system ignores case, so does what is allowed, and no more than that', () => {
    const forms = ['/WS/src/a', '/ws/SRC', '/w\u017f/src', '/ws/\u017frc/a'];
    assert.deepEqual(matched('/ws/ß', 'path', ['/WS/ß', '/ws/ẞ'], { ignoresCase: true }), [
      '/ws/ß /WS/ß: allowed denied',
      '/ws/ß /ws/ẞ: unlisted denied',
    ]);
    assert.deepEqual(matched('/ws/Src/**', 'path', forms, { ignoresCase: true }), [
      '/ws/Src/** /WS/src/a: allowed denied',
      '/ws/Src/** /ws/SRC: allowed denied',
      '/ws/Src/** /w\u017f/src: unlisted denied',
      '/ws/Src/** /ws/\u017frc/a: unlisted denied',
    ]);
    assert.deepEqual(matched('/ws/[s]rc/É', 'path', ['/WS/SRC/É', '/ws/src/É', '/ws/src/é'], { ignoresCase: true }), [
      '/ws/[s]rc/É /WS/SRC/É: unlisted denied',
      '/ws/[s]rc/É /ws/src/É: allowed denied',
      '/ws/[s]rc/É /ws/src/é: unlisted denied',
    ]);
    assert.deepEqual(matched('C:\\Work\\[a-c]*', 'path', ['c:/work/B', 'c:/work/d'], { ignoresCase: true }), [
      'C:\\Work\\[a-c]* c:/work/B: allowed denied',
      'C:\\Work\\[a-c]* c:/work/d: unlisted',
    ]);
  });

  test('relative patterns are about names as they are, and about paths in every open folder', () =>
    check(`
      src/** | path | /ws/src/a | allowed | denied
      src/** | path | /data/other/src/a | allowed | denied
      src/** | path | /elsewhere/src/a | unlisted | unlisted
      src/** | name | src/a | allowed | denied
      ./src/** | path | /ws/src/a | allowed | denied
      . | path | /ws | allowed | denied
      ../ws2/** | path | /ws2/a | allowed | denied
      *.pem | path | /ws/a.pem | allowed | denied
      *.pem | path | /ws/sub/a.pem | unlisted | unlisted
      **.pem | path | /ws/a.pem | allowed | denied
      **/x | path | /elsewhere/x | allowed | denied
      **/x | name | #y/x | allowed | denied
      {**/x,y} | path | /ws/y | allowed | denied
      {**/x,y} | path | /y | unlisted | unlisted
      general | path | /ws/general | allowed | denied
      C:/x/** | path | C:/x/y | allowed | denied
      C:/x/** | path | /ws/C:/x/y | unlisted | unlisted
      /x | path | /ws/x | unlisted | unlisted
    `));

  test('variables stand for folders, and detours in patterns are followed as text', () =>
    check(`
      \${workspaceFolder}/** | path | /ws/a | allowed | denied
      \${workspaceFolder} | path | /ws | allowed | denied
      \${workspaceFolder:other}/x | path | /data/other/x | allowed | denied
      \${workspaceFolder}/../lib/** | path | /lib/a | allowed | denied
      \${userHome}/.ssh | path | /home/person/.ssh/id | unlisted | denied
      ~/.ssh | path | /home/person/.ssh/id | unlisted | denied
      ~ | path | /home/person | allowed | denied
      ~x | path | /ws/~x | allowed | denied
      {\${workspaceFolder},~}/a{b,c} | path | /home/person/ac | allowed | denied
      {\${workspaceFolder},~}/a{b,c} | path | /ws/ab | allowed | denied
      /ws/a/../b/./c//d | path | /ws/b/c/d | allowed | denied
      /../x | path | /x | allowed | denied
      /ws/*/../b | path | /ws/b | allowed | denied
      c:/../x | path | c:/x | allowed | denied
      \\ws\\a\\** | path | /ws/a/b | allowed | denied
      /ws/[*] | path | /ws/* | allowed | denied
      /ws/[*] | path | /ws/a | unlisted | unlisted
    `));

  test('a folder with magic in its name is just that folder', () => {
    const folders = ['/d/[a]*?{b,c}(x)!', '/', 'C:\\Work [1]\\', '\\\\server\\share\\dir'];
    const told = folders.map((path) => {
      const place = { ...PLACE, folders: [{ name: 'odd', path }] };
      const at = path === '/' ? '' : path.replaceAll('\\', '/').replace(/\/$/, '');
      const forms = [`${at}/src/x`, '/d/a/src/x', '/d/b/src/x', 'C:/Work 1/src/x', '/server/share/dir/src/x'];
      return ['src/*', '${workspaceFolder:odd}/{src,lib}/**'].map((pattern) => {
        const lists = listsOf({ allow: [pattern], place });
        return [path, pattern, ...forms.map((form) => verdict(lists, 'path', form)), ...lists.problems].join(' ');
      });
    });
    assert.deepEqual(
      told.flat(),
      folders.flatMap((path) => [
        `${path} src/* allowed unlisted unlisted unlisted unlisted`,
        `${path} \${workspaceFolder:odd}/{src,lib}/** allowed unlisted unlisted unlisted unlisted`,
      ]),
    );
  });

  test('hosts are no folders, and a slash more denies no less', () =>
    check(`
      //server/share/** | path | //server/share/x | allowed | denied
      //server/share/** | path | /server/share/x | unlisted | denied
      /server/share/** | path | //server/share/x | unlisted | denied
      https://good.example/** | name | https://good.example/x | allowed | denied
      https:/good.example/** | name | https://good.example/x | unlisted | denied
      https://good.example/** | name | https://good.example//x | unlisted | denied
      https://good.example/** | name | https:/good.example/x | unlisted | denied
      https://good.example/** | name | https:////good.example/x | unlisted | denied
      http*//bad.example/** | name | https://bad.example/x | unlisted | denied
      discord://acme/../x | name | discord://acme/x | allowed | denied
      x://a/** | name | x:///a/b | unlisted | denied
    `));
});

suite('Targets with several forms', () => {
  const lists = listsOf({ allow: ['/ws/**', '/data/**'], deny: ['**/secrets'] });
  const judge = (kind: Kind, forms: readonly string[], shadows: readonly string[] = []): string =>
    lists.judge({ kind, forms, shadows });

  test('are allowed where each is allowed by any pattern, and denied where one is denied', () => {
    assert.deepEqual(
      [
        judge('path', ['/ws/a', '/data/a']),
        judge('path', ['/ws/a', '/etc/a']),
        judge('path', ['/etc/a', '/ws/a']),
        judge('path', ['/ws/a', '/etc/secrets']),
        judge('path', ['/etc/a', '/ws/secrets/x']),
        judge('path', ['/ws/a'], ['/elsewhere/b']),
        judge('path', ['/ws/a'], ['/elsewhere/secrets']),
        judge('name', ['#general'], ['/ws/#general']),
        judge('name', ['#general'], ['/ws/secrets/#general']),
        judge('name', [], []),
        judge('path', [], ['/ws/a']),
      ],
      [
        'allowed',
        'unlisted',
        'unlisted',
        'denied',
        'denied',
        'allowed',
        'denied',
        'unlisted',
        'denied',
        'unlisted',
        'unlisted',
      ],
    );
  });

  test('are judged each time as the first time, however many others come between', () => {
    const forms = Array.from({ length: 1_500 }, (_, index) => [`/ws/${index}`, `/etc/${index}`, `/x/secrets/${index}`]);
    const once = (): readonly string[] => forms.flat().map((form) => judge('path', [form]));
    assert.deepEqual(once(), once());
    assert.equal(judge('path', ['/ws/1']), 'allowed');
    assert.equal(judge('name', ['/ws/1']), 'allowed');
    assert.equal(judge('name', ['#/ws/1']), 'unlisted');
  });
});

suite('Patterns that cannot be read', () => {
  const long = `/ws/${'x'.repeat(1_021)}`;
  const bad = [
    '',
    ' ',
    long,
    '/ws/{a,b}'.repeat(9),
    '/ws/\u200b',
    '/ws/a\n',
    '${env:HOME}/x',
    '${workspaceFolder',
    '${workspaceFolder:closed}/x',
    '**/../x',
    '{,}',
  ];

  test('allow nothing, deny everything, and are reported', () => {
    const shown = (pattern: string): string => (pattern.length > 30 ? `${pattern.slice(0, 12)}…` : pattern);
    const told = bad.map((pattern) => {
      const allow = listsOf({ allow: [pattern, '/ws/**'] });
      const deny = listsOf({ deny: [pattern] });
      const [problem = ''] = allow.problems;
      const verdicts = [verdict(allow, 'path', '/ws/a'), verdict(allow, 'path', '/b'), verdict(deny, 'path', '/b')];
      assert.equal(allow.problems.length + deny.problems.length, 2, pattern);
      return `${JSON.stringify(shown(pattern))} ${verdicts.join(' ')}: ${problem.slice(problem.indexOf(': ') + 2)}`;
    });
    assert.deepEqual(told, [
      '"" allowed unlisted denied: Must be a pattern that is not empty, such as "src/**".',
      '" " allowed unlisted denied: Must be a pattern that is not empty, such as "src/**".',
      '"/ws/xxxxxxxx…" allowed unlisted denied: Must have at most 1024 characters.',
      '"/ws/{a,b}/ws…" allowed unlisted denied: Must stand for at most 256 alternatives; write several patterns instead of so many braces.',
      '"/ws/\u200b" allowed unlisted denied: Must have no characters that cannot be seen; "?" stands for any one of them.',
      '"/ws/a\\n" allowed unlisted denied: Must have no characters that cannot be seen; "?" stands for any one of them.',
      '"${env:HOME}/x" allowed unlisted denied: Must have no other variables than ${workspaceFolder}, ${workspaceFolder:name} and ${userHome}.',
      '"${workspaceFolder" allowed unlisted denied: Must have a "}" after each "${".',
      '"${workspaceFolder:closed}/x" allowed unlisted denied: Must have variables with a value; ${workspaceFolder:closed} has none here. Open the folder, or write the path instead.',
      '"**/../x" allowed unlisted denied: Must not have ".." after "**": where that leads depends on what is there.',
      '"{,}" allowed unlisted denied: Must stand for something; its braces are empty.',
    ]);
    assert.deepEqual(listsOf({ deny: ['a', '**/../x'] }).problems, [
      'The pattern "**/../x" of the blacklist: Must not have ".." after "**": where that leads depends on what is there.',
    ]);
  });

  test('a folder whose name fits two that are open, or that no text can name, has no value', () => {
    const twice = [...PLACE.folders, { name: 'ws', path: '/ws3' }];
    const told = ['${workspaceFolder:ws}/x', '${workspaceFolder:odd}/x', '${userHome}/x', '${workspaceFolder}/x'].map(
      (pattern) => {
        const place = { folders: [...twice, { name: 'odd', path: '/a\\b' }], userHome: '' };
        return listsOf({ deny: [pattern], place }).problems.length;
      },
    );
    assert.deepEqual(told, [1, 1, 1, 0]);
    const odd = listsOf({ deny: ['b/x'], place: { ...PLACE, folders: [{ name: 'odd', path: '/a\\b' }] } });
    assert.equal(verdict(odd, 'path', '/a/b/x'), 'unlisted');
    assert.equal(verdict(odd, 'path', '/a\\b/x'), 'denied');
  });

  test('a broken blacklist denies everything, without any target too', () => {
    const broken = listsOf({ allow: ['**'], isBroken: true });
    assert.deepEqual(
      [verdict(broken, 'path', '/ws/a'), verdict(broken, 'name', '#a'), verdict(broken, 'name'), broken.problems],
      ['denied', 'denied', 'denied', []],
    );
  });

  test('a form that is longer than any path is denied unmatched', () => {
    const lists = listsOf({ allow: ['/ws/**'] });
    const form = (length: number): string => `/ws/${'a'.repeat(length - 4)}`;
    assert.equal(verdict(lists, 'path', form(4_096)), 'allowed');
    assert.equal(verdict(lists, 'path', form(4_097)), 'denied');
    assert.equal(verdict(lists, 'path', ''), 'denied');
  });
});

suite('The concern of lists', () => {
  const shown = ({ allow = [], deny = [] }: Parameters<typeof listsOf>[0]): string => {
    const { ofNames, ofFiles, denies } = concernOf({ whitelist: allow, blacklist: deny, isBroken: false });
    return [ofNames && 'names', ofFiles && 'files', denies && 'denies'].filter(Boolean).join(' ') || 'nothing';
  };

  test('depends on the look of each pattern, and plain words are names only in a whitelist', () => {
    const table = [
      ['#a', 'names', 'names denies'],
      ['@a', 'names', 'names denies'],
      ['discord:a/b', 'names', 'names denies'],
      ['general', 'names', 'denies'],
      ['a b', 'names', 'denies'],
      ['a:b', 'names', 'denies'],
      ['a*', 'nothing', 'denies'],
      ['a.pem', 'nothing', 'denies'],
      ['a$b', 'nothing', 'denies'],
      ['.env', 'files', 'files denies'],
      ['*.pem', 'files', 'files denies'],
      ['x*.pem', 'files', 'files denies'],
      ['~', 'files', 'files denies'],
      ['x~', 'files', 'files denies'],
      ['a/b', 'files', 'files denies'],
      ['a\\b', 'files', 'files denies'],
      ['C:/x', 'files', 'files denies'],
      ['${userHome}', 'files', 'files denies'],
    ] as const;
    const found = table.map(([pattern]) => [pattern, shown({ allow: [pattern] }), shown({ deny: [pattern] })]);
    assert.deepEqual(found, table);
  });

  test('comes from any pattern of either list', () => {
    const table = [
      [[], [], 'nothing'],
      [['a*', '#a'], [], 'names'],
      [['a*', 'general'], [], 'names'],
      [['a*'], ['b*', '#a'], 'names denies'],
      [['#a'], ['#b'], 'names denies'],
      [['a*', 'src/**'], [], 'files'],
      [['a*'], ['b*', '/x'], 'files denies'],
      [['general', 'src/**'], ['b*'], 'names files denies'],
    ] as const;
    assert.deepEqual(
      table.map(([allow, deny]) => [allow, deny, shown({ allow, deny })]),
      table,
    );
  });
});

suite('A text that a list may deny', () => {
  const given = { allow: ['**'], deny: ['**/secrets/**', '#admin', '/ws/\u2764'] };
  const kinds = ['path', 'name'] as const;

  test('is denied by a pattern of its kind, and not where no pattern can match it', () => {
    const table = [
      ['/ws/secrets/k', true, true],
      ['/ws/SECRETS', true, true],
      ['/ws/a', false, false],
      ['#admin', false, true],
      ['/ws/#admin', true, false],
      ['#administration', false, false],
      ['/ws/s?crets/k', true, false],
      ['/ws/s[e]crets', true, false],
      ['/ws/x?crets/k', false, false],
      ['/ws/\u2764\ufe0f', true, true],
      ['', false, false],
      ['a//secrets', false, true],
      ['/ws/./secrets', false, false],
      ['\\ws\\secrets', false, false],
      ['/ws/secrets\u0000', false, false],
    ] as const;
    const lists = listsOf(given);
    assert.deepEqual(
      table.map(([text]) => [text, ...kinds.map((kind) => lists.denies(text, kind))]),
      table,
    );
  });

  test('is denied whatever it is where a blacklist cannot be read', () => {
    const found = [{ ...given, isBroken: true }, { deny: ['{,}'] }, { allow: ['{,}'] }].map((broken) => {
      const lists = listsOf(broken);
      return ['/ws/a', '', 'a//b'].flatMap((text) => kinds.map((kind) => lists.denies(text, kind))).join(' ');
    });
    assert.deepEqual(found, [
      'true true true true true true',
      'true true true true true true',
      'false false false false false false',
    ]);
  });

  test('denies a target as its form, its shadow or its name', () => {
    const lists = listsOf(given);
    const table = [
      ['path', ['/ws/a'], [], [], 'allowed'],
      ['path', ['/ws/a'], [], ['#admin'], 'denied'],
      ['path', ['/ws/a'], [], ['#a', '#admin'], 'denied'],
      ['path', ['/ws/a'], [], ['/ws/#admin', ''], 'allowed'],
      ['path', ['/ws/a'], ['/x/secrets'], [], 'denied'],
      ['path', ['/ws/a'], ['/x', '/x/s?crets/k'], [], 'denied'],
      ['path', ['/ws/a', '/ws/s?crets/k'], [], [], 'denied'],
      ['path', ['/ws/x?crets/k'], ['/x?crets'], [], 'allowed'],
      ['name', ['s?crets'], [], [], 'allowed'],
      ['name', ['#a'], ['/ws/s?crets/k'], [], 'denied'],
      ['name', ['#a'], ['/ws/x?crets/k'], ['#b'], 'allowed'],
      ['name', ['#a'], ['/ws/#admin'], [], 'denied'],
      ['name', ['#a'], [], ['#admin'], 'denied'],
      ['name', [], [], [], 'unlisted'],
      ['path', [], ['/x'], ['#a'], 'unlisted'],
    ] as const;
    assert.deepEqual(
      table.map(([kind, forms, shadows, names]) => {
        return [kind, forms, shadows, names, lists.judge({ kind, forms, shadows, names })];
      }),
      table,
    );
  });

  test('is not denied as a path by a pattern that only matches names', () => {
    const lists = listsOf({ deny: ['*'] });
    assert.deepEqual(
      [verdict(lists, 'path', '/x/a'), verdict(lists, 'name', 'a'), verdict(lists, 'path', '/ws/a')],
      ['unlisted', 'denied', 'denied'],
    );
  });

  test('is denied with and without characters that some file systems leave out of names', () => {
    const lists = listsOf({ allow: ['/ws/**'], deny: ['/ws/\u2764'] });
    const found = ['/ws/\u2764', '/ws/\u2764\ufe0f', '/ws/\u2600', '/ws/\u2600\ufe0f'];
    assert.deepEqual(lists.problems, []);
    assert.deepEqual(
      found.map((form) => verdict(lists, 'path', form)),
      ['denied', 'denied', 'allowed', 'allowed'],
    );
  });
});

suite('Lists that are too long', () => {
  const TOO_MUCH = 'Must stand for less; with its braces written out in every folder, the list is too long.';
  const pattern = `/${'a'.repeat(999)}`;
  /** An absolute pattern counts as a name and as a path. */
  const full = Array.from({ length: 2_000 }, () => pattern);

  test('are read up to the limit, and every pattern above it is a problem', () => {
    const most = listsOf({ deny: full, allow: full });
    assert.deepEqual([most.problems, verdict(most, 'path', '/x')], [[], 'unlisted']);
    const more = listsOf({ deny: [...full, '/', '/b'] });
    assert.deepEqual(more.problems, [
      `The pattern "/" of the blacklist: ${TOO_MUCH}`,
      `The pattern "/b" of the blacklist: ${TOO_MUCH}`,
    ]);
    assert.equal(verdict(more, 'path', '/x'), 'denied');
    assert.equal(listsOf({ deny: ['{,}', ...full] }).problems.length, 1);
    const allowing = listsOf({ allow: ['/a', ...full, '/b'] });
    assert.deepEqual(allowing.problems, [
      `The pattern "${pattern.slice(0, 79)}…" of the whitelist: ${TOO_MUCH}`,
      `The pattern "/b" of the whitelist: ${TOO_MUCH}`,
    ]);
    assert.deepEqual(
      ['/a', '/b', '/c'].map((form) => verdict(allowing, 'path', form)),
      ['allowed', 'unlisted', 'unlisted'],
    );
  });

  test('count the folders by both of their paths, and report a pattern once', () => {
    const real = { ...PLACE, userHome: '/real' };
    const problemsOf = (blacklist: readonly string[]): readonly string[] =>
      compileLists({ whitelist: [], blacklist, isBroken: false }, PLACE, false, real).problems;
    assert.deepEqual(problemsOf(full.slice(0, 1_000)), []);
    assert.deepEqual(problemsOf([...full.slice(0, 1_000), '/']), [`The pattern "/" of the blacklist: ${TOO_MUCH}`]);
    assert.deepEqual(problemsOf(['{,}']), [
      'The pattern "{,}" of the blacklist: Must stand for something; its braces are empty.',
    ]);
    assert.deepEqual(problemsOf([`/${'x'.repeat(78)}\u200b`]), [
      `The pattern "/${'x'.repeat(78)}" of the blacklist: Must have no characters that cannot be seen; "?" stands for any one of them.`,
    ]);
  });

  test('apply to both paths of a folder that is a link', () => {
    const real = { ...PLACE, folders: [{ name: 'ws', path: '/real' }] };
    const lists = compileLists({ whitelist: ['src/**'], blacklist: ['keys'], isBroken: false }, PLACE, false, real);
    assert.deepEqual(
      ['/ws/src/a', '/real/src/a', '/ws/keys', '/real/keys', '/elsewhere/src/a'].map((form) =>
        verdict(lists, 'path', form),
      ),
      ['allowed', 'allowed', 'denied', 'denied', 'unlisted'],
    );
  });
});
