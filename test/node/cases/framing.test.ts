import assert from 'node:assert/strict';
import type { JsonObject, ResultView } from '../../../src/core/index.ts';
import { NO_ANSWER, tool } from '../../support/scriptedServer.ts';
import { type Case, openCase } from './caseHost.ts';
import { type Answers, initializeAnswer } from './caseServer.ts';

const REVISION = { version: '2024-11-05', capabilities: { tools: {} } };
const MEGABYTE = 1024 * 1024;

/** A server whose answers to calls are written by the test, byte by byte. */
const BY_HAND: Answers = {
  'tools/list': () => ({ tools: [tool('say')] }),
  'tools/call': () => NO_ANSWER,
};

function answer(id: number, text: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });
}

interface Begun {
  readonly id: number;
  readonly result: Promise<ResultView>;
}

/** A call that has arrived at the server. */
async function begin({ life, call }: Case): Promise<Begun> {
  const nth = life.sent('tools/call').length + 1;
  const result = call('say');
  result.catch(() => undefined);
  const { id } = await life.until('tools/call', nth);
  assert.ok(typeof id === 'number');
  return { id, result };
}

async function saidIn(opened: Case, bytes: (id: number) => readonly (string | Uint8Array)[]): Promise<string> {
  const { id, result } = await begin(opened);
  await opened.life.raw(...bytes(id));
  return (await result).modelText;
}

suite('Case: how messages are cut', () => {
  let opened: Case;
  teardown(() => opened.close());

  test('messages split, joined, with CRLF, blank lines and a character in two halves are all delivered', async () => {
    opened = await openCase({ answers: BY_HAND });
    const split = await saidIn(opened, (id) => {
      const line = Buffer.from(`${answer(id, 'a😀b')}\n`);
      const middle = line.indexOf(0xf0) + 2;
      return [line.subarray(0, 9), line.subarray(9, middle), line.subarray(middle)];
    });
    assert.equal(split, 'a😀b');
    const [one, other] = [await begin(opened), await begin(opened)];
    await opened.life.raw(`${answer(other.id, 'second')}\n${answer(one.id, 'first')}\n`);
    assert.deepEqual([(await one.result).modelText, (await other.result).modelText], ['first', 'second']);
    assert.equal(await saidIn(opened, (id) => [`${answer(id, 'returned')}\r\n`]), 'returned');
    assert.equal(await saidIn(opened, (id) => ['\n\r\n\n', `${answer(id, 'after blanks')}\n\n`]), 'after blanks');
    assert.equal(await saidIn(opened, (id) => [`\uFEFF  ${answer(id, 'indented')} \t\n`]), 'indented');
    assert.deepEqual(
      opened.log.filter((line) => !/^(info|debug): /.test(line)),
      [],
    );
  });

  test('noise on stdout is logged, and the connection goes on', async () => {
    opened = await openCase({ answers: BY_HAND });
    const text = await saidIn(opened, (id) => [
      'hello\n',
      '{"jsonrpc":"2.0","id":\n',
      '42\n[INFO] ready\n',
      `${answer(id, 'still here')}\n`,
    ]);
    assert.equal(text, 'still here');
    assert.deepEqual(
      opened.log.filter((line) => line.startsWith('warn: ')),
      [
        'warn: Not a message on stdout: hello (not a message)',
        'warn: Not a message on stdout: {"jsonrpc":"2.0","id": (not JSON)',
        'warn: Not a message on stdout: 42 (not a message)',
        'warn: Not a message on stdout: [INFO] ready (not a message)',
      ],
    );
    assert.equal(opened.snapshot().state.kind, 'running');
  });

  test('a line of 20 MB is delivered', async () => {
    opened = await openCase({ answers: BY_HAND });
    const { id, result } = await begin(opened);
    const [head = '', tail = ''] = answer(id, '|').split('|');
    await opened.life.fill(20 * MEGABYTE, { head, tail: `${tail}\n` });
    const [block] = (await result).blocks;
    assert.ok(block?.type === 'text');
    assert.equal(block.text.length, 20 * MEGABYTE);
  });

  test('a line over the cap is dropped with a reason, takes no memory, and the connection goes on', async () => {
    opened = await openCase({ answers: BY_HAND });
    const { id, result } = await begin(opened);
    const { life } = opened;
    const [head = '', tail = ''] = answer(id, '|').split('|');
    const before = memory();
    // The line has not ended yet, and may never end.
    await life.fill(70 * MEGABYTE, { head });
    await assert.rejects(result, {
      code: 'MESSAGE_TOO_LARGE',
      message: 'The server sent a message of more than 64 MB.',
    });
    await life.fill(300 * MEGABYTE);
    const grown = memory() - before;
    // The bytes read up to the limit, and uncollected garbage.
    assert.ok(grown < 160 * MEGABYTE, `${Math.round(grown / MEGABYTE)} MB more`);
    const text = await saidIn(opened, (next) => [`${tail}\n${answer(next, 'goes on')}\n`]);
    assert.equal(text, 'goes on');
    assert.equal(opened.log.filter((line) => /^(warn|error): .*more than 64 MB/.test(line)).length, 1);
    assert.equal(opened.server.lives.length, 1);
  });

  test('answers to nothing are logged and ignored', async () => {
    opened = await openCase({ answers: BY_HAND });
    const { life } = opened;
    const { id, result } = await begin(opened);
    await life.say(
      { jsonrpc: '2.0', id: 4711, result: {} },
      { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'once' }] } },
      { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'twice' }] } },
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } },
    );
    assert.equal((await result).modelText, 'once');
    await life.caughtUp();
    assert.deepEqual(
      opened.log.filter((line) => line.startsWith('warn: ')),
      [
        'warn: Ignored an answer with the unknown id 4711.',
        `warn: Ignored an answer with the unknown id ${id}.`,
        'warn: Ignored an error without an id: Parse error.',
      ],
    );
    assert.equal(await saidIn(opened, (next) => [`${answer(next, 'goes on')}\n`]), 'goes on');
  });

  test('envelopes that are not quite right are read', async () => {
    opened = await openCase({ answers: BY_HAND });
    const { life } = opened;
    const content = [{ type: 'text', text: 'read' }];
    const answers: readonly ((id: number) => JsonObject)[] = [
      (id) => ({ jsonrpc: '2.0', id: String(id), result: { content } }),
      (id) => ({ id, result: { content } }),
      (id) => ({ jsonrpc: '2.0', id, result: { content, _meta: null }, traceId: 'x', error: null }),
      (id) => ({ jsonrpc: '2.0', id, result: content }),
    ];
    for (const envelope of answers)
      assert.equal(await saidIn(opened, (id) => [`${JSON.stringify(envelope(id))}\n`]), 'read');
    const empty = await begin(opened);
    await life.say({ jsonrpc: '2.0', id: empty.id, result: null });
    assert.equal((await empty.result).isError, false);
    await life.say({ jsonrpc: '2.0', id: 'positional', method: 'ping', params: [] });
    assert.deepEqual((await life.answer('positional'))['error'], {
      code: -32602,
      message: 'params must be an object.',
    });
  });

  test('an unknown request is refused, an unknown notification is met with silence', async () => {
    opened = await openCase({ capabilities: {} });
    const { life } = opened;
    await life.caughtUp();
    const before = life.transcript.length;
    await life.notify('notifications/of/nothing', { a: 1 });
    await life.request('u', 'no/such/method');
    await life.caughtUp();
    assert.deepEqual(life.transcript.slice(before), [
      '< notifications/of/nothing {"a":1}',
      '< "u" no/such/method {}',
      '> "u" error {"code":-32601,"message":"Method not found: no/such/method"}',
    ]);
  });

  test('a flood of 5 MB on stderr blocks nothing, is bounded in the log, and is no error', async () => {
    opened = await openCase({
      answers: {
        ...BY_HAND,
        // A host that is stuck would not answer.
        initialize: async ({ life }) => {
          await life.stderr(`${'e'.repeat(999)}\n`.repeat(1_000));
          return initializeAnswer(REVISION);
        },
        'tools/call': () => ({ content: [] }),
      },
    });
    const { life } = opened;
    const flood = life
      .stderr(`${'e'.repeat(999)}\n`.repeat(5_000))
      // Like a progress bar, which never ends its line.
      .then(() => life.fill(5 * MEGABYTE, { to: 'stderr' }));
    const answers = await Promise.all(Array.from({ length: 20 }, () => opened.call('say')));
    assert.equal(answers.length, 20);
    await flood;
    assert.equal(opened.snapshot().state.kind, 'running');
    await opened.close();
    const lines = opened.log.filter((line) => line.includes('eeee'));
    assert.ok(lines.length > 0 && lines.length <= 2_000, `${lines.length} lines`);
    assert.ok(opened.log.some((line) => /… \d+ lines left out/.test(line)));
    assert.ok(opened.log.join('').length < 2 * MEGABYTE);
    assert.deepEqual(
      opened.log.filter((line) => line.startsWith('error: ')),
      [],
    );
  });

  for (const version of ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])
    test(`a batch is taken apart in ${version}, and none is ever sent`, async () => {
      const isModern = version === '2026-07-28';
      opened = await openCase({
        version,
        capabilities: { tools: {}, logging: {} },
        entry: { protocol: { era: isModern ? 'modern' : 'legacy' } },
        answers: { ...BY_HAND, 'server/discover': () => discovered(version) },
      });
      const { life } = opened;
      const { id, result } = await begin(opened);
      const batch = [
        { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'warning', data: 'from the batch' } },
        { jsonrpc: '2.0', id, result: { resultType: 'complete', content: [{ type: 'text', text: 'in a batch' }] } },
        ...(isModern ? [] : [{ jsonrpc: '2.0', id: 'b', method: 'ping' }]),
      ];
      await life.raw(`${JSON.stringify(batch)}\n`);
      assert.equal((await result).modelText, 'in a batch');
      await opened.logged(/^warn: from the batch$/);
      if (!isModern) assert.deepEqual(await life.answer('b'), { jsonrpc: '2.0', id: 'b', result: {} });
      assert.equal(
        life.heard.some(({ text }) => text.startsWith('[')),
        false,
      );
    });
});

function discovered(version: string): JsonObject {
  return {
    resultType: 'complete',
    supportedVersions: [version],
    capabilities: { tools: {}, logging: {} },
    ttlMs: 0,
    cacheScope: 'private',
  };
}

function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
