import assert from 'node:assert/strict';
import {
  HostError,
  type Prompt,
  type PromptResult,
  type Resource,
  type ResourceTemplate,
} from '../../../../src/core/index.ts';
import { asChatInput, chatText, promptText, withoutHeading } from '../../../../src/editor/offers/promptText.ts';
import { resourceGroups } from '../../../../src/editor/offers/resourceItems.ts';
import { resourceName } from '../../../../src/editor/offers/resourceName.ts';
import { connectionLines, serverNode, serverTree } from '../../../../src/editor/servers/serverTreeNodes.ts';
import { renderTree } from '../../../support/renderTree.ts';
import { running, snapshot, tool } from '../../../support/serverSnapshots.ts';

const NO_HINTS = { audience: [], priority: undefined, lastModified: undefined } as const;

const resource = (uri: string, rest: Partial<Resource> = {}): Resource => ({
  uri,
  name: uri.split('/').at(-1) ?? '',
  title: undefined,
  description: undefined,
  mimeType: undefined,
  size: undefined,
  annotations: NO_HINTS,
  icons: [],
  raw: {},
  ...rest,
});

const template = (uriTemplate: string, name: string): ResourceTemplate => ({
  uriTemplate,
  name,
  title: undefined,
  description: undefined,
  mimeType: undefined,
  annotations: NO_HINTS,
  icons: [],
  raw: {},
});

const prompt = (name: string, ...args: readonly string[]): Prompt => ({
  name,
  title: undefined,
  description: undefined,
  arguments: args.map((each) => ({
    name: each.replace('?', ''),
    title: undefined,
    description: undefined,
    required: !each.endsWith('?'),
  })),
  icons: [],
  raw: {},
});

suite('A server’s list of resources or prompts', () => {
  test('is below it, counted, with the templates among the resources', () => {
    const server = snapshot('files', running(), {
      tools: [tool('read')],
      resources: [resource('file:///a.png', { mimeType: 'image/png' }), resource('file:///a.png'), resource('x:b')],
      templates: [template('file:///{path}', 'Any file')],
      prompts: [prompt('review', 'code', 'style?'), prompt('greet')],
    });
    assert.equal(
      renderTree(serverTree([server], []))
        .split('\n')
        .slice(3)
        .join('\n'),
      [
        '  > Resources (2 · 1 template) <library>',
        '    a.png <file> #resource',
        '    x:b <file> #resource',
        '    Any file (file:///{path}) <symbol-parameter> #template',
        '  > Prompts (2) <comment-discussion>',
        '    review (code, style?) <comment> #prompt',
        '    greet <comment> #prompt',
        '  Log <output>',
      ].join('\n'),
    );
  });

  test('is in the line of a server without tools, and has no row if it is empty', () => {
    const server = snapshot('files', running(), { prompts: [prompt('greet')], templates: [template('a:{b}', 'B')] });
    assert.equal(
      renderTree(serverTree([server], [])),
      [
        '> files (running · 1 prompt · 2025-06-18) <circle-filled> #server+stoppable+enabled',
        '  > Resources (1 template) <library>',
        '    B (a:{b}) <symbol-parameter> #template',
        '  > Prompts (1) <comment-discussion>',
        '    greet <comment> #prompt',
        '  Log <output>',
      ].join('\n'),
    );
    assert.equal(serverNode(snapshot('x', running())).children.length, 1);
  });

  test('that cannot be listed is not taken for nothing', () => {
    const error = new HostError('TIMEOUT', 'No answer within 30 s.', { layer: 'transport' });
    const server = snapshot('s', running(), {
      listings: { resources: { kind: 'failed', error }, prompts: { kind: 'read' } },
    });
    assert.deepEqual(
      renderTree(serverTree([server], []))
        .split('\n')
        .slice(1, 3),
      ['  > Resources (0) <library>', '    The list cannot be read: No answer within 30 s. <warning>'],
    );
  });

  test('shows names and descriptions as plain text, whatever is in them', () => {
    const evil = resource('x:1', { title: 'in\u202evoice\nfree', description: '[click](command:x)\u0007' });
    const [group] = serverNode(snapshot('s', running(), { resources: [evil] })).children;
    assert.deepEqual(
      group?.children.map(({ label, tooltip }) => [label, tooltip]),
      [['invoice free', 'invoice free\nx:1\n\n[click](command:x)']],
    );
  });
});

suite('A server that asks', () => {
  test('says so first, and its questions lead back to themselves', () => {
    const waiting = [{ server: 'a', label: 'Your name?' }];
    const tree = serverTree([snapshot('a', running()), snapshot('b', running())], [], waiting);
    assert.equal(
      renderTree(tree),
      [
        '> a (1 question · running · 2025-06-18) <circle-filled> #server+stoppable+enabled',
        '  Your name? <question>',
        '  Log <output>',
        '> b (running · 2025-06-18) <circle-filled> #server+stoppable+enabled',
        '  Log <output>',
      ].join('\n'),
    );
    assert.equal(tree[0]?.children[0]?.command?.id, 'mcpl.question.show');
  });
});

suite('The connection of a server', () => {
  test('shows a shortened session id, so that it cannot be taken over', () => {
    const state = running();
    assert.ok(state.kind === 'running');
    const connection = {
      era: 'legacy',
      isDialect: false,
      roundTripMs: 12.4,
      transport: 'http',
      session: '5f0c7a1e-2b9d-4c55-8f1e-0a9b8c7d6e5f',
    } as const;
    const capabilities = { tools: {}, logging: {} };
    assert.deepEqual(connectionLines(snapshot('s', { ...state, connection }, { capabilities })), [
      'Protocol: MCP 2025-06-18, opened with initialize',
      'Transport: Streamable HTTP',
      'Session: 5f0c7a1e…',
      'First answer after 12 ms',
      'Capabilities: tools, logging',
    ]);
    const modern = { ...connection, era: 'modern', session: undefined, transport: 'websocket' } as const;
    assert.deepEqual(connectionLines(snapshot('s', { ...state, connection: modern })).slice(0, 2), [
      'Protocol: MCP 2025-06-18, stateless',
      'Transport: WebSocket',
    ]);
    assert.deepEqual(connectionLines(snapshot('s', { kind: 'starting' })), []);
  });
});

suite('The name of a resource', () => {
  test('ends as its type does, so that the editor knows what is in it', () => {
    const named = [
      resourceName('file:///docs/notes.md', undefined, true),
      resourceName('file:///docs/notes.md', 'text/plain', true),
      resourceName('file:///docs/notes.md', 'text/markdown; charset=utf-8', true),
      resourceName('demo://resource/3', 'text/plain', true),
      resourceName('demo://resource/3', 'image/png', false),
      resourceName('demo://resource/3', undefined, false),
      resourceName('https://x.y/a%20b?c=d.txt#e', 'application/vnd.api+json', true),
      resourceName('urn:isbn:123', undefined, true),
      resourceName('x://../..', 'text/html', true),
      resourceName('%E0%A4%A', 'application/pdf', false),
      resourceName('x:/\u202etxt.exe', undefined, false),
      resourceName('x://y/z', 'constructor', true),
    ];
    assert.deepEqual(named, [
      'notes.md',
      'notes.md',
      'notes.md',
      '3.txt',
      '3.png',
      '3.bin',
      'a b.json',
      '123.txt',
      'resource.html',
      'E0-A4-A.pdf',
      'txt.exe',
      'z.txt',
    ]);
  });
});

suite('The messages of a prompt', () => {
  test('are one text with who says what', () => {
    const text = promptText({
      description: undefined,
      messages: [
        { role: 'user', content: { type: 'text', text: 'Review\u0000 this.' } },
        { role: 'assistant', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
      ],
      raw: {},
    });
    assert.equal(text, '## User\n\nReview this.\n\n## Assistant\n\n[image image/png, 3 bytes]\n');
  });

  const said = (...messages: readonly (readonly ['user' | 'assistant', string])[]): PromptResult => ({
    description: undefined,
    messages: messages.map(([role, text]) => ({ role, content: { type: 'text', text } })),
    raw: {},
  });

  test('go into a chat without headings where only the user speaks, also from the text that was shown', () => {
    const one = said(['user', ' Review\nthis. ']);
    const two = said(['user', 'One.'], ['user', 'Two.\n## Heading']);
    const both = said(['user', 'Hi.'], ['assistant', 'Hello.'], ['user', 'Bye.']);
    assert.deepEqual([one, two, both].map(chatText), [
      'Review\nthis.',
      'One.\n\nTwo.\n## Heading',
      '## User\n\nHi.\n\n## Assistant\n\nHello.\n\n## User\n\nBye.',
    ]);
    for (const result of [one, two, both]) assert.equal(withoutHeading(promptText(result)), chatText(result));
    assert.equal(withoutHeading('Changed by hand.'), 'Changed by hand.');
  });

  test('do not begin as an order to the chat', () => {
    assert.deepEqual(
      ['Hi @ada', '@workspace all', ' /clear', '#file:x'].map((text) => asChatInput(text, 'chat')),
      ['Hi @ada', 'Prompt: @workspace all', 'Prompt: /clear', 'Prompt: #file:x'],
    );
    assert.equal(asChatInput('/rollback', 'mcpl'), '@mcpl Prompt: /rollback');
    assert.equal(asChatInput('x'.repeat(300_000), 'chat').length, 200_000);
  });
});

suite('What servers lend, to be browsed', () => {
  test('is in groups by server, resources before templates, and a list that cannot be read says so', () => {
    const error = new HostError('TIMEOUT', 'The server did not answer.', { layer: 'transport' });
    const servers = [
      snapshot('files', running(), {
        resources: [
          resource('file:///a.png', { mimeType: 'image/png', title: 'A\u202e picture', description: 'Of a\ncat' }),
          resource('x:', { name: '' }),
        ],
        templates: [template('file:///{path}', 'Any file')],
      }),
      snapshot('empty', running()),
      snapshot('stopped', { kind: 'stopped', reason: 'byUser' }, { resources: [resource('x:y')] }),
      snapshot('late', running(), {
        listings: { resources: { kind: 'failed', error }, prompts: { kind: 'read' } },
      }),
    ];
    const texts = (only?: string): readonly string[] =>
      resourceGroups(servers, only).flatMap((group) => [
        `${group.server}:`,
        ...group.items.map(
          (item) => `  ${item.kind} ${item.label} | ${item.description} | ${item.detail} -> ${item.target}`,
        ),
      ]);
    assert.deepEqual(texts(), [
      'files:',
      '  resource A picture | file:///a.png | image/png · Of a cat -> file:///a.png',
      '  resource x: | x: |  -> x:',
      '  template Any file… | file:///{path} |  -> file:///{path}',
      'late:',
      '  problem The list cannot be read |  | The server did not answer. -> ',
    ]);
    assert.deepEqual(texts('late').length, 2);
    assert.deepEqual(texts('stopped'), []);
  });
});
