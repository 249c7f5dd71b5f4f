import assert from 'node:assert/strict';
import type { JsonObject } from '../../../../../src/core/base/json.ts';
import { NO_CANCELLATION } from '../../../../../src/core/base/cancellation.ts';
import { realFoldersOf } from '../../../../../src/core/scopes/paths/realNames.ts';
import { targetsOfCall, targetsOfClaim } from '../../../../../src/core/scopes/paths/targets.ts';
import { fakeFiles } from '../../../../support/fakeFiles.ts';
import { reader, toolWith } from './renderScope.ts';
import { decider } from './verdicts.ts';

const files = fakeFiles({ '/ws/src/a.ts': 'file', '/ws/link': { link: '/etc' }, '/ws/loop': { link: 'loop' } });
const place = { folders: [{ name: 'ws', path: '/ws' }], userHome: '/home/me', bases: ['/ws'] };
const read = reader(files, place);

async function assertClaims(table: readonly (readonly [string, JsonObject | undefined, readonly string[]])[]) {
  const found = await Promise.all(
    table.map(async ([label, payload]) => [label, payload, await read.claim(label, payload)]),
  );
  assert.deepEqual(found, table);
}

type Call = readonly [JsonObject, readonly string[]];

async function assertCalls(schema: JsonObject, adapter: readonly string[] | undefined, table: readonly Call[]) {
  const found = await Promise.all(table.map(async ([args]) => [args, await read.call(schema, args, adapter)]));
  assert.deepEqual(found, table);
}

suite('What a claim of a scope names', () => {
  test('is what its label names, with whatever its payload says of files', async () => {
    await assertClaims([
      ['/etc/hosts', { path: '/etc/hosts', mode: 'append' }, ['label: /etc/hosts', '/payload/path: /etc/hosts']],
      ['#general', { channel: '#general' }, ['label: name #general', '/payload/channel: name #general']],
      [' ', undefined, []],
      [
        '/ws/a',
        { FilePath: 'p', file_name: 'n', 'target-dir': 'd', outputPath: 'a', URI: 'u', paths: ['x', 'y'], cwd: 'c' },
        [
          'label: /ws/a',
          '/payload/FilePath: /ws/p',
          '/payload/file_name: /ws/n',
          '/payload/target-dir: /ws/d',
          '/payload/outputPath: /ws/a',
          '/payload/URI: /ws/u',
          '/payload/paths/0: /ws/x',
          '/payload/paths/1: /ws/y',
          '/payload/cwd: /ws/c',
        ],
      ],
      [
        '/ws/a',
        {
          profile: 'p',
          xpath: 'x',
          total: 't',
          source: 'main() {\n}',
          from: 'a',
          line: 4,
          path: 5,
          file: { name: 'x' },
        },
        ['label: /ws/a', '/payload/from: /ws/a'],
      ],
      ['/f', { urls: ['file:///f', 'https://x/y'], url: 'https://h/' }, ['label: /f', '/payload/urls/0: /f']],
      ['/ws/a', { path: '' }, ['label: /ws/a', '/payload/path: /ws', 'DISAGREES']],
    ]);
  });

  test('is found in a payload wherever it looks like a path', async () => {
    await assertClaims([
      [
        '/etc/x',
        {
          any: [
            { deep: ['/etc/x', '../y', 'file:///z', 'C:\\w', '~/q', '%252fetc/k', 'plain', 'a/../b', 'a..b', '1/2'] },
          ],
        },
        [
          'label: /etc/x',
          '/payload/any/0/deep/0: /etc/x',
          '/payload/any/0/deep/1: /y',
          '/payload/any/0/deep/2: /z',
          '/payload/any/0/deep/3: /mnt/c/w',
          '/payload/any/0/deep/4: /home/me/q',
          '/payload/any/0/deep/5: /etc/k',
          '/payload/any/0/deep/7: /ws/b',
        ],
      ],
      ['/x', { content: '/etc/x\nand more', 'a/b~c': ' /x ' }, ['label: /x', '/payload/a~1b~0c: /x']],
      ['/etc/c', { any: { '/etc/c': 1 } }, ['label: /etc/c', '/payload/any/~1etc~1c: /etc/c']],
      [
        '/etc/c',
        { files: { 'src/b.ts': 'text', '/etc/c': 'text', plain: 'text' } },
        ['label: /etc/c', '/payload/files/src~1b.ts: /ws/src/b.ts', '/payload/files/~1etc~1c: /etc/c'],
      ],
    ]);
  });

  test('agrees only where the label is one of the things that the payload names', async () => {
    await assertClaims([
      ['link/x', { path: '/etc/x' }, ['label: /etc/x', '/payload/path: /etc/x']],
      ['/etc/x', { to: 'link/x', log: '/ws/b' }, ['label: /etc/x', '/payload/to: /etc/x', '/payload/log: /ws/b']],
      ['#general', { target: '#general' }, ['label: name #general', '/payload/target: name #general']],
      ['/ws/a.ts', { path: '/etc/passwd' }, ['label: /ws/a.ts', '/payload/path: /etc/passwd', 'DISAGREES']],
      ['link/../x', { path: '/ws/y' }, ['label: /x', '/payload/path: /ws/y', 'DISAGREES']],
      ['Hosts', { path: '/etc/hosts' }, ['label: /ws/Hosts', '/payload/path: /etc/hosts', 'DISAGREES']],
      ['', { path: '/etc/hosts' }, ['/payload/path: /etc/hosts', 'DISAGREES']],
      ['#a', { target: '#b' }, ['label: name #a', '/payload/target: name #b', 'DISAGREES']],
      [
        '#a',
        { target: '#a', file: 'x' },
        ['label: name #a', '/payload/target: name #a', '/payload/file: /ws/x', 'DISAGREES'],
      ],
    ]);
    const folded = reader(fakeFiles({}, { ignoresCase: true }), place);
    assert.deepEqual(await folded.claim('/etc/X', { path: '/ETC/x' }), ['label: /etc/X', '/payload/path: /ETC/x']);
  });

  test('is refused as a whole where a part of it cannot be judged', async () => {
    const many = (count: number): JsonObject => ({ paths: Array.from({ length: count }, (_, index) => `f${index}`) });
    assert.equal((await read.claim('f0', many(63))).length, 64);
    assert.deepEqual(await read.claim('f0', many(64)), [
      'REFUSED The payload cannot be judged. It names more than 64 things.',
    ]);
    await assertClaims([
      [
        '/ws/a',
        { path: '/etc/x\n' },
        [
          'REFUSED The value at /payload/path cannot be judged. It has characters that cannot be seen, or that change what is seen.',
        ],
      ],
      [
        '/ws/a',
        { path: 'loop' },
        ['REFUSED The value at /payload/path cannot be judged. It leads through too many links, or in a circle.'],
      ],
      [
        'x%00',
        {},
        ['REFUSED The label cannot be judged. It has characters that cannot be seen, or that change what is seen.'],
      ],
    ]);
  });
});

suite('What a call of a tool names', () => {
  test('is what settings point at', async () => {
    const UNFIT = ['REFUSED Its arguments do not match the "scopeAdapters" setting of this tool.'];
    await assertCalls(
      {},
      ['$.path', '$.more[1]', "$['odd key']", '$.files[*].path'],
      [
        [{ path: 'a', other: '/etc/x' }, ['/arguments/path: /ws/a']],
        [
          { path: ['a', '#b'], more: ['c', 'd'] },
          ['/arguments/path/0: /ws/a', '/arguments/path/1: name #b', '/arguments/more/1: /ws/d'],
        ],
        [{ 'odd key': 'link/x', path: null }, ['/arguments/odd key: /etc/x']],
        [
          { files: [{ path: 'a' }, {}, { path: 'b' }] },
          ['/arguments/files/0/path: /ws/a', '/arguments/files/2/path: /ws/b'],
        ],
        [{}, []],
        [{ path: 4 }, UNFIT],
        [{ path: false }, UNFIT],
        [{ path: { to: 'x' } }, UNFIT],
        [{ path: ['a', 4] }, UNFIT],
        [{ files: ['/etc/x'] }, UNFIT],
        [{ files: { path: 'a' } }, UNFIT],
        [{ more: 'x' }, UNFIT],
      ],
    );
    await assertCalls(
      {},
      ['path'],
      [[{ path: 'a' }, ['REFUSED The "scopeAdapters" setting of this tool cannot be read.']]],
    );
  });

  test('is what its schema calls a file, or what is called so besides', async () => {
    await assertCalls({ properties: { path: { type: ['string', 'null'] }, content: { type: 'string' } } }, undefined, [
      [{ path: 'a', content: '/etc/x' }, ['/arguments/path: /ws/a']],
      [
        { path: 'a', file: '/etc/x', url: 'file:///e' },
        ['/arguments/path: /ws/a', '/arguments/file: /etc/x', '/arguments/url: /e'],
      ],
      [{ path: ['a', 'b'] }, ['/arguments/path/0: /ws/a', '/arguments/path/1: /ws/b']],
      [{ path: 4 }, ['REFUSED The value at /arguments/path is not a text, which its schema requires.']],
      [{ path: null }, []],
    ]);
    const formats = { what: { format: 'file-path' }, list: { items: { format: 'uri' } } };
    await assertCalls({ properties: formats }, undefined, [
      [
        { what: 'a', list: ['b', 'http://x/y'], rest: '/etc/x' },
        [
          '/arguments/what: /ws/a',
          '/arguments/list/0: /ws/b',
          '/arguments/list/1: name http://x/y',
          '/arguments/rest: /etc/x',
        ],
      ],
    ]);
    const edit = { properties: { where: { format: 'path' }, edits: { items: { $ref: '#/$defs/an~1edit' } } } };
    await assertCalls(
      { properties: { edits: { $ref: '#/$defs/list' } }, $defs: { 'an/edit': edit, list: { items: edit } } },
      undefined,
      [
        [
          { edits: [{ where: 'a', edits: [{ where: 'b' }] }] },
          ['/arguments/edits/0/where: /ws/a', '/arguments/edits/0/edits/0/where: /ws/b'],
        ],
      ],
    );
    await assertCalls(
      { anyOf: [{ properties: { path: {} } }, { properties: { id: { type: 'string' } } }] },
      undefined,
      [
        [{ path: 'a', id: '/x' }, ['/arguments/path: /ws/a']],
        [{ id: '/x' }, []],
      ],
    );
  });

  test('is whatever looks like a path where the schema calls nothing a file', async () => {
    await assertCalls({ properties: { query: { type: 'string' }, from: { type: 'integer' } } }, undefined, [
      [{ query: 'words', from: 3 }, []],
      [{ query: '/etc/x', from: 3 }, ['/arguments/query: /etc/x']],
      [{ query: ['x', { y: '../z' }], path: 'p' }, ['/arguments/query/1/y: /z', '/arguments/path: /ws/p']],
    ]);
    const elsewhere = { $ref: 'https://example.org/schema', properties: { x: { $ref: '#' } } };
    await assertCalls(elsewhere, undefined, [[{ x: { x: '/etc/x' } }, ['/arguments/x/x: /etc/x']]]);
  });
});

suite('Open folders', () => {
  test('have their real paths too', async () => {
    const linked = fakeFiles({ '/ws': { link: '/data/ws' }, '/loop': { link: '/loop' } });
    const folders = ['/ws', '/data', '/loop'].map((path) => ({ name: path.slice(1), path }));
    assert.deepEqual(await realFoldersOf({ folders, userHome: '/ws/me' }, linked, NO_CANCELLATION), {
      folders: {
        folders: [
          { name: 'ws', path: '/data/ws' },
          { name: 'data', path: '/data' },
          { name: 'loop', path: '/loop' },
        ],
        userHome: '/data/ws/me',
      },
      isSure: false,
    });
    const plain = { folders: folders.slice(1, 2), userHome: 'untitled' };
    assert.deepEqual(await realFoldersOf(plain, linked, NO_CANCELLATION), { folders: undefined, isSure: true });
  });
});

suite('A label and its payload', () => {
  const AGREES = '';
  const DISAGREES = 'DISAGREES';
  const told = async (label: string, payload: JsonObject, ignoresCase = false): Promise<string> => {
    const lines = await reader(fakeFiles({}, { ignoresCase }), place).claim(label, payload);
    return lines.includes(DISAGREES) ? DISAGREES : AGREES;
  };

  test('have the same kind if they have the same text', () =>
    assertClaims([
      ['@a/b', { path: '@a/b' }, ['label: /ws/@a/b', '/payload/path: /ws/@a/b']],
      ['@a/b', { channel: '@a/b' }, ['label: name @a/b', '/payload/channel: name @a/b']],
      [
        '@a/b',
        { channel: '#z', path: '@a/b' },
        ['label: /ws/@a/b', '/payload/channel: name #z', '/payload/path: /ws/@a/b'],
      ],
      ['@a/b', { path: '@a/c' }, ['label: name @a/b', '/payload/path: /ws/@a/c', 'DISAGREES']],
      ['@a/b', {}, ['label: name @a/b']],
    ]));

  test('agree by the words of a payload that has no target', async () => {
    const table = [
      ['x', 'x', AGREES],
      ['/ws/x', 'x', AGREES],
      ['x', 'y', DISAGREES],
      ['', 'y', DISAGREES],
      ['x', 'poster', DISAGREES],
      ['x', 'repost', DISAGREES],
      ['x', 'utf8x', DISAGREES],
      ['x', 'profile', DISAGREES],
      ...['read', 'write', 'append', 'create', 'delete', 'move', 'rename', 'list', 'execute', 'update', 'post', 'POST'],
      ...['send', 'get', 'utf8', 'UTF-8', 'r', 'w', 'a', 'rw', 'file', 'low', 'normal', 'medium', 'high', 'urgent'],
    ].map((row) => (typeof row === 'string' ? (['x', row, AGREES] as const) : row));
    const found = await Promise.all(
      table.map(async ([label = '', word = '']) => [label, word, await told(label, { zorb: word })]),
    );
    assert.deepEqual(found, table);
  });

  test('disagree where another word of the payload may name something', async () => {
    const table: readonly (readonly [JsonObject, string])[] = [
      [{ channel: '#abc' }, AGREES],
      [{ zorb: '#abc' }, AGREES],
      [{ zorb: 'abc' }, AGREES],
      [{ zorb: 'b' }, DISAGREES],
      [{ channel: '#abc', other: '#abc' }, AGREES],
      [{ channel: '#abc', other: 'abc' }, AGREES],
      [{ channel: '#abc', other: 'fast' }, DISAGREES],
      [{ channel: '#abc', oldStr: 'fast' }, AGREES],
      [{ channel: '#abc', other: 'write' }, AGREES],
      [{ channel: '#abc', content: 'fast' }, AGREES],
      [{ channel: '#abc', title: 'fast' }, AGREES],
      [{ channel: '#abc', mode: 'fast' }, AGREES],
      [{ channel: '#abc', message: ['fast'] }, AGREES],
      [{ channel: '#abc', message: [['fast']] }, AGREES],
      [{ channel: '#abc', message: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 'fast'] }, AGREES],
      [{ channel: '#abc', title: { 7: { other: 'fast' } } }, DISAGREES],
      [{ channel: '#abc', deep: [{ title: ['fast'] }] }, AGREES],
      [{ channel: '#abc', title: [{ deep: 'fast' }] }, DISAGREES],
      [{ channel: '#abc', deep: [['fast']] }, DISAGREES],
      [{ channel: '#abc', other: 'abc', more: 'fast' }, DISAGREES],
      [{ channel: '#abc', more: 'fast', other: 'abc' }, DISAGREES],
    ];
    const found = await Promise.all(table.map(async ([payload]) => [payload, await told('#abc', payload)]));
    assert.deepEqual(found, table);
  });

  test('agree in any case only where the file system ignores case', async () => {
    const payloads: readonly JsonObject[] = [{ channel: '#a' }, { zorb: '#a' }, { channel: '#A', zorb: '#a' }];
    const found = await Promise.all(
      payloads.map(async (payload) => [await told('#A', payload), await told('#A', payload, true)]),
    );
    assert.deepEqual(found, [
      [DISAGREES, AGREES],
      [DISAGREES, AGREES],
      [AGREES, AGREES],
    ]);
    assert.equal(await told('#\u017f', { channel: '#s' }, true), DISAGREES);
  });

  test('are read up to the longest label, and refused above it without a target', async () => {
    const longest = 'a'.repeat(4_096);
    assert.deepEqual(await read.claim(longest, undefined), [`label: /ws/${longest}`]);
    const claim = { label: `${longest}a`, payload: undefined };
    assert.deepEqual(await targetsOfClaim(claim, place, files, NO_CANCELLATION), {
      targets: [],
      checked: [],
      isWhole: true,
      refusal: 'The label is longer than 4096 characters.',
      agrees: true,
    });
  });
});

suite('The lookups of a call', () => {
  const names = (count: number, start: string): readonly string[] =>
    Array.from({ length: count }, (_, index) => `${start}${index}`);
  /** The number of lookups, and the last line of the result. */
  const lookups = async (bases: number, args: JsonObject, adapter?: readonly string[]): Promise<string> => {
    const empty = fakeFiles({});
    const from = { folders: [], userHome: '/home/me', bases: names(bases, '/b') };
    const lines = await reader(empty, from).call({}, args, adapter);
    return [empty.asked.length, lines.at(-1) ?? 'whole'].join(' ');
  };

  test('are limited for its targets, and a call above the limit is refused before any of them', async () => {
    const of = (absolute: number): Promise<string> =>
      lookups(40, { paths: [...names(51, 'f'), ...names(absolute, '/a')] }, ['$.paths']);
    assert.deepEqual(
      [await of(8), await of(9)],
      ['2048 /arguments/paths/58: /a7', '0 REFUSED It can be read in too many ways.'],
    );
  });

  test('are limited for its other texts, and the user is asked about a call above the limit', async () => {
    const WANTS = 'AND WHATEVER IT WANTS';
    const words = names(64, 'f');
    assert.deepEqual(
      [
        await lookups(32, { words: words.slice(0, 63) }),
        await lookups(32, { words }),
        await lookups(32, { words: [...words, '\ud800 \ud801'] }),
        await lookups(32, { words: [...words, 'more'] }),
        await lookups(40, { words: names(51, 'f') }),
        await lookups(40, { words: names(52, 'f') }),
        await lookups(40, { words: names(400, 'f') }),
      ],
      ['2016 whole', '2048 whole', '2048 whole', `2048 ${WANTS}`, '2040 whole', `2040 ${WANTS}`, `2040 ${WANTS}`],
    );
  });

  test('end the reading of texts above the limit', async () => {
    const checked = async (bases: number, args: JsonObject, adapter?: readonly string[]): Promise<number> => {
      const from = { folders: [], userHome: '/home/me', bases: names(bases, '/b') };
      const call = { tool: toolWith({}), args, adapter };
      return (await targetsOfCall(call, from, fakeFiles({}), NO_CANCELLATION)).checked.length;
    };
    const parts = (count: number): readonly string[] => names(count, 'f').map((name) => `x=${name}`);
    assert.deepEqual(
      [
        await checked(32, { words: names(64, 'f') }),
        await checked(32, { words: names(66, 'f') }),
        await checked(40, { words: names(400, 'f') }),
        await checked(32, { paths: parts(60) }, ['$.paths']),
      ],
      [64, 65, 52, 66],
    );
    const label = await targetsOfClaim({ label: 'x=/etc/a', payload: {} }, place, files, NO_CANCELLATION);
    assert.deepEqual(label.checked, []);
  });

  test('are empty if there is nothing to look up', async () => {
    const empty = fakeFiles({});
    assert.deepEqual(await reader(empty, place).call({}, { channel: 5, on: true }, ['$.none']), []);
    assert.deepEqual(empty.asked, []);
  });
});

suite('A name beside a path', () => {
  const denied = async (path: string, args: JsonObject, style: 'posix' | 'windows' = 'posix'): Promise<string> => {
    const home = style === 'windows' ? 'c:' : '';
    const from = {
      folders: [{ name: 'ws', path: `${home}/ws` }],
      userHome: `${home}/home`,
      bases: [`${home}/ws`, `${home}/ws2`],
    };
    return decider(fakeFiles({}, { style }), from, { whitelist: ['**'], blacklist: [path] }).call(args);
  };

  test('may be meant in its folder, or below it', async () => {
    const table: readonly (readonly [string, JsonObject, string])[] = [
      ['/d/secret', { path: '/d', name: 'secret' }, 'deny'],
      ['/d/secret', { path: '/d/x.txt', name: 'secret' }, 'deny'],
      ['/d/secret', { path: '/d/x/y', name: 'secret' }, 'allow'],
      ['/d/secret', { path: '/d', title: 'secret' }, 'allow'],
      ['/d/secret', { filename: '/d/a', name: 'secret' }, 'allow'],
      ['/d2/secret', { path: '/d1/a', path2: '/d2/b', name: 'secret' }, 'deny'],
      ['/d3/secret', { path: '/d1/a', path2: '/d2/b', path3: '/d3/b', name: 'secret' }, 'allow'],
      ['/d2/secret', { path: '/d1/a', path2: '/d1/a', path3: '/d2/b', name: 'secret' }, 'deny'],
      ['/d1/a/secret', { channel: '#a', path: '/d1/a', name: 'secret' }, 'deny'],
      ['/d2/secret', { filename: '/e/a', path: '/d1/a', path2: '/d2/b', name: 'secret' }, 'deny'],
      ['/ws2/x/secret', { path: 'x', name: 'secret' }, 'allow'],
      ['/ws/x/secret', { path: 'x', name: 'secret' }, 'deny'],
      ['/d/secret', { cwd: '/d', zorb: 'secret' }, 'deny'],
      ['/ws/#a/secret', { dir: '#a', file: 'secret' }, 'deny'],
      ['/d/secret', { path: '/d', zorb: 'secret' }, 'allow'],
    ];
    const found = await Promise.all(table.map(async ([path, args]) => [path, args, await denied(path, args)]));
    assert.deepEqual(found, table);
  });
});

suite('A folder that other texts may be relative to', () => {
  test('is any other than those of the same list', () =>
    assertCalls({}, undefined, [
      [{ path: 'x', cwd: '/d' }, ['/arguments/path: /d/x', '/arguments/cwd: /d']],
      [{ list: [{ dir: '/d' }, { dir: 'x' }] }, ['/arguments/list/0/dir: /d', '/arguments/list/1/dir: /d/x']],
      [{ dir: '#a', file: 'x' }, ['/arguments/dir: /ws/#a', '/arguments/file: /ws/x']],
      [{ dir: '/ws', file: 'x' }, ['/arguments/dir: /ws', '/arguments/file: /ws/x']],
      [{ dirs: ['/a', '/b'], file: 'x' }, ['/arguments/dirs/0: /a', '/arguments/dirs/1: /b', '/arguments/file: /a/x']],
      [
        { dir: '/d', to: '@a/b', path: '@a/b' },
        ['/arguments/dir: /d', '/arguments/to: name @a/b', '/arguments/path: /d/@a/b'],
      ],
    ]));

  test('is reported first if it cannot be judged', async () => {
    const [refusal = ''] = await read.call({}, { path: 'a\u0000', cwd: 'b\u0000' });
    assert.match(refusal, /^REFUSED .* \/arguments\/cwd cannot be judged\./);
  });
});
