import assert from 'node:assert/strict';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import { isHostError } from '../../../../src/core/base/errors.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { type CompletionOptions, Completions } from '../../../../src/core/offer/completionRequests.ts';
import type { Completion, CompletionReference } from '../../../../src/core/model/completion.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { failWith, NO_ANSWER, ScriptedServer } from '../../../support/scriptedServer.ts';
import { connect, type Connected, type ConnectionOptions } from '../session/connection.ts';

const DECLARED = { completions: {}, prompts: {} };
const PROMPT: CompletionReference = { kind: 'prompt', name: 'greet' };
const NOTHING: Completion = { values: [], total: undefined, hasMore: false };

class Setting {
  readonly clock = new FakeClock();
  readonly completions = new Completions({ clock: this.clock, requestTimeoutMs: () => 10_000 });

  connect(options: ConnectionOptions = {}): Promise<Connected> {
    const server = new ScriptedServer({ 'completion/complete': () => ({ completion: { values: ['a', 'b'] } }) });
    return connect([this.completions], { capabilities: DECLARED, clock: this.clock, server, ...options });
  }

  type(value: string, options: CompletionOptions = {}, reference = PROMPT): Promise<Completion> {
    return this.completions.complete({ reference, argument: { name: 'who', value }, settled: { x: '1' } }, options);
  }

  /** The proposals after the user stops typing. */
  async rested(value = 'a', reference = PROMPT): Promise<Completion> {
    const completion = this.type(value, {}, reference);
    await this.clock.advance(150);
    return completion;
  }
}

suite('Completion', () => {
  test('is asked for an argument of a prompt and for a variable of a template, with what is settled already', async () => {
    const s = new Setting();
    const c = await s.connect();
    assert.deepEqual((await s.rested()).values, ['a', 'b']);
    await s.rested('b', { kind: 'template', uriTemplate: 'mem://{who}' });
    const rest = '"argument":{"name":"who","value":"b"},"context":{"arguments":{"x":"1"}}}';
    assert.deepEqual(c.heard(), [
      `completion/complete {"ref":{"type":"ref/prompt","name":"greet"},${rest.replace('"b"', '"a"')}`,
      `completion/complete {"ref":{"type":"ref/resource","uri":"mem://{who}"},${rest}`,
    ]);
    c.dispose();
  });

  test('is not asked for where the server does not declare it, but was not yet to be declared before MCP 2025-03-26', async () => {
    const cases: readonly (readonly [string, JsonObject])[] = [
      ['2024-11-05', { prompts: {} }],
      ['2024-11-05', { resources: {} }],
      ['2024-11-05', { tools: {} }],
      ['2025-03-26', { prompts: {}, resources: {} }],
      ['2025-03-26', DECLARED],
      ['2025-06-18', DECLARED],
    ];
    const seen: Json[] = [];
    for (const [revision, capabilities] of cases) {
      const s = new Setting();
      const c = await s.connect({ revision, capabilities });
      const offered = s.completions.isOffered;
      const { values } = offered ? await s.rested() : await s.type('a');
      seen.push([offered, values.length, c.heard().filter((line) => line.includes('"context"')).length]);
      c.dispose();
    }
    assert.deepEqual(seen, [
      [true, 2, 0],
      [true, 2, 0],
      [false, 0, 0],
      [false, 0, 0],
      [true, 2, 0],
      [true, 2, 1],
    ]);
  });

  test('asks once while the user types, and rejects overtaken requests', async () => {
    const s = new Setting();
    const c = await s.connect();
    const overtaken = ['a', 'ab', 'abc'].map((value) =>
      assert.rejects(s.type(value), (error) => isHostError(error, 'CANCELLED')),
    );
    await s.clock.advance(149);
    assert.equal((await s.rested('abcd')).values.length, 2);
    await Promise.all(overtaken);
    assert.deepEqual(
      c.heard().map((line) => /"value":"(\w+)"/.exec(line)?.[1]),
      ['abcd'],
    );
    c.dispose();
  });

  test('that is overtaken while the server thinks is taken back, and its late answer dropped', async () => {
    const s = new Setting();
    const held: (string | number)[] = [];
    const c = await s.connect();
    c.server.on('completion/complete', (_, id) => {
      held.push(id);
      return NO_ANSWER;
    });
    const slow = assert.rejects(s.type('a'), (error) => isHostError(error, 'CANCELLED'));
    await s.clock.advance(150);
    const fast = s.type('ab');
    await slow;
    await s.clock.advance(150);
    c.server.answer(held[1] ?? '', { completion: { values: ['new'] } });
    c.server.answer(held[0] ?? '', { completion: { values: ['old'] } });
    assert.deepEqual((await fast).values, ['new']);
    assert.deepEqual(
      c.heard().map((line) => line.split(' ')[0]),
      ['completion/complete', 'notifications/cancelled', 'completion/complete'],
    );
    c.dispose();
  });

  test('of two fields, or of two who ask for the same one, do not disturb each other', async () => {
    const s = new Setting();
    const c = await s.connect();
    const all = [
      s.type('a'),
      s.type('b', {}, { kind: 'prompt', name: 'other' }),
      s.type('c', { asker: 'terminal' }),
      s.completions.complete({ reference: PROMPT, argument: { name: 'whom', value: 'd' }, settled: {} }),
    ];
    await s.clock.advance(150);
    assert.deepEqual(
      (await Promise.all(all)).map(({ values }) => values.length),
      [2, 2, 2, 2],
    );
    c.dispose();
  });

  test('keeps a hundred values and says that there are more', async () => {
    const s = new Setting();
    const c = await s.connect();
    const many = Array.from({ length: 150 }, (_, i) => `v${i}`);
    c.server.on('completion/complete', () => ({ completion: { values: many, total: 150, hasMore: false } }));
    const { values, total, hasMore } = await s.rested();
    assert.deepEqual([values.length, total, hasMore], [100, 150, true]);
    c.dispose();
  });

  test('of a server that turns out not to know it is nothing, and not asked for again until the next start', async () => {
    const s = new Setting();
    const first = await s.connect({ revision: '2024-11-05' });
    first.server.on('completion/complete', () => failWith(-32601, 'Method not found'));
    assert.deepEqual([await s.rested(), s.completions.isOffered, await s.type('b')], [NOTHING, false, NOTHING]);
    assert.equal(first.heard().length, 1);
    first.dispose();
    const second = await s.connect({ revision: '2024-11-05' });
    assert.equal((await s.rested()).values.length, 2);
    second.server.on('completion/complete', () => failWith(-32602, 'no such prompt'));
    const failed = assert.rejects(s.type('c'), (error) => isHostError(error, 'REMOTE_ERROR'));
    await s.clock.advance(150);
    await failed;
    assert.equal(s.completions.isOffered, true);
    second.dispose();
  });

  test('ends with its caller’s patience and with the connection, also before anything is sent', async () => {
    const s = new Setting();
    const c = await s.connect();
    const source = new CancellationSource();
    const isCancelled = (error: unknown): boolean => isHostError(error, 'CANCELLED');
    const given = assert.rejects(s.type('a', { token: source.token }), isCancelled);
    source.cancel();
    await given;
    await assert.rejects(s.type('a', { token: source.token }), isCancelled);
    const open = assert.rejects(s.type('a'), isCancelled);
    await settle();
    c.dispose();
    await open;
    assert.deepEqual([c.heard(), s.clock.waiting, await s.type('a')], [[], 0, NOTHING]);
  });
});
