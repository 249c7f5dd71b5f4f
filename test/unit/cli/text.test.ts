import assert from 'node:assert/strict';
import { Lines } from '../../../src/cli/controlHost.ts';
import { schemaText, serverText } from '../../../src/cli/serverText.ts';
import { declaredInput, parseSettings } from '../../../src/cli/settingsFile.ts';
import { plain, safeJson } from '../../../src/cli/terminal.ts';
import { HostError, isRunning } from '../../../src/core/index.ts';
import { mcpl, view } from '../../support/featureSets.ts';
import { prompt, resource, runningServer, template, tool } from './fakeHost.ts';

suite('What the terminal shows', () => {
  test('has nothing in it that a terminal would act on', () => {
    assert.equal(plain('a\u001b[31mred\u009b0m\u202Eevil\u0007\r\nb'), 'a[31mred0mevil\nb');
    const json = safeJson({ text: '\u001b[31m\u009b\u202e\u2028é' });
    assert.equal(json, '{"text":"\\u001b[31m\\u009b\\u202e\\u2028é"}');
    assert.deepEqual(JSON.parse(json), { text: '\u001b[31m\u009b\u202e\u2028é' });
  });

  test('a schema is one line for each member, nested ones indented', () => {
    const schema = {
      required: ['path'],
      properties: {
        path: { type: 'string', title: 'Path', description: 'Where\nto look' },
        mode: { enum: ['a', 1], default: 'a' },
        size: { type: 'integer', minimum: 1, maximum: 9 },
        either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        items: { type: 'array', items: { type: 'object', properties: { id: { type: 'number', minimum: 0 } } } },
        odd: true,
        none: {},
      },
    };
    assert.deepEqual(schemaText(schema, '  '), [
      '  path (string, required) Path: Where to look',
      '  mode ("a" | 1, default "a")',
      '  size (integer, 1 to 9)',
      '  either (string or null)',
      '  items (array of object)',
      '    id (number, at least 0)',
      '  odd',
      '  none (any)',
    ]);
  });

  test('an endless schema is cut', () => {
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`m${i}`, { type: 'string' }]));
    const lines = schemaText({ properties });
    assert.deepEqual([lines.length, lines.at(-1)], [201, '… and 300 more']);
    const nested: object = Array.from({ length: 50 }).reduce<object>((inner) => ({ properties: { in: inner } }), {});
    assert.equal(schemaText({ properties: { in: { ...nested } } }).length, 4);
  });

  test('a server and its tools', () => {
    const server = runningServer('files', [
      { ...tool('read'), title: 'Read\u0007 File', description: 'Reads.\nOften.' },
      { ...tool('wipe'), hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true } },
    ]);
    assert.equal(
      serverText(server),
      [
        'files-server 1.2.3',
        'MCP 2025-11-25',
        'Connection: stdio, legacy era, first answer after 3 ms',
        'Capabilities: tools',
        '',
        'Tools (2):',
        '',
        '  read - Read File',
        '    Reads.',
        '    Often.',
        '    Hints: only reads, stays local',
        '    No arguments.',
        '',
        '  wipe',
        '    Hints: may destroy, repeating changes nothing more, reaches beyond this machine',
        '    No arguments.',
        '',
      ].join('\n'),
    );
  });

  test('a server in the short dialect with resources and prompts, and what could not be read', () => {
    const server = runningServer('files', []);
    const { state } = server;
    assert.ok(isRunning(state));
    const error = new HostError('TIMEOUT', 'Too\u0007 slow.', { layer: 'transport', effect: 'none' });
    const connection = {
      era: 'modern',
      isDialect: true,
      roundTripMs: 1.6,
      transport: 'http',
      session: 's\u001b1',
    } as const;
    const text = serverText({
      ...server,
      state: { ...state, info: { ...state.info, name: '', version: '', description: 'Files.' }, connection },
      capabilities: {},
      resources: [{ ...resource('mem://a\u0007'), description: 'All of it.' }],
      templates: [{ ...template('mem://note/{id}'), mimeType: undefined }],
      prompts: [prompt('greet')],
      listing: { kind: 'failed', error },
      listings: { resources: { kind: 'failed', error }, prompts: { kind: 'read' } },
    });
    assert.equal(
      text,
      [
        '(a server without a name)',
        '  Files.',
        'MCP 2025-11-25',
        'Connection: http, modern era, short dialect, first answer after 2 ms, session s1',
        'Capabilities: none',
        '',
        'Tools: not read. Too slow.',
        '',
        'Resources: not read. Too slow.',
        '',
        'Resources (1):',
        '',
        '  mem://a - a',
        '    All of it.',
        '    text/plain, 5 bytes',
        '',
        'Resource templates (1):',
        '',
        '  mem://note/{id} - a',
        '',
        'Prompts (1):',
        '',
        '  greet',
        '    Greets.',
        '    Arguments:',
        '      who (required) Whom to greet',
        '',
      ].join('\n'),
    );
  });

  test('a server that speaks MCPL: how, and its feature sets', () => {
    const sets = [
      view('memory\u0007.recall', {
        description: 'Recalls.\nOften.',
        uses: ['contextHooks.beforeInference', 'odd\u001b'],
        tools: ['read'],
      }),
      view('on', { state: 'enabled', uses: Array.from({ length: 22 }, (_, n) => `u${n}`) }),
      view('late', { state: 'changed', scoped: true }),
      view('broken', { state: 'invalid', problem: 'It has no description.' }),
    ];
    const dialect = { claimed: 'v0.2', after: 'blocking', inference: 'streaming', modelInfo: true } as const;
    const known = mcpl(sets, { ...dialect, remarks: ['It is\u0007 odd.'] });
    assert.equal(
      serverText({ ...runningServer('files', []), mcpl: known }),
      [
        'files-server 1.2.3',
        'MCP 2025-11-25',
        'MCPL 0.2 (the server says v0.2): push events, context before an inference, changes answers, inference in pieces, asks which model it is',
        '  It is odd.',
        'Connection: stdio, legacy era, first answer after 3 ms',
        'Capabilities: tools',
        '',
        'Feature sets (4):',
        '',
        '  memory.recall - off',
        '    Recalls.',
        '    Often.',
        '    Uses: contextHooks.beforeInference, odd',
        '    Tools: read',
        '',
        '  on - on',
        `    Uses: ${Array.from({ length: 20 }, (_, n) => `u${n}`).join(', ')}, and 2 more`,
        '',
        '  late - off, because its declaration changed since it was switched on',
        '    Scoped: its targets need an approval',
        '    Uses: nothing declared',
        '',
        '  broken - cannot be switched on. It has no description.',
        '    Uses: nothing declared',
        '',
        'No tools.',
        '',
      ].join('\n'),
    );
    const plain = mcpl([], { pushEvents: false, before: false });
    assert.match(serverText({ ...runningServer('a', []), mcpl: plain }), /\nMCPL 0\.2: announces nothing\n/);
  });
});

suite('What the host reads', () => {
  test('lines, however they are cut', () => {
    const lines: string[] = [];
    const reader = new Lines((line) => lines.push(line));
    const bytes = Buffer.from('a\r\n\n \n{"ü":"☕"}\nlast');
    for (let i = 0; i < bytes.length; i++) reader.read(bytes.subarray(i, i + 1));
    assert.deepEqual(lines, ['a\r', '{"ü":"☕"}']);
    reader.end();
    assert.deepEqual(lines, ['a\r', '{"ü":"☕"}', 'last']);
  });

  test('settings with comments; errors name the line', () => {
    const text = '{ // mine\n "mcpl.servers": {"a": {}}, "editor.x": 1, }';
    assert.deepEqual(parseSettings(text, 'f'), { servers: { a: {} }, inputs: undefined });
    assert.deepEqual(parseSettings('[]', 'f'), { servers: undefined, inputs: undefined });
    assert.throws(() => parseSettings('{\n"a" 1}', 'f.json'), /f\.json, line 2: ColonExpected/);
  });

  test('declarations of inputs, the last one of an id', () => {
    const inputs = [null, { id: 'k' }, { id: 'k', description: 'Key', password: true, options: ['a', 1], default: 2 }];
    assert.deepEqual(declaredInput(inputs, 'k'), {
      id: 'k',
      description: 'Key',
      secret: true,
      default: undefined,
      options: ['a'],
    });
    assert.equal(declaredInput({}, 'k'), undefined);
  });
});
