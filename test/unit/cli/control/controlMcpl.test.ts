import assert from 'node:assert/strict';
import { DEFAULT_LIMITS, type InboundEvent } from '../../../../src/core/index.ts';
import { mcpl, view } from '../../../support/featureSets.ts';
import { Driver } from './driver.ts';
import type { FakeHost } from '../fakeHost.ts';

const VIEWS = [
  view('memory.recall', { uses: ['contextHooks.beforeInference'], description: 'Recalls.', tools: ['read'] }),
  view('memory.note', { state: 'enabled', push: 'inbox', undeclared: ['inferenceRequest'] }),
  view('broken', { state: 'invalid', problem: 'It has no description.' }),
];

function event(id: string, rest: Partial<InboundEvent> = {}): InboundEvent {
  return {
    id,
    server: 'files',
    source: { kind: 'push', featureSet: 'memory.note' },
    eventId: `their-${id}`,
    occurredAt: '2026-01-01T00:00:00Z',
    receivedAt: 7,
    origin: { place: 'shelf' },
    content: [
      { type: 'text', text: 'A book fell.' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ],
    inferenceId: undefined,
    isRead: false,
    outcome: { kind: 'none' },
    ...rest,
  };
}

function shown(id: string, rest: object = {}): object {
  return {
    id,
    server: 'files',
    featureSet: 'memory.note',
    eventId: `their-${id}`,
    occurredAt: '2026-01-01T00:00:00Z',
    receivedAt: 7,
    origin: { place: 'shelf' },
    text: 'A book fell.\n[image image/png, 3 bytes]',
    isRead: false,
    outcome: { kind: 'none' },
    ...rest,
  };
}

suite('A driver and MCPL servers', () => {
  let driver: Driver;
  let host: FakeHost;
  const say = (...lines: readonly object[]): Promise<unknown> => driver.say(...lines);

  setup(() => {
    driver = new Driver();
    ({ host } = driver);
    host.mcpl = mcpl(VIEWS, { claimed: '0.2.1', remarks: ['It is odd.'] });
  });

  teardown(() => driver.dispose());

  /** The code and message of a refusal. */
  async function refusal(line: object): Promise<unknown> {
    const [answer] = (await say({ id: 1, ...line })) as { error: { code: string; message: string } }[];
    return `${answer?.error.code}: ${answer?.error.message}`;
  }

  test('sees the feature sets of a server, or none', async () => {
    const common = { scoped: false, rollback: false, hostState: false };
    const sets = [
      {
        name: 'memory.recall',
        description: 'Recalls.',
        uses: ['contextHooks.beforeInference'],
        ...common,
        state: 'disabled',
        push: 'notify',
        undeclared: [],
        tools: ['read'],
      },
      {
        name: 'memory.note',
        description: '',
        uses: [],
        ...common,
        state: 'enabled',
        push: 'inbox',
        undeclared: ['inferenceRequest'],
        tools: [],
      },
      {
        name: 'broken',
        description: '',
        uses: [],
        ...common,
        problem: 'It has no description.',
        state: 'invalid',
        push: 'notify',
        undeclared: [],
        tools: [],
      },
    ];
    const { traits: _, ...announced } = host.mcpl?.dialect ?? assert.fail();
    const dialect = { ...announced, policy: 'notification', scopes: true, blocks: '0.2' };
    assert.deepEqual(await say({ id: 1, command: 'featureSets', server: 'files' }), [
      { id: 1, ok: true, result: { dialect, isUndecided: false, sets } },
    ]);
    host.mcpl = undefined;
    assert.deepEqual(await say({ id: 2, command: 'featureSets', server: 'files' }), [
      { id: 2, ok: true, result: null },
    ]);
  });

  test('switches sets as the user does: allowed first, then written, and nothing else changes', async () => {
    await say({ id: 1, command: 'configure', servers: { files: { command: 'x', enabled: true }, more: {} } });
    const names = ['memory.recall', 'memory.recall'];
    await say({ id: 2, command: 'toggle', server: 'files', names, on: true });
    assert.deepEqual(host.did, ['sets files memory.recall on']);
    assert.deepEqual(host.settings?.layers[0]?.servers, {
      files: { command: 'x', enabled: true, featureSets: { enabled: ['memory.recall'] } },
      more: {},
    });
    await say({ id: 3, command: 'toggle', server: 'files', names: ['memory.recall'], on: false });
    assert.deepEqual(host.settings?.layers[0]?.servers, {
      files: { command: 'x', enabled: true, featureSets: { enabled: [] } },
      more: {},
    });
  });

  test('switches several at a time, none of which gets lost', async () => {
    await say(
      { id: 1, command: 'toggle', server: 'files', names: ['memory.recall'], on: true },
      { id: 2, command: 'toggle', server: 'files', names: ['memory.note'], on: true },
      { id: 3, command: 'pushPolicy', server: 'files', featureSet: 'memory.note', policy: 'infer' },
      { id: 4, command: 'pushPolicy', server: 'files', featureSet: 'memory.recall', policy: 'ignore' },
    );
    assert.deepEqual(host.did, [
      'sets files memory.recall on',
      'sets files memory.note on',
      'push files memory.note infer',
      'push files memory.recall ignore',
    ]);
    assert.deepEqual(host.settings?.layers[0]?.servers, {
      files: {
        featureSets: { enabled: ['memory.recall', 'memory.note'] },
        push: { 'memory.note': 'infer', 'memory.recall': 'ignore' },
      },
    });
  });

  test('gets the reason if a set cannot be switched, and nothing is written', async () => {
    const toggle = { command: 'toggle', server: 'files', names: ['memory.note', 'broken'], on: true };
    const policy = { command: 'pushPolicy', server: 'files', featureSet: 'other', policy: 'inbox' };
    const refusals = [
      await refusal(toggle),
      await refusal({ ...toggle, names: ['memory.*'] }),
      await refusal({ ...toggle, server: 'nope' }),
      await refusal(policy),
    ];
    host.definition = undefined;
    refusals.push(await refusal(policy));
    host.mcpl = undefined;
    refusals.push(await refusal(toggle));
    assert.deepEqual(refusals, [
      'INVALID_FEATURE_SET: The feature set "broken" cannot be switched on. It has no description.',
      'UNKNOWN_FEATURE_SET: "files" has no feature set "memory.*".',
      'UNKNOWN_SERVER: There is no server "nope".',
      'UNKNOWN_FEATURE_SET: "files" has no feature set "other".',
      'INVALID_SETTINGS: The settings of "files" have an error.',
      'NO_FEATURE_SETS: No feature sets of "files" are known.',
    ]);
    assert.deepEqual([host.did, host.settings], [[], undefined]);
  });

  test('gets events as they arrive, reads them, and clears them', async () => {
    host.events.kept = [event('e2', { isRead: true }), event('e1')];
    host.events.changed.fire();
    host.events.arrived.fire(host.events.kept);
    host.modelRefused.fire({ server: 'files', reason: 'no_model' });
    assert.deepEqual(driver.heard(), [
      { event: 'events', unread: 1 },
      { event: 'push', ...shown('e2', { isRead: true }) },
      { event: 'push', ...shown('e1') },
      { event: 'modelRefused', server: 'files', reason: 'no_model' },
    ]);
    assert.deepEqual(await say({ id: 1, command: 'events', limit: 1 }), [
      { id: 1, ok: true, result: { unread: 1, events: [shown('e2', { isRead: true })] } },
    ]);
    assert.deepEqual(await say({ id: 2, command: 'markRead', ids: ['e1', 'gone'] }), [
      { id: 2, ok: true, result: { unread: 0 } },
    ]);
    await say({ id: 3, command: 'clearEvents', server: 'other' });
    assert.equal(host.events.kept.length, 2);
    assert.deepEqual(await say({ id: 4, command: 'clearEvents' }), [{ id: 4, ok: true, result: null }]);
    assert.deepEqual(host.events.kept, []);
  });

  test('has a model look at an event, and may give that up', async () => {
    const usage = { inputTokens: 3, outputTokens: 1 };
    const outcome = { kind: 'answered', at: 9, text: 'Pick it up.', model: 'stub', usage } as const;
    host.events.kept = [event('e1', { outcome, inferenceId: 'inf_1' }), event('e2', { eventId: 'wait' })];
    const said = await say({ id: 1, command: 'askModel', event: 'e1' }, { id: 2, command: 'askModel', event: 'e2' });
    assert.deepEqual(said, [{ id: 1, ok: true, result: shown('e1', { outcome, inferenceId: 'inf_1' }) }]);
    assert.deepEqual(await say({ id: 3, command: 'cancel', call: 2 }), [
      { id: 3, ok: true, result: { cancelled: true } },
      {
        id: 2,
        ok: false,
        error: { code: 'CANCELLED', message: 'The question was cancelled.', effect: 'unknown', layer: 'host' },
      },
    ]);
  });

  test('runs a turn, gets its text, and gets the servers that took part', async () => {
    const history = [
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: [{ type: 'text', text: 'Hello!' }] },
    ];
    const turn = { command: 'turn', conversationId: 'c1', turnIndex: 1, message: 'And now?', history };
    assert.deepEqual(await say({ id: 1, ...turn }), [
      { event: 'text', turn: 1, text: 'Good ' },
      { event: 'text', turn: 1, text: 'day.' },
      {
        id: 1,
        ok: true,
        result: {
          inferenceId: 'inf_1',
          text: 'Good day.',
          model: { id: 'stub', vendor: 'driver', contextWindow: 1000, capabilities: [] },
          usage: { inputTokens: 3, outputTokens: 2 },
          finishReason: 'end_turn',
          injectedBy: [{ server: 'files', namespace: 'memory', position: 'beforeUser' }],
          modifiedBy: [],
          remarks: [],
        },
      },
    ]);
    const [request] = host.turns;
    assert.deepEqual(
      [request?.conversationId, request?.turnIndex, request?.userMessage, request?.messages],
      [
        'c1',
        1,
        'And now?',
        [
          { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
          { role: 'assistant', content: [{ type: 'text', text: 'Hello!' }] },
          { role: 'user', content: [{ type: 'text', text: 'And now?' }] },
        ],
      ],
    );
    await say({ id: 2, command: 'turn', message: null, history });
    const { conversationId, turnIndex, userMessage, messages } = host.turns[1] ?? {};
    assert.deepEqual([conversationId, turnIndex, userMessage, messages?.length], ['driver', 0, null, 2]);
  });

  test('ends a turn by its id, and all of them with the host', async () => {
    const error = { code: 'CANCELLED', message: 'The turn was cancelled.', effect: 'unknown', layer: 'host' };
    await say({ id: 1, command: 'turn', message: 'wait' }, { id: 2, command: 'turn', message: 'wait' });
    assert.deepEqual(await say({ id: 3, command: 'cancel', call: 1 }), [
      { id: 3, ok: true, result: { cancelled: true } },
      { id: 1, ok: false, error },
    ]);
    const said = (await say({ id: 4, command: 'shutdown' })) as { id: number }[];
    assert.deepEqual(
      said.find(({ id }) => id === 2),
      { id: 2, ok: false, error },
    );
  });

  test('continues to read the audit', async () => {
    host.audited = [
      {
        place: 4,
        at: 9,
        server: 'files',
        operation: 'push/event',
        featureSet: 'memory.note',
        inferenceId: undefined,
        outcome: 'refused',
        durationMs: 0,
        detail: 'It is off.',
        tokens: undefined,
      },
    ];
    assert.deepEqual(await say({ id: 1, command: 'audit', server: 'files', limit: 5, before: 9 }), [
      {
        id: 1,
        ok: true,
        result: [
          {
            place: 4,
            at: 9,
            server: 'files',
            operation: 'push/event',
            featureSet: 'memory.note',
            outcome: 'refused',
            durationMs: 0,
            detail: 'It is off.',
          },
        ],
      },
    ]);
    await say({ id: 2, command: 'audit' });
    assert.deepEqual(host.did, ['audit {"limit":5,"server":"files","before":9}', 'audit {"limit":100}']);
  });

  test('records what goes over a connection, and reads the last of it', async () => {
    const [first] = (await say({ id: 1, command: 'trace', server: 'files', on: true })) as { result: unknown }[];
    assert.deepEqual(first?.result, { isOn: true, size: 0, entries: [] });
    for (const n of [1, 2, 3])
      host.traced.record('sent', { jsonrpc: '2.0', id: n, method: 'ping' }, (text) => text.replace('ping', '‹secret›'));
    const said = await say(
      { id: 2, command: 'trace', server: 'files', on: false, limit: 2 },
      { id: 3, command: 'trace', server: 'files', limit: 0 },
    );
    const entry = (n: number): object => {
      const text = `{"jsonrpc":"2.0","id":${n},"method":"‹secret›"}`;
      const size = text.length - 4;
      return { n, at: 1_000_000, direction: 'sent', kind: 'request', method: 'ping', id: n, size, text, isCut: false };
    };
    assert.deepEqual(said, [
      { id: 2, ok: true, result: { isOn: false, size: 3, entries: [entry(2), entry(3)] } },
      { id: 3, ok: true, result: { isOn: false, size: 3, entries: [] } },
    ]);
    assert.equal(await refusal({ command: 'trace', server: 'nope' }), 'UNKNOWN_SERVER: There is no server "nope".');
  });

  test('sets limits, of which the rest have their defaults', async () => {
    await say({
      id: 1,
      command: 'configure',
      limits: { pushPerMinute: 3, model: 'small', asksInChat: true, maxCheckpoints: 7 },
    });
    await say({ id: 2, command: 'configure', trusted: true });
    const limits = { ...DEFAULT_LIMITS, pushPerMinute: 3, model: 'small', asksInChat: true, maxCheckpoints: 7 };
    assert.deepEqual(host.settings?.limits, limits);
    assert.equal(
      await refusal({ command: 'configure', limits: { approvalSeconds: 4 } }),
      'INVALID_COMMAND: "approvalSeconds" must be a whole number from 5 to 3600.',
    );
  });
});
