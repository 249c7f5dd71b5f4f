import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Deferred } from '../../../../src/core/base/async.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { settle } from '../../../support/fakeClock.ts';
import { dose } from '../../../support/dose.ts';
import { failWith } from '../../../support/scriptedServer.ts';
import { git, notes, StateCase, type StateSetting } from './stateCase.ts';

const DONE = { content: [{ type: 'text', text: 'done' }] };
const start = { checkpoint: 'a', parent: null, data: { notes: [] } };

const PAGE = { mode: 'url', message: 'Sign in', url: 'https://example.com/in', elicitationId: 'e1' };

/** A server whose pages the test completes. */
function visiting(visited: Promise<'accept'>): StateSetting {
  return {
    revision: '2025-11-25',
    prepare: (t) => {
      t.inputPorts.elicitor = {
        ...t.inputPorts.elicitor,
        url: () => visited,
        finish: () => Promise.resolve('continue'),
      };
    },
  };
}

suite('A call with state that takes more than one attempt', () => {
  test('lets others go first while a page is visited, and then has the state that there is (MCPL §8.4)', async () => {
    const visited = new Deferred<'accept'>();
    const c = await StateCase.open(visiting(visited.promise));
    const long = 'x'.repeat(20_000);
    await c.call({ checkpoint: 'a', parent: null, data: long });
    c.answers(() => failWith(-32042, 'page needed', { elicitations: [PAGE] }));
    const first = c.begin('add');
    await settle();
    await c.call({ checkpoint: 'b', parent: 'a', data: { notes: ['b'] } });
    c.answers(() => ({ ...DONE, state: { checkpoint: 'c', data: { notes: ['c'] } } }));
    visited.resolve('accept');
    await settle();
    await first;
    const whole = JSON.stringify({ state: long });
    assert.deepEqual(c.sent, ['{}', whole, whole, '{"state":{"notes":["b"]}}']);
    assert.deepEqual(await c.tree(), ['*c <~ b data', 'b <- a data', 'a data']);
    await c.close();
  });

  test('has its turn until its task is over, whose state is kept', async () => {
    const task = (status: string): JsonObject => {
      return { taskId: 't1', status, createdAt: 'x', lastUpdatedAt: 'x', ttl: 1, pollInterval: 1_000 };
    };
    const steps = [task('working'), task('completed')];
    const c = await StateCase.open({
      revision: '2025-11-25',
      capabilities: { tasks: { requests: { tools: { call: {} } } } },
      toolExtra: { execution: { taskSupport: 'required' } },
      responders: {
        'tasks/get': () => steps.shift() ?? task('completed'),
        'tasks/result': () => ({ ...DONE, state: start }),
      },
    });
    c.answers(() => ({ task: task('working') }));
    const first = c.begin('add');
    const second = c.begin('add');
    await settle();
    assert.equal(c.sent.length, 1);
    await c.t.clock.advance(3_000);
    await first;
    assert.deepEqual(c.sent.slice(1), ['{"task":{"ttl":3600000},"state":{"notes":[]}}']);
    await c.t.clock.advance(3_000);
    await second;
    assert.deepEqual(await c.tree(), ['*a data']);
    await c.close();
  });
});

/** A server's answer by the outcome of a call. `{ error }` is an error. */
function answered(outcome: string, tool: string, id: string): JsonObject {
  if (outcome === 'fails') return { error: { code: -32000, message: 'no' } };
  if (outcome === 'none') return DONE;
  return { ...DONE, state: tool === 'add' ? { checkpoint: id, data: id } : { checkpoint: id } };
}

suite('Calls of any sets in any order', () => {
  test('of one set are never under way together, and each is sent with what the one before returned', async () => {
    const call = fc.record({
      tool: fc.constantFrom('add', 'commit'),
      outcome: fc.constantFrom('state', 'none', 'fails'),
    });
    const order = fc.array(fc.nat(3), { minLength: 12, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 12 }), order, async (calls, picks) => {
        const c = await StateCase.open({ sets: { notes, git }, tools: { add: 'notes', commit: 'git' } });
        const open = new Map<string, Deferred<Json>>();
        const heard: Record<string, Json[]> = { add: [], commit: [] };
        c.answers(({ name, state, checkpoint }) => {
          const answer = new Deferred<Json>();
          const isAlone = !open.has(String(name));
          heard[String(name)]?.push(isAlone ? (state ?? checkpoint ?? null) : 'two at once');
          open.set(String(name), answer);
          return answer.promise;
        });
        const ends = calls.map(({ tool }) => c.begin(tool).catch(() => undefined));
        await settle();
        for (const pick of picks) {
          const [tool, answer] = [...open][pick % Math.max(1, open.size)] ?? [];
          if (tool === undefined) break;
          const at = (heard[tool]?.length ?? 0) - 1;
          open.delete(tool);
          answer?.resolve(answered(outcomes(tool)[at] ?? 'none', tool, `${tool}${at}`));
          await settle();
        }
        await Promise.all(ends);
        assert.deepEqual(heard, { add: expected('add'), commit: expected('commit') });
        await c.close();

        function outcomes(tool: string): readonly string[] {
          return calls.filter((other) => other.tool === tool).map(({ outcome }) => outcome);
        }

        /** Each is sent with the last successful state, despite failures in between. */
        function expected(tool: string): readonly Json[] {
          let last: Json = null;
          return outcomes(tool).map((outcome, at) => {
            const sent = last;
            if (outcome === 'state') last = `${tool}${at}`;
            return sent;
          });
        }
      }),
      { numRuns: dose(20, 300) },
    );
  });
});
