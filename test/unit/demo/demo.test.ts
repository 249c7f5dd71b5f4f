import assert from 'node:assert/strict';
import { PARTS, partsOf } from '../../../src/demo/demoFeatureSets.ts';
import { DemoHost } from './demoHost.ts';

const ALL = [
  'notes.edit',
  'memory.retrieval',
  'memory.extraction',
  'memory.consolidation',
  'memory.proactive',
  'compliance.redaction',
  'files.edit',
  'state.book',
  'state.ledger',
];

suite('The demo as an MCPL server', () => {
  let host: DemoHost;

  setup(() => {
    host = new DemoHost();
  });

  teardown(() => {
    host.end();
    assert.equal(host.timers, 0);
  });

  test('announces what it does', async () => {
    const { capabilities } = (await host.open()).result;
    const { featureSets, ...rest } = capabilities.experimental.mcpl;
    assert.deepEqual(rest, {
      version: '0.2',
      pushEvents: true,
      inferenceRequest: { streaming: true },
      modelInfo: true,
      contextHooks: { beforeInference: true, afterInference: { blocking: true } },
    });
    assert.deepEqual(
      Object.entries(featureSets).map(([name, { description, uses }]) => [name, typeof description, uses.join(' ')]),
      [
        ['notes.edit', 'string', 'tools'],
        ['memory.retrieval', 'string', 'contextHooks.beforeInference tools'],
        ['memory.extraction', 'string', 'contextHooks.afterInference'],
        ['memory.consolidation', 'string', 'inferenceRequest tools'],
        ['memory.proactive', 'string', 'pushEvents tools'],
        ['compliance.redaction', 'string', 'contextHooks.afterInference'],
        ['files.edit', 'string', 'tools'],
        ['state.book', 'string', 'tools'],
        ['state.ledger', 'string', 'tools'],
      ],
    );
  });

  for (const [part, hooks, title, toolCount] of [
    ['notes', undefined, 'Demo Notes', 5],
    ['memory', { beforeInference: true, afterInference: { blocking: false } }, 'Demo Memory', 3],
    ['compliance', { afterInference: { blocking: true } }, 'Demo Compliance', 0],
    ['files', undefined, 'Demo Files', 4],
    ['state', undefined, 'Demo State', 7],
  ] as const)
    test(`as "${part}" announces only that`, async () => {
      host = new DemoHost([part]);
      const { capabilities, serverInfo } = (await host.open()).result;
      const { contextHooks, featureSets } = capabilities.experimental.mcpl;
      assert.deepEqual(contextHooks, hooks);
      assert.deepEqual(
        Object.keys(featureSets),
        ALL.filter((name) => name.startsWith(part)),
      );
      assert.equal(serverInfo.title, title);
      const { tools } = (await host.request('tools/list')).result;
      assert.deepEqual([tools.length, 'tools' in capabilities], [toolCount, toolCount > 0]);
    });

  test('reads from its command line what it shall be', () => {
    assert.deepEqual(partsOf([]), { parts: PARTS, unknown: [] });
    assert.deepEqual(partsOf(['memory']), { parts: ['memory'], unknown: [] });
    assert.deepEqual(partsOf(['compliance', 'notes', '--x']), { parts: ['notes', 'compliance'], unknown: ['--x'] });
    assert.deepEqual(partsOf(['other']), { parts: PARTS, unknown: ['other'] });
  });

  test('says of each tool which feature set it belongs to', async () => {
    await host.open();
    const { tools } = (await host.request('tools/list')).result;
    assert.deepEqual(
      tools.map((tool) => `${tool.name}: ${tool._meta?.featureSet ?? 'none'}`),
      [
        ...['add_note', 'list_notes', 'search_notes', 'delete_note', 'summarize_notes'].map(
          (name) => `${name}: notes.edit`,
        ),
        'list_memories: memory.retrieval',
        'remind_me: memory.proactive',
        'consolidate_memories: memory.consolidation',
        ...['read_text', 'append_line', 'move_file', 'request_access'].map((name) => `${name}: files.edit`),
        ...['add_page', 'edit_page', 'remove_page', 'list_pages'].map((name) => `${name}: state.book`),
        ...['add_entry', 'show_ledger', 'send_ledger'].map((name) => `${name}: state.ledger`),
      ],
    );
  });

  test('has everything off until an update, and again at once after another one', async () => {
    await host.open();
    const off = async (): Promise<readonly unknown[]> => [
      (await host.call('add_note', { title: 'x' })).result.isError,
      (await host.before('my name?')).result,
      (await host.after('My name is Ada.', 'Key sk-1234567890')).result,
    ];
    assert.deepEqual(await off(), [true, {}, {}]);
    host.update(ALL, []);
    assert.equal((await host.call('add_note', { title: 'x' })).result.isError, undefined);
    await host.after('My name is Ada.', 'Fine.');
    assert.equal((await host.before('my name?')).result.contextInjections.length, 1);
    host.update([], ALL);
    assert.deepEqual(await off(), [true, {}, {}]);
    assert.deepEqual((await host.call('add_note', { title: 'x' })).result.content, [
      { type: 'text', text: '"Add Note" is off. Switch the feature set notes.edit on to use it.' },
    ]);
    host.update(['memory.retrieval', 'memory.*', 'none'], []);
    assert.deepEqual(
      [(await host.call('list_memories')).result.isError, (await host.call('list_notes')).result.isError],
      [undefined, true],
    );
  });

  test('takes what the host says of the sets in its first message, in both places', async () => {
    const mcpl = { version: '0.2', featureSets: { enabled: ['notes.edit'], disabled: [] } };
    for (const [capabilities, beside] of [
      [{ experimental: { mcpl } }, {}],
      [{}, { experimental: { mcpl } }],
    ] as const) {
      host = new DemoHost();
      await host.initialize(capabilities, beside);
      assert.equal((await host.call('list_notes')).result.isError, undefined);
      assert.equal((await host.call('list_memories')).result.isError, true);
    }
  });

  test('is a plain MCP server to a plain MCP host', async () => {
    const { capabilities, instructions } = (await host.initialize({ experimental: {} })).result;
    assert.deepEqual(capabilities, { tools: {} });
    assert.ok(!instructions.includes('MCPL'));
    host.update(ALL, []);
    host.tell('My name is Ada. Remind me in 1 second to stretch. I prefer tea. My favorite color is red.');
    const errors = [
      await host.before('my name?'),
      await host.after('x', 'sk-1234567890'),
      await host.call('remind_me'),
    ];
    assert.deepEqual(
      errors.map(({ error }) => error?.code),
      [-32601, -32601, -32602],
    );
    assert.deepEqual(
      (await host.request('tools/list')).result.tools.map((tool) => [tool.name, tool._meta]),
      [
        ['add_note', undefined],
        ['list_notes', undefined],
        ['search_notes', undefined],
        ['delete_note', undefined],
        ['summarize_notes', undefined],
      ],
    );
    assert.equal((await host.call('add_note', { title: 'x' })).result.isError, undefined);
    await host.pass(100_000);
    assert.deepEqual([host.sent.filter(({ method }) => method !== undefined), host.logged], [[], []]);
  });

  test('learns from one message and adds it to a later one', async () => {
    await host.open('memory.extraction', 'memory.retrieval');
    assert.deepEqual((await host.before('My name is Ada.')).result, {
      featureSet: 'memory.retrieval',
      contextInjections: [],
    });
    assert.deepEqual((await host.after('My name is Ada.', 'sk-1234567890')).result, {
      featureSet: 'memory.extraction',
    });
    host.tell('I prefer tea.');
    assert.deepEqual((await host.before('What is my name?')).result, {
      featureSet: 'memory.retrieval',
      contextInjections: [
        {
          namespace: 'memory',
          position: 'beforeUser',
          content: [{ type: 'text', text: "<memories>\n- The user's name is Ada.\n</memories>" }],
          metadata: { memoryIds: ['mem_1'] },
        },
      ],
    });
    assert.deepEqual((await host.before(null)).result.contextInjections, []);
    assert.deepEqual((await host.call('list_memories')).result.structuredContent.memories, [
      { id: 'mem_1', kind: 'name', text: "The user's name is Ada." },
      { id: 'mem_2', kind: 'preference', text: 'The user prefers tea.' },
    ]);
  });

  test('redacts an answer, also while it learns nothing, and keeps silent about a clean one', async () => {
    await host.open('compliance.redaction', 'memory.retrieval');
    assert.deepEqual((await host.after('My name is Ada.', 'The API key is sk-1234567890abcdef.')).result, {
      featureSet: 'compliance.redaction',
      modifiedResponse: 'The API key is [REDACTED].',
      metadata: { redactions: [{ type: 'api_key', position: [15, 34] }] },
    });
    assert.deepEqual((await host.after(null, 'Fine.')).result, { featureSet: 'compliance.redaction' });
    assert.equal((await host.call('list_memories')).result.structuredContent.memories.length, 0);
  });
});
