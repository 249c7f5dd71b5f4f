import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { keptState } from '../../../../src/core/model/content.ts';
import { settle } from '../../../support/fakeClock.ts';
import type { KeptState, Operation } from '../../../../src/core/index.ts';
import { FailingStates, git, StateCase } from './stateCase.ts';

function keptStates(operations: readonly Operation[]): readonly KeptState[] {
  return operations.flatMap(({ state }) => (state.kind === 'succeeded' ? (keptState(state.result) ?? []) : []));
}

const add = (value: Json): Json => [{ op: 'add', path: '/notes/-', value }];
const start = { checkpoint: 'a', parent: null, data: { notes: [] } };

suite('State that the host keeps (MCPL §8.3, §8.4)', () => {
  test('MCPL §8.4: goes out beside the arguments of the next call, patches of it applied', async () => {
    const c = await StateCase.open();
    assert.equal(await c.call(start), 'done');
    assert.equal(await c.call({ checkpoint: 'b', parent: 'a', patch: add({ id: 1 }) }), 'done');
    await c.call({ checkpoint: 'b2', parent: 'a', patch: add('other') });
    await c.call(undefined);
    assert.deepEqual(c.sent, [
      '{}',
      '{"state":{"notes":[]}}',
      '{"state":{"notes":[{"id":1}]}}',
      '{"state":{"notes":["other"]}}',
    ]);
    assert.deepEqual(await c.tree(), ['*b2 <- a patch', 'b <- a patch', 'a data']);
    assert.equal(await c.state('b'), '{"notes":[{"id":1}]}');
    await c.close();
  });

  test('MCPL §8.2: a result says what became of the state in it', async () => {
    const c = await StateCase.open();
    const kept: string[] = [];
    for (const state of [start, start, { checkpoint: 7 }, undefined]) {
      const content: Json = [];
      c.answers(() => (state === undefined ? { content } : { content, state }));
      const became = keptState(await c.begin('add', {}, {}));
      kept.push(became === undefined ? 'none' : `${became.kind} ${became.checkpoint}`);
      await settle();
    }
    assert.deepEqual(kept, ['kept a', 'known a', 'lost undefined', 'none']);
    await c.close();
  });

  test('MCPL §8.3: survives the host, whose next run sends it', async () => {
    const first = new FailingStates();
    const storage = { ...first.storage, close: () => Promise.resolve() };
    const c = await StateCase.open({ storage });
    await c.call(start);
    await c.close();
    const again = await StateCase.open({ storage });
    await again.call(undefined);
    assert.deepEqual(again.sent, ['{"state":{"notes":[]}}']);
    await again.close();
    await first.storage.close();
  });

  test('MCPL §8.3: is kept through a restart of its server', async () => {
    const c = await StateCase.open();
    await c.call(start);
    await c.t.host.restart('a');
    await settle();
    await c.call(undefined);
    assert.deepEqual(c.sent, ['{"state":{"notes":[]}}']);
    await c.close();
  });

  test('MCPL §8.3: of a patch that does not fit is reported, blocks the next call, and leaves the state unchanged', async () => {
    const c = await StateCase.open();
    await c.call(start);
    const bad = [
      { op: 'add', path: '/notes/-', value: 'half' },
      { op: 'remove', path: '/nothing' },
    ];
    const told = await c.call({ checkpoint: 'b', parent: 'a', patch: bad });
    assert.match(told, /^done \| The state b that came with it could not be made: .+ Roll back, or continue from/);
    assert.deepEqual(await c.tree(), ['b <- a patch broken', '*a data']);
    assert.equal(await c.state('a'), '{"notes":[]}');
    const refused = await c.call(undefined);
    assert.match(refused, /^The tool "add" was not called: the state of "notes" after checkpoint b is not known/);
    await assert.rejects(c.begin('add'), { code: 'STATE_BLOCKED', effect: 'none' });
    assert.equal(c.sent.length, 2);
    assert.deepEqual(
      c.troubles.map(({ featureSet, place, tool }) => ({ featureSet, place, tool })),
      [{ featureSet: 'notes', place: await c.place('b'), tool: 'add' }],
    );
    assert.match((await c.audit('state/checkpoint')).join('\n'), /^notes \| failure \| b: /);
    assert.equal(keptStates(c.operations).at(-1)?.kind, 'broken');
    await c.t.host.lineages.continueFrom(await c.place('a'));
    await c.call(undefined);
    assert.equal(c.sent.at(-1), '{"state":{"notes":[]}}');
    assert.deepEqual(await c.audit('state/continue'), ['notes | success | a']);
    await c.close();
  });

  test('of a whole state after one that does not fit unblocks the calls', async () => {
    const c = await StateCase.open();
    const broken = { checkpoint: 'b', parent: 'nowhere', patch: add(1) };
    const whole = { checkpoint: 'c', parent: 'b', data: { notes: [2] } };
    await c.call(start);
    await c.call(broken);
    assert.equal(await c.says('state/update', { featureSet: 'notes', ...whole }), '{"accepted":true}');
    await c.call(undefined);
    assert.equal(c.sent.at(-1), '{"state":{"notes":[2]}}');
    await c.close();
  });

  test('by data and by a patch at once is the data, and by neither that of its parent (13)', async () => {
    const c = await StateCase.open();
    await c.call({ ...start, patch: add(1) });
    await c.call({ checkpoint: 'b', parent: 'a' });
    await c.call(undefined);
    assert.deepEqual(c.sent.slice(1), ['{"state":{"notes":[]}}', '{"state":{"notes":[]}}']);
    assert.deepEqual(await c.tree(), ['*b <- a same', 'a data']);
    assert.match(c.t.logs.join('\n'), /The tool "add" returns a state: It has "data" and a "patch"/);
    await c.close();
  });

  test('on a parent that is not known is built on a placeholder', async () => {
    const c = await StateCase.open();
    await c.call({ checkpoint: 'b', parent: 'x', data: { notes: [] } });
    assert.deepEqual(await c.tree(), ['*b <- x data', 'x placeholder']);
    await c.close();
  });

  test('of a name that was there before is the same, or another of that name', async () => {
    const c = await StateCase.open();
    await c.call(start);
    await c.call(start);
    assert.deepEqual(await c.tree(), ['*a data']);
    await c.call({ checkpoint: 'a', parent: null, data: { notes: [1] } });
    assert.deepEqual(await c.tree(), ['*a#2 data', 'a data']);
    const kept = keptStates(c.operations).map(({ kind, checkpoint }) => `${kind} ${checkpoint}`);
    assert.deepEqual(kept, ['kept a', 'known a', 'kept a#2']);
    await c.close();
  });

  test('is null if the server says so, and absent before the first one', async () => {
    const c = await StateCase.open();
    await c.call(undefined);
    await c.call({ checkpoint: 'a', parent: null });
    await c.call({ checkpoint: 'b', data: null });
    await c.call(undefined);
    assert.deepEqual(c.sent, ['{}', '{}', '{}', '{"state":null}']);
    await c.close();
  });

  test('that is long goes out as the text that it is', async () => {
    const c = await StateCase.open();
    const long = 'é'.repeat(20_000);
    await c.call({ checkpoint: 'a', parent: null, data: { long } });
    await c.call({ checkpoint: 'b', parent: 'a', data: { short: 1 } });
    await c.call(undefined);
    assert.deepEqual(c.sent, ['{}', JSON.stringify({ state: { long } }), '{"state":{"short":1}}']);
    await c.close();
  });

  test('is that of the conversation, where the call names one', async () => {
    const c = await StateCase.open();
    await c.call(start, 'add', 'one');
    await c.call({ checkpoint: 'b', parent: 'a', patch: add('one') }, 'add', 'one');
    await c.call({ checkpoint: 'c', parent: 'a', patch: add('two') }, 'add', 'two');
    await c.call(undefined, 'add', 'one');
    await c.call(undefined, 'add', 'two');
    await c.call(undefined, 'add', 'three');
    assert.deepEqual(c.sent.slice(3), [
      '{"state":{"notes":["one"]}}',
      '{"state":{"notes":["two"]}}',
      '{"state":{"notes":["two"]}}',
    ]);
    await c.close();
  });

  test('comes with a result that says that the tool failed, too', async () => {
    const c = await StateCase.open();
    c.answers(() => ({ content: [], isError: true, state: start }));
    await c.told(c.begin('add'));
    assert.deepEqual(await c.tree(), ['*a data']);
    await c.close();
  });

  test('keeps the arguments of its call in short, on one line and without secrets', async () => {
    const c = await StateCase.open({
      entry: { env: { KEY: '${input:key}' } },
    });
    await c.t.host.stop('a');
    c.t.inputs['key'] = { kind: 'value', value: 'hunter2secret', secret: true };
    await c.t.host.start('a');
    await settle();
    const args = { text: 'a\nb hunter2secret', rest: 'x'.repeat(5_000) };
    await c.call(start, 'add', undefined, args);
    const detail = await c.t.host.lineages.checkpoint(await c.place('a'));
    assert.match(detail?.node.args ?? '', /^\{"text":"a\\nb \[secret: key\]","rest":"x+…$/);
    assert.equal(detail?.node.args?.length, 300);
    assert.equal(detail.node.tool, 'add');
    await c.close();
  });
});

suite('State that the server keeps (MCPL §8.7)', () => {
  const setting = { sets: { git }, tools: { commit: 'git' } };

  test('MCPL §8.7: is named by its checkpoint alone, and none of it is stored', async () => {
    const c = await StateCase.open(setting);
    await c.call({ checkpoint: 'a', parent: null }, 'commit');
    await c.call({ checkpoint: 'b', parent: 'a', data: { secret: 1 } }, 'commit');
    await c.call(undefined, 'commit');
    assert.deepEqual(c.sent, ['{}', '{"checkpoint":"a"}', '{"checkpoint":"b"}']);
    assert.deepEqual(await c.tree('git'), ['*b <- a opaque', 'a opaque']);
    assert.equal(await c.state('b'), undefined);
    const detail = await c.t.host.lineages.checkpoint(await c.place('b'));
    assert.deepEqual([detail?.body, detail?.node.size], [undefined, 0]);
    await c.close();
  });

  test('MCPL §8.2: without a parent follows what its request was sent with', async () => {
    const c = await StateCase.open(setting);
    await c.call({ checkpoint: 'a' }, 'commit');
    await c.call({ checkpoint: 'b' }, 'commit');
    await c.call({ checkpoint: 'c', parent: 'a' }, 'commit');
    assert.deepEqual(await c.tree('git'), ['*c <- a opaque', 'b <~ a opaque', 'a opaque']);
    await c.close();
  });

  test('MCPL §8.2: came to be while the call was under way, and the call still follows what it was sent with', async () => {
    const c = await StateCase.open(setting);
    await c.call({ checkpoint: 'a', parent: null }, 'commit');
    const answer = new Deferred<JsonObject>();
    c.answers(() => answer.promise);
    const call = c.begin('commit');
    await settle();
    assert.equal(
      await c.says('state/update', { featureSet: 'git', checkpoint: 'x', parent: 'a' }),
      '{"accepted":true}',
    );
    answer.resolve({ content: [], state: { checkpoint: 'b' } });
    await call;
    assert.deepEqual(await c.tree('git'), ['*b <~ a opaque', 'x <- a opaque', 'a opaque']);
    await c.close();
  });

  test('is of any set since MCPL 0.4, as soon as its server returns some; whole ones are then kept', async () => {
    const plain = { description: 'Plain.', uses: ['tools'] };
    const c = await StateCase.open({ version: '0.4', sets: { plain }, tools: { run: 'plain' } });
    await c.call(undefined, 'run');
    await c.call({ checkpoint: 'a' }, 'run');
    await c.call({ checkpoint: 'b', data: { n: 1 } }, 'run');
    await c.call({ checkpoint: 'c', patch: [{ op: 'replace', path: '/n', value: 2 }] }, 'run');
    await c.call(undefined, 'run');
    assert.deepEqual(c.sent, ['{}', '{}', '{"checkpoint":"a"}', '{"state":{"n":1}}', '{"state":{"n":2}}']);
    await c.close();
  });
});

suite('State of a set that does not declare any (since MCPL 0.4)', () => {
  const plain = { description: 'Plain.', uses: ['tools'] };
  const setting = { version: '0.4', sets: { plain }, tools: { run: 'plain' } };

  test('is found by the first call of the next session', async () => {
    const states = new FailingStates();
    const storage = { ...states.storage, close: () => Promise.resolve() };
    const c = await StateCase.open({ ...setting, storage });
    await c.call({ checkpoint: 'a' }, 'run');
    await c.close();
    const again = await StateCase.open({ ...setting, storage });
    await again.call(undefined, 'run');
    assert.deepEqual(again.sent, ['{"checkpoint":"a"}']);
    await again.close();
    await states.storage.close();
  });

  test('holds up no calls before there is some, and all that come back are stored in order', async () => {
    const states = new FailingStates();
    const c = await StateCase.open({ ...setting, storage: states.storage });
    const answers: ((state: JsonObject) => void)[] = [];
    c.answers(() => new Promise<Json>((resolve) => answers.push((state) => resolve({ content: [], state }))));
    const calls = ['1', '2', '3'].map(() => c.begin('run'));
    await settle();
    assert.equal(c.sent.length, 3);
    states.fill();
    for (const [at, answer] of answers.entries()) answer({ checkpoint: `s${at}` });
    await Promise.all(calls);
    await c.rewrite({ featureSets: { enabled: [] } });
    states.fails.clear();
    await c.rewrite({});
    const updated = await c.says('state/update', { featureSet: 'plain', checkpoint: 's3' });
    assert.equal(updated, '{"accepted":true}');
    assert.deepEqual(await c.tree('plain'), ['*s3 <~ s2 opaque', 's2 <~ s1 opaque', 's1 <~ s0 opaque', 's0 opaque']);
    await c.close();
  });
});
