import assert from 'node:assert/strict';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import { HostError, type HostErrorCode, isHostError } from '../../../../src/core/base/errors.ts';
import type { Json } from '../../../../src/core/base/json.ts';
import { discover, type DiscoveryOptions } from '../../../../src/core/session/discovery.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { Dropped, type ErrorAnswer, failWith, NO_ANSWER, ScriptedServer } from '../../../support/scriptedServer.ts';
import { discovered, MODERN, unsupported } from './statelessServer.ts';

type Answer = Json | ErrorAnswer | Dropped | typeof NO_ANSWER;

class Bench {
  readonly clock = new FakeClock();
  readonly source = new CancellationSource();
  readonly logs: string[] = [];
  readonly server: ScriptedServer;

  constructor(answer: Answer) {
    this.server = new ScriptedServer({ 'server/discover': () => answer });
  }

  /** The finding in one line. */
  async ask(options: Partial<DiscoveryOptions> = {}): Promise<string> {
    try {
      const found = await discover({
        transport: this.server.transport,
        clock: this.clock,
        log: { log: (level, message) => void this.logs.push(`${level}: ${message}`) },
        client: { name: 'test', title: 'Test', version: '0' },
        capabilities: { sampling: {} },
        timeoutMs: 1_000,
        token: this.source.token,
        isProcess: true,
        ...options,
      });
      return found.kind === 'legacy'
        ? `legacy: ${found.why}`
        : `modern ${found.protocolVersion} of ${found.discovered.info.name} in ${found.roundTripMs} ms`;
    } catch (error) {
      assert.ok(isHostError(error));
      const { code, message, layer, effect, suggestion } = error;
      return [`${code}: ${message}`, layer, effect, suggestion].filter((text) => text !== undefined).join(' | ');
    }
  }

  async close(): Promise<void> {
    await this.server.transport.close();
    await settle();
    assert.equal(this.clock.waiting, 0);
  }
}

/** The findings for the same answer of a process and of a remote server. */
async function both(answer: Answer): Promise<readonly [string, string]> {
  const found: string[] = [];
  for (const isProcess of [true, false]) {
    const bench = new Bench(answer);
    found.push(await bench.ask({ isProcess }));
    await bench.close();
  }
  return [found[0] ?? '', found[1] ?? ''];
}

const drop = (code: HostErrorCode, category?: string): Dropped =>
  new Dropped(new HostError(code, 'it says no', { layer: 'transport', category }));

suite('A server that is probed', () => {
  test('is answered for by what it says, whether it is a process or an address', async () => {
    const rows: Readonly<Record<string, readonly [Answer, string]>> = {
      'a description': [discovered(), 'modern 2026-07-28 of modern in 0 ms'],
      'among others': [
        discovered({ supportedVersions: ['2099-01-01', MODERN] }),
        'modern 2026-07-28 of modern in 0 ms',
      ],
      'another result': [{ hello: 1 }, 'legacy: its answer is not that of a stateless server'],
      'no object': [7, 'legacy: its answer is not that of a stateless server'],
      'older versions': [discovered({ supportedVersions: ['2025-06-18'] }), 'legacy: it offers 2025-06-18'],
      'older and unknown ones': [unsupported('2099-01-01', '2025-06-18'), 'legacy: it offers 2099-01-01, 2025-06-18'],
      'the one that was asked for': [
        unsupported(MODERN),
        'legacy: it offers no stateless revision that this host speaks',
      ],
      'unknown ones': [
        unsupported('2099-01-01', '2026-12-01'),
        'UNSUPPORTED_VERSION: The server speaks MCP 2099-01-01, 2026-12-01; this host speaks 2026-07-28 and older. | protocol | none | Update the server, or this extension.',
      ],
      'an unknown method': [failWith(-32601, 'no\u202e method'), 'legacy: it answered: no method'],
      'no versions': [failWith(-32022, 'which?', { supported: [] }), 'legacy: it answered: which?'],
      'an end': [drop('CONNECTION_CLOSED'), 'CONNECTION_CLOSED: it says no | transport | unknown'],
      unreadable: [drop('INVALID_MESSAGE'), 'legacy: its answer is not that of a stateless server'],
      'in no time': [drop('TIMEOUT'), 'legacy: it does not answer the question'],
    };
    for (const [what, [answer, expected]] of Object.entries(rows))
      assert.deepEqual(await both(answer), [expected, expected], what);
  });

  test('may fail as a process, but not as an address', async () => {
    assert.deepEqual(await both(drop('MESSAGE_TOO_LARGE')), [
      'legacy: it says no',
      'MESSAGE_TOO_LARGE: it says no | transport | unknown',
    ]);
    assert.deepEqual(await both(drop('SIGN_IN_REQUIRED')), [
      'legacy: it says no',
      'SIGN_IN_REQUIRED: it says no | transport | unknown',
    ]);
  });

  test('says by the status of its HTTP reply whether it can be asked', async () => {
    const outcomes: string[] = [];
    for (const status of [200, 400, 401, 402, 403, 404, 428, 429, 430, 499, 500, 503, 599]) {
      const [, found] = await both(drop('REMOTE_ERROR', `http-${status}`));
      outcomes.push(
        found === `legacy: it answered HTTP ${status}` ? `${status} is older` : `${status} ${found.slice(0, 12)}`,
      );
    }
    assert.deepEqual(outcomes, [
      '200 is older',
      '400 is older',
      '401 REMOTE_ERROR',
      '402 is older',
      '403 REMOTE_ERROR',
      '404 is older',
      '428 is older',
      '429 REMOTE_ERROR',
      '430 is older',
      '499 is older',
      '500 REMOTE_ERROR',
      '503 REMOTE_ERROR',
      '599 REMOTE_ERROR',
    ]);
    for (const category of ['http-4000', 'xhttp-400', 'http-40'])
      assert.deepEqual((await both(drop('REMOTE_ERROR', category)))[1], 'legacy: it answered: it says no', category);
  });

  test('is quoted up to a limit', async () => {
    const versions = Array.from({ length: 99 }, (_, index) => `2025-${index}`);
    const [many] = await both(unsupported(...versions));
    assert.equal(many, `legacy: it offers ${versions.slice(0, 20).join(', ')}`);
    const [long] = await both(failWith(-32601, 'x'.repeat(10_000)));
    assert.ok(long.length < 350, String(long.length));
    const [listed] = await both(unsupported('2025'.padEnd(10_000, 'x')));
    assert.ok(listed.length < 350, String(listed.length));
    const [large] = await both(
      new Dropped(new HostError('MESSAGE_TOO_LARGE', 'x'.repeat(10_000), { layer: 'transport' })),
    );
    assert.ok(large.length < 350, String(large.length));
  });

  test('has its timeout, gets the client’s name, and is timed', async () => {
    const slow = new Bench(NO_ANSWER);
    const asked = slow.ask({ lastId: 6 });
    await slow.clock.advance(40);
    assert.deepEqual(slow.server.messages, [
      {
        jsonrpc: '2.0',
        id: 7,
        method: 'server/discover',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'test', title: 'Test', version: '0' },
            'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
          },
        },
      },
    ]);
    slow.server.answer(7, discovered());
    assert.equal(await asked, 'modern 2026-07-28 of modern in 40 ms');
    await slow.close();

    const silent = new Bench(NO_ANSWER);
    const waiting = silent.ask();
    await silent.clock.advance(999);
    assert.equal(silent.clock.waiting, 1);
    await silent.clock.advance(1);
    assert.equal(await waiting, 'legacy: it does not answer the question');
    await silent.close();
  });

  test('is asked no more when the start is cancelled', async () => {
    const bench = new Bench(NO_ANSWER);
    const asked = bench.ask();
    await settle();
    bench.source.cancel();
    assert.match(await asked, /^CANCELLED: server\/discover was cancelled\./);
    await bench.close();
  });

  test('is not heard by the question once that is over', async () => {
    const bench = new Bench(discovered());
    await bench.ask();
    const before = bench.server.messages.length;
    bench.server.notify('notifications/message');
    bench.server.answer(9, {});
    await settle();
    assert.deepEqual([bench.server.messages.length, bench.logs], [before, []]);
    await bench.close();
  });
});
