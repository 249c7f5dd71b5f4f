import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import { canonicalJson, type Json, type JsonObject } from '../../../../src/core/base/json.ts';
import { argumentDigest } from '../../../../src/core/calls/callAudit.ts';
import type { Route } from '../../../../src/core/model/operation.ts';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { dose } from '../../../support/dose.ts';
import { failWith, NO_ANSWER, ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';

const done = { content: [{ type: 'text', text: 'done' }] };
const NO_ARGS = '44136fa355b3678a';

/** A plain MCP server whose tool `t` answers according to its arguments. */
async function connected(storage = memoryStorage()): Promise<TestHost> {
  const t = new TestHost(storage);
  t.connect = () =>
    new ScriptedServer({
      'tools/list': () => ({ tools: [tool('t'), tool('secret')] }),
      'tools/call': (params) => {
        const { how } = params['arguments'] as JsonObject;
        if (how === 'fails') return { ...done, isError: true };
        if (how === 'refuses') return failWith(-32603, 'No \u202edisk\nleft');
        return how === 'hangs' ? NO_ANSWER : done;
      },
    });
  await t.user({
    a: { command: 'x', enabled: true, healthCheck: false, tools: { hidden: ['secret'] }, timeouts: { call: 5 } },
  });
  return t;
}

function call(
  t: TestHost,
  args: JsonObject = {},
  route: Route = 'gateway',
  name = 't',
  server = 'a',
): Promise<unknown> {
  return t.host.callTool({ server, tool: name, args, route }).catch(() => undefined);
}

/** The audit, oldest first. */
async function audited(t: TestHost): Promise<readonly string[]> {
  const entries = await t.host.audit.list({ limit: 2_000 });
  return entries
    .toReversed()
    .map(
      ({ server, operation, outcome, durationMs, detail }) =>
        `${server} ${operation} ${outcome} ${durationMs} ms: ${detail}`,
    );
}

const debugged = (t: TestHost): readonly string[] => t.logs.filter((line) => line.includes('debug: '));

suite('Every tool call of a plain MCP server', () => {
  let t: TestHost;
  setup(async () => (t = await connected()));
  teardown(() => t.host.close());

  test('is recorded with how it ended, how long it took, its route and a digest of its arguments, and logged', async () => {
    await call(t, {}, 'gateway');
    await call(t, { how: 'fails' }, 'participant');
    await call(t, { how: 'refuses' }, 'api');
    const hanging = call(t, { how: 'hangs' }, 'command');
    await t.clock.advance(5_000);
    await hanging;
    const source = new CancellationSource();
    const cancelled = t.host.callTool(
      { server: 'a', tool: 't', args: { how: 'hangs' }, route: 'cli' },
      { token: source.token },
    );
    await t.clock.advance(30);
    source.cancel();
    await assert.rejects(cancelled);
    const of = (how: string): string => createHash('sha256').update(JSON.stringify({ how })).digest('hex').slice(0, 16);
    assert.deepEqual(await audited(t), [
      `a tools/call success 0 ms: t by gateway with arguments ${NO_ARGS}`,
      `a tools/call failure 0 ms: t by participant with arguments ${of('fails')}`,
      `a tools/call failure 0 ms: t by api with arguments ${of('refuses')}: No disk left`,
      `a tools/call timeout 5000 ms: t by command with arguments ${of('hangs')}: The tool "t" of "a" gave no answer within 5 s.`,
      `a tools/call cancelled 30 ms: t by cli with arguments ${of('hangs')}: tools/call was cancelled.`,
    ]);
    assert.deepEqual(debugged(t), [
      'a debug: Called t by gateway: success in 0 ms',
      'a debug: Called t by participant: failure in 0 ms',
      'a debug: Called t by api: failure in 0 ms: No disk left',
      'a debug: Called t by command: timeout in 5000 ms: The tool "t" of "a" gave no answer within 5 s.',
      'a debug: Called t by cli: cancelled in 30 ms: tools/call was cancelled.',
    ]);
  });

  test('is recorded also where the host refuses it, and nothing is sent', async () => {
    await call(t, {}, 'gateway', 'secret');
    await call(t, {}, 'gateway', 'other\u202e\n');
    await call(t, {}, 'gateway', 't', 'nowhere');
    await t.host.stop('a');
    await call(t);
    assert.deepEqual(await audited(t), [
      `a tools/call refused 0 ms: secret by gateway with arguments ${NO_ARGS}: The tool "secret" is not offered to models.`,
      `a tools/call refused 0 ms: other by gateway with arguments ${NO_ARGS}: The server "a" has no tool "other ".`,
      `nowhere tools/call refused 0 ms: t by gateway with arguments ${NO_ARGS}: There is no server "nowhere".`,
      `a tools/call refused 0 ms: t by gateway with arguments ${NO_ARGS}: The server "a" is not running.`,
    ]);
    assert.ok(debugged(t).includes('host debug: Called t by gateway: refused in 0 ms: There is no server "nowhere".'));
    assert.ok(!t.server.heard.some((line) => line.startsWith('tools/call')));
  });

  test('is recorded alike while its steps are followed', async () => {
    const following = t.host.onDidChangeOperation(() => undefined);
    await call(t);
    await call(t, { how: 'fails' });
    following.dispose();
    assert.deepEqual(
      (await audited(t)).map((line) => line.slice(0, 22)),
      ['a tools/call success 0', 'a tools/call failure 0'],
    );
  });

  test('is summed up beyond a thousand in a minute, by tool, route and outcome', async () => {
    for (let i = 0; i < 1_000; i++) await call(t);
    for (let i = 0; i < 200; i++) await call(t);
    for (let i = 0; i < 100; i++) await call(t, { how: 'fails' }, 'api');
    for (let i = 0; i < 50; i++) await call(t, {}, 'gateway', `made-up-${i}`);
    assert.equal((await audited(t)).length, 1_000);
    await t.clock.advance(5_000);
    assert.deepEqual((await audited(t)).slice(1_000), [
      'a tools/call success 0 ms: 200 more calls of t by gateway, the longest 0 ms',
      'a tools/call failure 0 ms: 100 more calls of t by api, the longest 0 ms',
      'a tools/call refused 0 ms: 50 more calls of unknown tools by gateway, the longest 0 ms',
    ]);
    await t.clock.advance(60_000);
    await call(t);
    assert.equal((await audited(t)).at(-1), `a tools/call success 0 ms: t by gateway with arguments ${NO_ARGS}`);
    await t.clock.advance(10_000);
    assert.equal(t.clock.waiting, 0);
  });

  test('is in the audit when the host closes, summed up or not', async () => {
    const storage = memoryStorage();
    const closing = await connected(storage);
    for (let i = 0; i < 1_001; i++) await call(closing);
    await closing.host.close();
    const kept = await storage.audit.list({ limit: 2_000 });
    assert.deepEqual([kept.length, kept[0]?.detail], [1_001, '1 more calls of t by gateway, the longest 0 ms']);
  });
});

suite('The digest of arguments', () => {
  const ids = { sha256: (text: string): string => text.slice(-16).padStart(16) };
  /** The hashed text. */
  const hashed = (args: JsonObject): string => {
    let text = '';
    argumentDigest(args, { sha256: (given) => (text = given) });
    return text;
  };

  test('is that of their content, whatever the order of their members', () => {
    assert.equal(hashed({ b: [1, null, 'x'], a: { d: true, c: undefined } }), '{"a":{"d":true},"b":[1,null,"x"]}');
    assert.equal(hashed({ a: { d: true }, b: [1, null, 'x'] }), hashed({ b: [1, null, 'x'], a: { d: true } }));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const args = object as JsonObject;
        const turned = Object.fromEntries(Object.entries(args).reverse());
        assert.equal(hashed(args), hashed(turned));
        if (canonicalJson(args).length < 30_000) assert.equal(hashed(args), canonicalJson(args));
      }),
      { numRuns: dose(200, 5_000) },
    );
  });

  test('covers the upper levels of what is nested deeply', () => {
    const nested = (levels: number): JsonObject => {
      let value: JsonObject = { end: true };
      for (let level = 1; level < levels; level++) value = { a: value };
      return value;
    };
    assert.doesNotMatch(argumentDigest(nested(512), ids), /beginning/);
    assert.match(argumentDigest(nested(513), ids), /beginning/);
    assert.match(argumentDigest(nested(100_000), ids), /beginning/);
  });

  test('covers the beginning of what is large, and takes no longer for it', () => {
    const large: readonly Json[] = [
      'x'.repeat(10_000_000),
      Array.from({ length: 1_000_000 }, (_, index) => index),
      Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 1])),
      Array.from({ length: 1_000 }, () =>
        Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`k${index}`, 'y'])),
      ),
    ];
    for (const value of large) {
      assert.ok(hashed({ value }).length < 100_000);
      assert.match(argumentDigest({ value }, ids), / \(of their beginning\)$/);
    }
    assert.doesNotMatch(argumentDigest({ value: 'x'.repeat(30_000) }, ids), /beginning/);
  });
});
