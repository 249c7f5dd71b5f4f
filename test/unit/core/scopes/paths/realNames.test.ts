import assert from 'node:assert/strict';
import { NO_CANCELLATION } from '../../../../../src/core/base/cancellation.ts';
import type { FileNames, RealName } from '../../../../../src/core/ports.ts';
import { OpenFolders, RealNames } from '../../../../../src/core/scopes/paths/realNames.ts';
import { type PathStyle, posixStyle, windowsStyle } from '../../../../../src/core/scopes/paths/pathStyle.ts';
import { formsOf, readText, type ReadText } from '../../../../../src/core/scopes/paths/pathTargets.ts';
import { isUnreadable } from '../../../../../src/core/scopes/paths/pathText.ts';
import { fakeFiles } from '../../../../support/fakeFiles.ts';

const realNames = (names: FileNames, style: PathStyle = posixStyle): RealNames =>
  new RealNames(names, style, NO_CANCELLATION);

/** Resolves paths with the function. `asked` has all lookups. */
function namesWith(real: (path: string) => RealName): { readonly names: FileNames; readonly asked: string[] } {
  const asked: string[] = [];
  const names: FileNames = {
    style: 'posix',
    ignoresCase: false,
    real: (path) => {
      asked.push(path);
      return Promise.resolve(real(path));
    },
  };
  return { names, asked };
}

const LOST: RealName = { kind: 'unknown', why: 'Late.' };
const paths = (count: number, start: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => `/${start}${index}`);

suite('The lookups of paths', () => {
  test('ask once for each path, in the order given', async () => {
    const { names, asked } = namesWith((path) => ({ kind: 'real', path, exists: true }));
    const reals = realNames(names);
    await reals.ask(['/a', '/b', '/a']);
    await reals.ask(['/b', '/c']);
    await reals.ask([]);
    assert.deepEqual(asked, ['/a', '/b', '/c']);
    assert.deepEqual(
      ['/a', '/none'].map((path) => reals.of(path)),
      [
        { kind: 'real', path: '/a', exists: true },
        { kind: 'unknown', why: 'The file system does not say where it leads.' },
      ],
    );
  });

  test('stop after 32 paths without an answer, but for those that wait already', async () => {
    const askedOf = async (lost: number, found: number): Promise<number> => {
      const { names, asked } = namesWith((path) =>
        path.startsWith('/lost') ? LOST : { kind: 'real', path, exists: false },
      );
      await realNames(names).ask([...paths(lost, 'lost'), ...paths(found, 'found')]);
      return asked.length;
    };
    assert.deepEqual([await askedOf(0, 100), await askedOf(31, 100), await askedOf(100, 0)], [100, 131, 47]);
  });

  test('run 16 at a time', async () => {
    let calls = 0;
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const names: FileNames = {
      style: 'posix',
      ignoresCase: false,
      real: async (path) => {
        if (++calls <= 16) await gate;
        return { kind: 'real', path, exists: true };
      },
    };
    const done = realNames(names).ask(paths(20, 'a'));
    const first = calls;
    open();
    await done;
    assert.deepEqual([first, calls], [16, 20]);
  });

  test('take what the system says in one style, and nothing that is not absolute', async () => {
    const table: readonly (readonly [PathStyle, string, RealName])[] = [
      [posixStyle, '/a/../Cafe\u0301/', { kind: 'real', path: '/Caf\u00e9', exists: true }],
      [posixStyle, 'a', { kind: 'unknown', why: 'The file system cannot say where it leads.' }],
      [posixStyle, 'C:\\a', { kind: 'unknown', why: 'The file system cannot say where it leads.' }],
      [windowsStyle, 'C:\\a\\b', { kind: 'real', path: 'c:/a/b', exists: true }],
      [windowsStyle, '\\\\server\\share\\x', { kind: 'real', path: '//server/share/x', exists: true }],
      [windowsStyle, '/a', { kind: 'unknown', why: 'The file system cannot say where it leads.' }],
    ];
    const found = await Promise.all(
      table.map(async ([style, path]) => {
        const reals = realNames(namesWith(() => ({ kind: 'real', path, exists: true })).names, style);
        await reals.ask(['/x']);
        return [style, path, reals.of('/x')];
      }),
    );
    assert.deepEqual(found, table);
    const lost = realNames(namesWith(() => LOST).names);
    await lost.ask(['/x']);
    assert.equal(lost.of('/x'), LOST);
  });
});

suite('Where a path lies in the open folders', () => {
  type Folders = Readonly<Record<string, string>>;
  const opened = async (folders: Folders, style: PathStyle, ignoresCase: boolean): Promise<OpenFolders> => {
    const files = fakeFiles({ '/link': { link: '/data/real' }, '/loop': { link: '/loop' } }, { style: style.name });
    const reals = realNames(files, style);
    const open = Object.entries(folders).map(([name, path]) => ({ name, path }));
    await reals.ask(OpenFolders.paths(open, style));
    return new OpenFolders(open, style, reals, ignoresCase);
  };
  const places = async (folders: Folders, real: readonly string[], style = posixStyle, ignoresCase = false) => {
    const open = await opened(folders, style, ignoresCase);
    return real.map((path) => {
      const inside = open.inside(path);
      return `${path} ${inside === undefined ? '-' : `${inside.folder}: ${inside.path}`}`;
    });
  };

  test('is the innermost folder, by its name or by its real path', async () => {
    const nested = { outer: '/ws', inner: '/ws/a/', other: '/data', same: '/ws/a/../a' };
    assert.deepEqual(await places(nested, ['/ws', '/ws/b', '/ws/a', '/ws/a/b/c', '/wsx', '/data/x', '/']), [
      '/ws outer: .',
      '/ws/b outer: b',
      '/ws/a same: .',
      '/ws/a/b/c same: b/c',
      '/wsx -',
      '/data/x other: x',
      '/ -',
    ]);
    assert.deepEqual(await places({ inner: '/ws/a', outer: '/ws' }, ['/ws/a/b', '/ws/b']), [
      '/ws/a/b inner: b',
      '/ws/b outer: b',
    ]);
    assert.deepEqual(await places({ link: '/link', loop: '/loop' }, ['/link/a', '/data/real/a', '/loop/a', '/a']), [
      '/link/a link: a',
      '/data/real/a link: a',
      '/loop/a loop: a',
      '/a -',
    ]);
    assert.deepEqual(await places({ root: '/' }, ['/', '/a/b']), ['/ root: .', '/a/b root: a/b']);
  });

  test('compares letters as the file system does', async () => {
    const folders = { ws: '/WS/Cafe\u0301' };
    const real = ['/WS/Caf\u00e9/a', '/ws/caf\u00c9/A'];
    assert.deepEqual(await places(folders, real), ['/WS/Caf\u00e9/a ws: a', '/ws/caf\u00c9/A -']);
    assert.deepEqual(await places(folders, real, posixStyle, true), ['/WS/Caf\u00e9/a ws: a', '/ws/caf\u00c9/A ws: A']);
  });

  test('distinguishes a share from a folder of the same name, and leaves out folders of other machines', async () => {
    const folders = { share: '\\\\server\\share\\ws', drive: 'C:\\ws', odd: '/ws', relative: 'ws' };
    const real = ['//server/share/ws/a', '/server/share/ws/a', 'c:/ws/a', 'd:/ws/a', '/ws/a', 'ws/a', '//ws/a'];
    assert.deepEqual(await places(folders, real, windowsStyle, true), [
      '//server/share/ws/a share: a',
      '/server/share/ws/a -',
      'c:/ws/a drive: a',
      'd:/ws/a -',
      '/ws/a -',
      'ws/a -',
      '//ws/a -',
    ]);
    const open = [
      { name: 'a', path: 'C:\\a' },
      { name: 'b', path: 'b' },
      { name: 'c', path: '/c' },
    ];
    assert.deepEqual(
      [windowsStyle, posixStyle].map((style) => OpenFolders.paths(open, style)),
      [['C:/a'], ['/c']],
    );
  });
});

suite('The meanings of a text', () => {
  const style = posixStyle;
  const context = { style, userHome: '/home/me', ignoresCase: false };
  const bases = (count: number): readonly string[] => paths(count, 'b');
  const read = (text: string, from: readonly string[], how = context): ReadText | string => {
    const found = readText(text, how, from);
    return isUnreadable(found) ? found.why : found;
  };
  const asked = (text: string, from: readonly string[], how = context): string => {
    const found = read(text, from, how);
    if (typeof found === 'string') return found;
    return `${found.likely.asked.join(' ')} | ${found.unlikely.asked.join(' ')}`;
  };

  test('are paths from every base, as written and without detours', () => {
    const windows = { ...context, style: windowsStyle, userHome: 'c:/home' };
    assert.deepEqual(
      [
        asked('a', ['/x', '/y']),
        asked('/a', ['/x', '/y']),
        asked('b/../a', ['/x']),
        asked('/b/../a', []),
        asked('b\\..\\a', ['c:/x'], windows),
        asked('a', []),
        asked('/a', []),
        asked('#a', []),
        asked('#a', ['/x']),
        asked('C:x', ['c:/x'], windows),
        asked('a', ['c:/x', 'c:/nul/y'], windows),
      ],
      [
        '/x/a /y/a | ',
        '/a | ',
        '/x/b/../a /x/a | ',
        '/b/../a /a | ',
        'c:/x/a | ',
        'It is relative, and no folder is open that it could be relative to.',
        '/a | ',
        ' | ',
        ' | /x/#a /x/a',
        'It is relative to a folder of a drive that is not known.',
        'It is the path of a device.',
      ],
    );
  });

  test('are limited to 512 paths, unlikely ones included', () => {
    const count = (text: string, from: number): string => {
      const found = read(text, bases(from));
      return typeof found === 'string' ? found : `${found.likely.asked.length} ${found.unlikely.asked.length}`;
    };
    const TOO_MANY = 'It can be read in too many ways.';
    assert.deepEqual(
      [count('a', 512), count('a', 513), count('\uff41', 256), count('\uff41', 257)],
      ['512 0', TOO_MANY, '256 256', TOO_MANY],
    );
  });

  test('have the data volume of a Mac under both of its paths', () => {
    const of = (...resolved: string[]): string => formsOf({ resolved, asked: [] }, []).join(' ');
    assert.deepEqual(
      [
        of('/System/Volumes/Data'),
        of('/system/volumes/data/a'),
        of('/System/Volumes/Database'),
        of('/x/System/Volumes/Data/a'),
        of('/a', '/System/Volumes/Data/a'),
      ],
      [
        '/System/Volumes/Data /',
        '/system/volumes/data/a /a',
        '/System/Volumes/Database',
        '/x/System/Volumes/Data/a',
        '/a /System/Volumes/Data/a',
      ],
    );
    assert.deepEqual(formsOf({ resolved: ['/Cafe\u0301'], asked: [] }, ['/real']), ['/Caf\u00e9', '/real']);
  });
});
