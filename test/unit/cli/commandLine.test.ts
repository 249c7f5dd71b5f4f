import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { parseHost } from '../../../src/cli/controlHost.ts';
import { parseLineage } from '../../../src/cli/lineageCommand.ts';
import { parseCall, parseInspect, parsePrompt, parseRead } from '../../../src/cli/target.ts';
import { toolArguments } from '../../../src/cli/typedArguments.ts';
import { UsageError } from '../../../src/cli/usage.ts';

function usageError(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof UsageError ? error.message : `no usage error: ${String(error)}`;
  }
  return 'no error';
}

suite('The command line', () => {
  test('inspect: what stands behind the first word belongs to the server, options included', () => {
    assert.deepEqual(parseInspect(['--json', '--env', 'A=b=c', '--cwd', '/tmp', '/bin/npx', '-y', 'x', '--json']), {
      kind: 'inspect',
      json: true,
      args: undefined,
      verbose: false,
      timeout: undefined,
      server: 'npx',
      folder: resolve('/tmp'),
      store: undefined,
      entry: {
        command: '/bin/npx',
        args: ['-y', 'x', '--json'],
        cwd: resolve('/tmp'),
        env: { A: 'b=c' },
        restart: 'never',
      },
    });
    assert.equal(parseInspect(['--', '--odd']).entry['command'], '--odd');
  });

  test('what may be touched without a question is meant from the working folder, and as a name', () => {
    const allowed = (folder: string, ...patterns: readonly string[]): unknown => {
      const options = patterns.flatMap((pattern) => ['--allow-scope', pattern]);
      return parseCall(['--cwd', folder, ...options, 'write', '--', 'files']).entry['scopes'];
    };
    const list = (...whitelist: readonly string[]): unknown => ({ '*': { whitelist } });
    assert.equal(parseCall(['write', '--', 'files']).entry['scopes'], undefined);
    assert.deepEqual(allowed('/ws', 'src/**', '#dev-*'), list('src/**', '/ws/src/**', '#dev-*', '/ws/#dev-*'));
    assert.deepEqual(allowed('/', 'a.ts'), list('a.ts', '/a.ts'));
    const whole = ['/etc/*', '**/a.ts', '**', '~/notes/**', 'C:\\x\\**', '${userHome}/x'];
    assert.deepEqual(allowed('/ws', ...whole), list(...whole));
    // Special characters in the folder name must not match other folders.
    for (const folder of ['/w*', '/w?', '/[w]', '/{a,b}', '/~', '/$x', '/a\\b'])
      assert.match(
        usageError(() => allowed(folder, 'src/**')),
        /^--allow-scope "src\/\*\*": Use an absolute path/,
      );
    assert.deepEqual(allowed('/[w]', '/ws/**'), list('/ws/**'));
    assert.equal(
      usageError(() => allowed('/ws', '')),
      '--allow-scope "": Must be a pattern that is not empty, such as "src/**".',
    );
    assert.match(
      usageError(() => allowed(`/${'w'.repeat(1_010)}`, 'src/of/something/**')),
      /Must have at most 1024 characters\.$/,
    );
  });

  test('inspect: a URL has headers and no arguments', () => {
    const { server, entry } = parseInspect([
      '--header',
      'Authorization: Bearer a:b',
      '--timeout',
      '2.5',
      'https://x.test/mcp',
    ]);
    assert.deepEqual(
      [server, entry],
      [
        'x.test',
        {
          url: 'https://x.test/mcp',
          headers: { Authorization: 'Bearer a:b' },
          restart: 'never',
          timeouts: { start: 2.5, list: 2.5, call: 2.5 },
        },
      ],
    );
    assert.equal(
      usageError(() => parseInspect(['https://x.test', 'more'])),
      'Nothing may follow the URL.',
    );
  });

  test('call: the tool and its arguments before "--", the server behind it', () => {
    const command = parseCall(['add', 'a=1', '--json', 'b=x y', '--', 'node', 's.js', '--', '--json']);
    assert.deepEqual(
      [command.tool, command.pairs, command.json, command.entry['args']],
      ['add', ['a=1', 'b=x y'], true, ['s.js', '--', '--json']],
    );
  });

  test('every kind of URL, and how to speak to it', () => {
    const entries = [
      ['wss://x.test/mcp'],
      ['--transport', 'sse', '--era', 'legacy', '--dialect', 'off', 'http://x.test/mcp'],
      ['--era', 'modern', '--dialect', 'force', 'node'],
    ].map((argv) => parseInspect(argv).entry);
    assert.deepEqual(
      entries.map(({ url, transport, protocol }) => [url, transport, protocol]),
      [
        ['wss://x.test/mcp', undefined, undefined],
        ['http://x.test/mcp', 'sse', { era: 'legacy', dialect: 'off' }],
        [undefined, undefined, { era: 'modern', dialect: 'force' }],
      ],
    );
    for (const [argv, expected] of [
      [['--transport', 'http', 'node'], /^--transport is for servers with a URL\.$/],
      [['--transport', 'pigeon', 'http://x.test'], /^--transport must be one of auto, http, sse, websocket\.$/],
      [['--era', 'old', 'node'], /^--era must be one of auto, legacy, modern\.$/],
      [['--dialect', 'on', 'node'], /^--dialect must be one of auto, off, force\.$/],
    ] as const)
      assert.match(
        usageError(() => parseInspect(argv)),
        expected,
      );
  });

  test('MCPL is spoken by inspect, and by the others with a feature set on', () => {
    const spoken = [
      parseInspect(['node']),
      parseCall(['t', '--', 'node']),
      parseRead(['--era', 'legacy', 'mem://a', '--', 'node']),
      parsePrompt(['--enable', 'a.b', '--enable', '*', 'p', '--', 'node']),
    ].map(({ entry: { protocol, featureSets } }) => ({ protocol, featureSets }));
    assert.deepEqual(spoken, [
      { protocol: undefined, featureSets: undefined },
      { protocol: { mcpl: 'off' }, featureSets: undefined },
      { protocol: { era: 'legacy', mcpl: 'off' }, featureSets: undefined },
      { protocol: undefined, featureSets: { enabled: ['a.b', '*'] } },
    ]);
  });

  test('read and prompt: what is wanted before "--", the server behind it', () => {
    const read = parseRead(['--json', 'mem://a', '--', 'ws://x.test']);
    assert.deepEqual([read.kind, read.uri, read.json, read.entry['url']], ['read', 'mem://a', true, 'ws://x.test']);
    const prompt = parsePrompt(['greet', 'name=Bo', '--', 'node', 's.js']);
    assert.deepEqual(
      [prompt.kind, prompt.name, prompt.pairs, prompt.entry['args']],
      ['prompt', 'greet', ['name=Bo'], ['s.js']],
    );
    for (const [work, expected] of [
      [() => parseRead(['mem://a']), 'Write "--" between the URI of the resource and the command of the server.'],
      [() => parseRead(['--', 'node']), 'Name the URI of the resource to read.'],
      [() => parseRead(['mem://a', 'mem://b', '--', 'node']), 'One resource is read at a time.'],
      [() => parsePrompt(['--', 'node']), 'Name the prompt to get.'],
    ] as const)
      assert.equal(usageError(work), expected);
  });

  for (const [argv, expected] of [
    [['x'], /^Write "--" between/],
    [['--', 'node'], /^Name the tool to call\.$/],
    [['x', '--'], /^Name the command that starts the server/],
    [['x', '--nope', '--', 'node'], /Unknown option '--nope'/],
    [['x', '--timeout', '0', '--', 'node'], /^--timeout must be a number/],
    [['x', '--env', 'novalue', '--', 'node'], /^"novalue" must be a name, "=" and a value \(--env\)\.$/],
  ] as const)
    test(`call ${argv.join(' ')} says what is wrong`, () => {
      assert.match(
        usageError(() => parseCall(argv)),
        expected,
      );
    });

  test('a name for messages is found in whatever the command is', () => {
    const names = ['/usr/bin/node', '../run me!.sh', '@@@', 'https://[::1]:80/x'].map(
      (word) => parseInspect([word]).server,
    );
    assert.deepEqual(names, ['node', 'runme.sh', 'server', '1']);
  });

  test('data that outlives a command is kept in the given file', () => {
    assert.equal(parseCall(['--store', 'a.db', 'write', '--', 'files']).store, resolve('a.db'));
    assert.equal(parseInspect(['files', '--store', 'a.db']).store, undefined);
  });

  test('lineage: names the store, and at most a server and a set', () => {
    assert.deepEqual(parseLineage(['--store', 'a.db', '--limit', '5', '--json', 'files', 'files.book']), {
      store: resolve('a.db'),
      limit: 5,
      json: true,
      server: 'files',
      featureSet: 'files.book',
    });
    const { limit, json, server } = parseLineage(['--store', 'a.db']);
    assert.deepEqual([limit, json, server], [20, false, undefined]);
    const problems: readonly (readonly [readonly string[], RegExp])[] = [
      [['files'], /^Say with --store <file> where checkpoints are kept\.$/],
      [['--store', 'a', 'x', 'y', 'z'], /^Name at most a server/],
      [['--store', 'a', '--limit', '0'], /^--limit must be a whole number from 1 to 1000\.$/],
      [['--store', 'a', '--limit', '1.5'], /^--limit must be/],
      [['--store'], /argument missing/],
    ];
    for (const [argv, problem] of problems)
      assert.match(
        usageError(() => parseLineage(argv)),
        problem,
      );
  });

  test('host: needs --control and knows its log levels', () => {
    assert.deepEqual(parseHost(['--control', '--log', 'warn', '--store', 's', '--untrusted']), {
      settings: undefined,
      workspace: undefined,
      store: 's',
      logged: ['warn', 'error'],
      trusted: false,
    });
    assert.deepEqual(parseHost(['--control']).logged, []);
    assert.match(
      usageError(() => parseHost([])),
      /needs --control/,
    );
    assert.match(
      usageError(() => parseHost(['--control', '--log', 'loud'])),
      /must be one of trace/,
    );
    assert.match(
      usageError(() => parseHost(['--control', 'more'])),
      /Unexpected argument 'more'/,
    );
  });
});

suite('Arguments of a tool from the command line', () => {
  const schema = {
    properties: {
      text: { type: 'string' },
      count: { type: 'integer' },
      maybe: { type: ['string', 'null'] },
      list: { type: 'array' },
      pick: { enum: ['1', '2'] },
      free: {},
    },
  };

  test('are read by the schema, and as JSON without one', () => {
    const pairs = ['text=5', 'count=5', 'maybe=null', 'list=[1]', 'pick=1', 'free=true', 'unknown=a=b', 'toString=x'];
    assert.deepEqual(toolArguments('{"count": 1, "kept": 2}', pairs, schema), {
      count: 5,
      kept: 2,
      text: '5',
      maybe: 'null',
      list: [1],
      pick: '1',
      free: true,
      unknown: 'a=b',
      toString: 'x',
    });
  });

  test('that cannot be read say which and why', () => {
    assert.match(
      usageError(() => toolArguments('[]', [], schema)),
      /^--args must be a JSON object/,
    );
    assert.match(
      usageError(() => toolArguments('{', [], schema)),
      /^--args is not JSON: /,
    );
    assert.match(
      usageError(() => toolArguments(undefined, ['count=five'], schema)),
      /^count is not JSON: /,
    );
    assert.match(
      usageError(() => toolArguments('['.repeat(9_000), [], schema)),
      /^--args nests too deeply/,
    );
  });
});
