import assert from 'node:assert/strict';
import { NO_CANCELLATION } from '../../../../../src/core/base/cancellation.ts';
import type { JsonObject } from '../../../../../src/core/base/json.ts';
import type { Tool } from '../../../../../src/core/model/catalog.ts';
import type { ScopeLists, ScopeSettings } from '../../../../../src/core/model/scope.ts';
import type { FileNames } from '../../../../../src/core/ports.ts';
import type { ScopeContext } from '../../../../../src/core/scopes/paths/computed.ts';
import { ScopeEngine } from '../../../../../src/core/scopes/paths/scopeEngine.ts';
import { fakeFiles } from '../../../../support/fakeFiles.ts';
import { toolWith } from './renderScope.ts';
import { decider } from './verdicts.ts';

const PLACE: ScopeContext = { folders: [{ name: 'ws', path: '/ws' }], userHome: '/home/me', bases: ['/ws'] };

const lists = (given: Partial<ScopeLists>): ScopeLists => ({ whitelist: [], blacklist: [], isBroken: false, ...given });

const settingsOf = (bySet: Readonly<Record<string, Partial<ScopeLists>>>): ScopeSettings => ({
  lists: Object.fromEntries(Object.entries(bySet).map(([key, given]) => [key, lists(given)])),
  adapters: {},
});

/** Files that a test may replace, for example to change links. */
function changing(entries: Parameters<typeof fakeFiles>[0]): {
  readonly names: FileNames;
  become(to: typeof entries): void;
} {
  let files = fakeFiles(entries);
  return {
    names: { style: 'posix', ignoresCase: false, real: (path, token) => files.real(path, token) },
    become: (to) => (files = fakeFiles(to)),
  };
}

/** The verdicts on calls with these paths, one word each. `deny!` is a denial by the host, not by a list. */
async function verdicts(
  engine: ScopeEngine,
  settings: ScopeSettings,
  paths: readonly string[],
  { context = PLACE, featureSet = 'a' }: { readonly context?: ScopeContext; readonly featureSet?: string } = {},
): Promise<string> {
  const found: string[] = [];
  for (const path of paths) {
    const matter = { kind: 'call', tool: toolWith({}) as Tool, args: { path }, adapter: ['$.path'] } as const;
    const judged = await engine.judge({ matter, featureSet, settings, context }, NO_CANCELLATION);
    found.push(judged.verdict === 'deny' && judged.by === 'host' ? 'deny!' : judged.verdict);
  }
  return found.join(' ');
}

suite('Compiled lists are made again', () => {
  const settings = settingsOf({
    a: { whitelist: ['**'], blacklist: ['secrets/**', '~/keys'] },
    b: { whitelist: ['/d1/**'] },
  });
  const paths = ['/ws/secrets/k', '/d1/secrets/k', '/d2/secrets/k', '/home/me/keys', '/h2/keys', '/ws2/secrets/k'];
  const at = (folder: string, home: string | { readonly link: string } = 'folder') => ({
    '/d1/secrets/k': 'file' as const,
    '/d2/secrets/k': 'file' as const,
    '/ws': { link: folder },
    '/ws2/secrets/k': 'file' as const,
    '/h2/keys': 'file' as const,
    '/home/me': home as 'folder',
  });

  test('when the link of a folder or of the home moved, and when other folders are open', async () => {
    const files = changing(at('/d1'));
    const engine = new ScopeEngine(files.names);
    const told: Record<string, string> = {};
    told['to d1'] = await verdicts(engine, settings, paths);
    files.become(at('/d2'));
    told['to d2'] = await verdicts(engine, settings, paths);
    files.become(at('/d2', { link: '/h2' }));
    told['home moved'] = await verdicts(engine, settings, paths);
    const other = { folders: [{ name: 'ws', path: '/ws2' }], userHome: '/home/me', bases: ['/ws2'] };
    told['another folder'] = await verdicts(engine, settings, paths, { context: other });
    told['another home'] = await verdicts(engine, settings, paths, { context: { ...PLACE, userHome: '/h2' } });
    files.become(at('/d1'));
    told['back'] = await verdicts(engine, settings, paths);
    assert.deepEqual(told, {
      'to d1': 'deny deny allow deny allow allow',
      'to d2': 'deny allow deny deny allow allow',
      'home moved': 'deny allow deny deny deny allow',
      'another folder': 'allow allow allow deny deny deny',
      'another home': 'deny allow deny deny deny allow',
      back: 'deny deny allow deny allow allow',
    });
  });

  test('for each feature set, however many there are', async () => {
    const files = changing(at('/d1'));
    const engine = new ScopeEngine(files.names);
    const few = ['/d1/secrets/k', '/d2/secrets/k'];
    const of = (featureSet: string): Promise<string> => verdicts(engine, settings, few, { featureSet });
    const first = [await of('a'), await of('b'), await of('a'), await of('none')];
    for (let n = 0; n < 300; n++) await of(`n${n}`);
    assert.deepEqual(
      [...first, await of('b'), await of('a')],
      ['deny allow', 'allow ask', 'deny allow', 'ask ask', 'allow ask', 'deny allow'],
    );
  });
});

suite('A folder that cannot be found', () => {
  const closed = fakeFiles({ '/closed': 'closed', '/d/x': 'file' });
  const context: ScopeContext = { folders: [{ name: 'ws', path: '/closed/ws' }], userHome: '/home/me', bases: ['/d'] };

  test('makes everything denied if anything is, and changes nothing otherwise', async () => {
    const engine = new ScopeEngine(closed);
    const told = async (given: Partial<ScopeLists>): Promise<string> =>
      verdicts(engine, settingsOf({ a: given }), ['/d/x', '/e'], { context });
    assert.deepEqual(
      {
        'allows only': await told({ whitelist: ['/d/**'] }),
        'denies something': await told({ whitelist: ['/d/**'], blacklist: ['/other/**'] }),
        'denies one': await told({ whitelist: ['/d/**'], blacklist: ['/e'] }),
      },
      { 'allows only': 'allow ask', 'denies something': 'deny! deny!', 'denies one': 'deny! deny' },
    );
  });
});

suite('An earlier grant', () => {
  test('is found where lists deny any of it by now, as a path or as a name', async () => {
    const engine = new ScopeEngine(fakeFiles({}));
    const settings = settingsOf({ a: { blacklist: ['/ws/secrets/**', '#admin-*', 'discord:x'] } });
    const grants = [
      ['/ws/src'],
      ['/ws/secrets/k'],
      ['/ws/src', '/ws/SECRETS'],
      ['#admin-x'],
      ['#general'],
      ['discord:x'],
      ['c:/ws'],
      [],
    ].map((targets) => ({ targets }));
    const denied = await engine.denied(grants, { featureSet: 'a', settings, context: PLACE }, NO_CANCELLATION);
    assert.deepEqual(
      denied.map(({ targets }) => targets.join(' ')),
      ['/ws/secrets/k', '/ws/src /ws/SECRETS', '#admin-x', 'discord:x'],
    );
  });
});

suite('Letters that are written in two ways', () => {
  const composed = 'Caf\u00e9';
  const apart = 'Cafe\u0301';

  test('are the same in patterns, folders, names on disk and targets', async () => {
    const both = [composed, apart];
    for (const pattern of both)
      for (const folder of both)
        for (const written of both) {
          const context: ScopeContext = {
            folders: [{ name: 'ws', path: `/${folder}` }],
            userHome: '/h',
            bases: [`/${folder}`],
          };
          const files = fakeFiles({ [`/${folder}/${written}`]: 'file' });
          const which = JSON.stringify([pattern, folder, written]);
          const of = async (given: Partial<ScopeLists>, text: string): Promise<string> =>
            verdicts(new ScopeEngine(files), settingsOf({ a: given }), [text], { context });
          assert.deepEqual(
            [
              await of({ blacklist: [pattern] }, written),
              await of({ blacklist: [pattern], whitelist: ['**'] }, `${written}/x`),
              await of({ whitelist: [pattern] }, written),
              await of({ whitelist: [`\${workspaceFolder}/${pattern}`] }, written),
              await of({ whitelist: [`/${pattern}/**`] }, written),
            ],
            ['deny', 'deny', 'allow', 'allow', 'allow'],
            which,
          );
        }
  });

  test('are the same in names', async () => {
    for (const pattern of [composed, apart])
      for (const written of [composed, apart]) {
        const denying = decider(fakeFiles({}), PLACE, { blacklist: [`#${pattern}`] });
        const allowing = decider(fakeFiles({}), PLACE, { whitelist: [`#${pattern}`] });
        const label = `#${written}`;
        assert.deepEqual(
          [
            await denying.call({ channel: label }),
            await denying.elevate(label),
            await allowing.call({ channel: label }),
            await allowing.elevate(label, { channel: `#${pattern}` }),
          ],
          ['deny', 'deny', 'allow', 'allow'],
          JSON.stringify([pattern, written]),
        );
      }
  });
});

suite('A name that is also a file', () => {
  test('is denied where the file is, by a link too, and allowed by its name alone', async () => {
    const files = fakeFiles({ '/ws/#secret': { link: '/ws/keys' }, '/ws/keys': 'folder' });
    const verdictsBy = async (blacklist: readonly string[]): Promise<readonly string[]> => {
      const one = decider(files, PLACE, { whitelist: ['#*'], blacklist });
      const labels = ['#secret', '#general', '#Secret'];
      return Promise.all(labels.map((label) => one.elevate(label)));
    };
    assert.deepEqual(
      {
        none: await verdictsBy([]),
        'its name': await verdictsBy(['#secret']),
        'its path': await verdictsBy(['/ws/#secret']),
        'its folder': await verdictsBy(['/ws/**']),
        'where it leads': await verdictsBy(['keys/**']),
        'another folder': await verdictsBy(['/elsewhere/**']),
      },
      {
        none: ['allow', 'allow', 'allow'],
        'its name': ['deny', 'allow', 'deny'],
        'its path': ['deny', 'allow', 'deny'],
        'its folder': ['deny', 'deny', 'deny'],
        'where it leads': ['deny', 'allow', 'allow'],
        'another folder': ['allow', 'allow', 'allow'],
      },
    );
  });
});

/** Shortens the reason to a word. */
function reasonOf(why: string): string {
  if (why.startsWith('A "\\" in a path')) return 'backslash';
  return why.includes('/arguments/path cannot be judged.') ? 'unreadable' : why;
}

suite('A judgement in full', () => {
  const files = fakeFiles({ '/ws/link': { link: '/etc' }, '/ws/b': 'file' });
  const judged = async (
    given: Partial<ScopeLists>,
    args: JsonObject,
    { adapter, schema = {} }: { readonly adapter?: readonly string[]; readonly schema?: JsonObject } = {},
  ): Promise<string> => {
    const matter = { kind: 'call', tool: toolWith(schema), args, adapter } as const;
    const settings = settingsOf({ a: given });
    const found = await new ScopeEngine(files).judge(
      { matter, featureSet: 'a', settings, context: PLACE },
      NO_CANCELLATION,
    );
    const by = found.verdict === 'deny' ? ` by ${found.by}` : found.verdict === 'ask' ? ` ${found.doubt}` : '';
    const why = found.verdict === 'deny' && found.by === 'host' ? `: ${reasonOf(found.why)}` : '';
    return [
      `${found.verdict}${by}${why}`,
      found.targets.map(({ kind, from, real }) => `${kind} ${from} ${real}`).join(', '),
      found.reals.join(' '),
    ].join(' | ');
  };
  const said = { schema: { properties: { zorb: { type: 'string' }, more: { type: 'string' }, path: {} } } };

  test('has the targets in the order of the arguments, and their real paths sorted and once each', async () => {
    const lists = { whitelist: ['/ws/**'] };
    assert.deepEqual(
      [
        await judged(lists, { path: '/ws/b', to: '/ws/a', from: '/ws/b' }),
        await judged(lists, { path: 'link/x', to: '/ws/a' }),
        await judged(lists, {}),
        await judged({ whitelist: ['#a', '#b'] }, { zorb: '#b', more: '#a' }, said),
        await judged({ whitelist: ['a', 'b'] }, { zorb: 'b', more: 'a' }, said),
        await judged({ whitelist: ['a', 'b'] }, { zorb: 'b', more: 'c' }, said),
      ],
      [
        'allow | path /arguments/path /ws/b, path /arguments/to /ws/a, path /arguments/from /ws/b | /ws/a /ws/b',
        'ask unlisted | path /arguments/path /etc/x, path /arguments/to /ws/a | /etc/x /ws/a',
        'ask noTarget |  | ',
        'allow | name /arguments/zorb #b, name /arguments/more #a | #a #b',
        'allow | name /arguments/zorb b, name /arguments/more a | ',
        'ask noTarget |  | ',
      ],
    );
  });

  test('distinguishes a backslash from a list', async () => {
    const call = { path: '/ws/a\\b' };
    const at = { adapter: ['$.path'] };
    assert.deepEqual(
      [
        await judged({ whitelist: ['**'] }, call, at),
        await judged({ whitelist: ['**'], blacklist: ['/ws/c'] }, call, at),
        await judged({ whitelist: ['**'], blacklist: ['/ws/a/b'] }, call, at),
        await judged({ whitelist: ['**'], blacklist: ['/ws/c'] }, { zorb: '/etc/a\\b', path: 'b' }, said),
        await judged({ whitelist: ['/ws/**'], blacklist: ['/ws/c'] }, { zorb: '/etc/a\\b', path: 'b' }, said),
      ],
      [
        'deny by host: backslash | path /arguments/path /ws/a\\b | /ws/a/b /ws/a\\b',
        'deny by host: backslash | path /arguments/path /ws/a\\b | /ws/a/b /ws/a\\b',
        'deny by list | path /arguments/path /ws/a\\b | /ws/a/b /ws/a\\b',
        'allow | path /arguments/path /ws/b | /ws/b',
        'ask unlisted | path /arguments/path /ws/b, path /arguments/zorb /etc/a\\b | /etc/a/b /etc/a\\b /ws/b',
      ],
    );
  });

  test('is a denial by the list where the list is broken, with a target or without one', async () => {
    const broken = { whitelist: ['**'], isBroken: true };
    assert.deepEqual(
      [await judged(broken, {}), await judged(broken, { path: 'b' }), await judged(broken, { path: 'b\u0000' })],
      ['deny by list |  | ', 'deny by list | path /arguments/path /ws/b | /ws/b', 'deny by host: unreadable |  | '],
    );
  });

  test('asks about what leads out of the folders and no list allows', async () => {
    const zorb = { zorb: '/etc/x', path: 'b' };
    assert.deepEqual(
      [
        await judged({ whitelist: ['/ws/**'] }, zorb, said),
        await judged({ whitelist: ['/ws/**', '/etc/**'] }, zorb, said),
        await judged({ whitelist: ['**'], blacklist: ['/etc/x'] }, zorb, said),
        await judged({ whitelist: ['/ws/**'], blacklist: ['**/*here'] }, zorb, said),
        await judged({ whitelist: ['/ws/**', '/etc/**'], blacklist: ['**/*here'] }, zorb, said),
        await judged({ whitelist: ['**'] }, { path: 'b', command: 'x' }),
      ],
      [
        'ask unlisted | path /arguments/path /ws/b, path /arguments/zorb /etc/x | /etc/x /ws/b',
        'allow | path /arguments/path /ws/b | /ws/b',
        'deny by list | path /arguments/path /ws/b, path /arguments/zorb /etc/x | /etc/x /ws/b',
        'ask unlisted | path /arguments/path /ws/b, path /arguments/zorb /etc/x | /etc/x /ws/b',
        'allow | path /arguments/path /ws/b | /ws/b',
        'ask noTarget |  | /ws/b',
      ],
    );
  });
});

suite('The lists of a feature set', () => {
  /** How often lists were compiled for one call per set. */
  const compiledFor = async (sets: readonly string[]): Promise<number> => {
    let count = 0;
    const counted = {
      get whitelist(): readonly string[] {
        count++;
        return ['/ws/**'];
      },
      blacklist: [],
      isBroken: false,
    };
    const settings: ScopeSettings = { lists: { '*': counted }, adapters: {} };
    const engine = new ScopeEngine(fakeFiles({}));
    for (const featureSet of sets) await verdicts(engine, settings, ['/ws/a'], { featureSet });
    return count;
  };

  test('are made once, for up to 256 sets of a server', async () => {
    const sets = (most: number): readonly string[] => Array.from({ length: most }, (_, index) => `n${index}`);
    assert.deepEqual(
      [
        await compiledFor(['a', 'a', 'a']),
        await compiledFor(['a', 'b', 'a', 'b']),
        await compiledFor([...sets(255), 'n0', 'n254']),
        await compiledFor([...sets(256), 'n0', 'n255']),
        await compiledFor([...sets(257), 'n256', 'n256']),
        await compiledFor([...sets(257), 'n0', 'n256']),
      ],
      [1, 2, 255, 256, 257, 258],
    );
  });
});

suite('A decision', () => {
  test('asks the file system about each path once, and again for the next decision', async () => {
    const asked: string[] = [];
    const files = fakeFiles({ '/ws/a': 'file' });
    const real: FileNames['real'] = (path, token) => {
      asked.push(path);
      return files.real(path, token);
    };
    const engine = new ScopeEngine({ style: 'posix', ignoresCase: false, real });
    const settings = settingsOf({ a: { whitelist: ['/ws/**'] } });
    const decided = [await verdicts(engine, settings, ['a'])];
    const once = [...asked].sort().join(' ');
    decided.push(await verdicts(engine, settings, ['a']));
    assert.deepEqual([decided, once, asked.length], [['allow', 'allow'], '/home/me /ws /ws/a', 6]);
  });
});

suite('An earlier grant, compared by its text', () => {
  const denied = async (path: string, blacklist: readonly string[], targets: readonly string[]): Promise<string> => {
    const context = { folders: [{ name: 'ws', path }], userHome: '/home/me', bases: [path] };
    const engine = new ScopeEngine(fakeFiles({}, { style: path.startsWith('/') ? 'posix' : 'windows' }));
    const grants = targets.map((target) => ({ targets: [target] }));
    const about = { featureSet: 'a', settings: settingsOf({ a: { blacklist } }), context };
    return (await engine.denied(grants, about, NO_CANCELLATION)).map((grant) => grant.targets.join()).join(' ');
  };

  test('is a path if it is absolute, and else a name', async () => {
    const targets = ['/ws/keys/a', 'c:/ws/keys/a', 'keys/a', 'x/ws/keys/a', 'xc:/ws/keys/a', '1:/ws/keys/a', 'other'];
    assert.deepEqual(
      [
        await denied('/ws', ['keys'], targets),
        await denied('c:\\ws', ['keys'], targets),
        await denied('/ws', ['**/*here'], targets),
        await denied('/ws', [], targets),
      ],
      ['/ws/keys/a keys/a', 'c:/ws/keys/a keys/a', '', ''],
    );
  });
});
