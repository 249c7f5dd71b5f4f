import assert from 'node:assert/strict';
import type { Refusal, Taken } from '../../../../src/core/turns/budgets.ts';
import { FakeMember, InferenceStage } from './inferenceFakes.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function stageWith(requestsPerHour: number, tokensPerDay: number): InferenceStage {
  const stage = new InferenceStage();
  stage.member.inference = { model: undefined, requestsPerHour, tokensPerDay };
  return stage;
}

async function take(stage: InferenceStage, member: FakeMember = stage.member): Promise<Taken> {
  const taken = await stage.budgets.take(member.asMember());
  assert.equal(taken.kind, 'taken', JSON.stringify(taken));
  return taken as Taken;
}

async function refusal(stage: InferenceStage): Promise<Refusal> {
  const refused = await stage.budgets.take(stage.member.asMember());
  assert.equal(refused.kind, 'refused');
  return refused as Refusal;
}

suite('The budgets of servers', () => {
  test('give so many requests within any hour, and say when the next one may come', async () => {
    const stage = stageWith(2, 1_000);
    (await take(stage)).done(1);
    await stage.clock.advance(20 * MINUTE);
    (await take(stage)).done(1);
    assert.deepEqual(await refusal(stage), {
      kind: 'refused',
      limit: 'requestsPerHour',
      message:
        'This server may make 2 requests to a model an hour, and made 2. It may ask again at 2026-03-01 13:00 UTC; ' +
        'for more, raise "inference.requestsPerHour" in its settings.',
      retryAt: Date.parse('2026-03-01T13:00:00Z'),
    });
    await stage.clock.advance(40 * MINUTE - 1);
    await refusal(stage);
    await stage.clock.advance(1);
    (await take(stage)).done(1);
    assert.equal((await refusal(stage)).retryAt, Date.parse('2026-03-01T13:20:00Z'));
  });

  test('give so many tokens within any day, and say when enough of them are free', async () => {
    const stage = stageWith(30, 100);
    (await take(stage)).done(60);
    await stage.clock.advance(HOUR);
    (await take(stage)).done(50);
    const { limit, message, retryAt } = await refusal(stage);
    assert.deepEqual([limit, retryAt], ['tokensPerDay', Date.parse('2026-03-02T12:00:00Z')]);
    assert.match(message, /^This server may use 100 tokens of models a day; it used 110\. It may ask/);
    await stage.clock.advance(23 * HOUR);
    (await take(stage)).done(0);
  });

  test('let a question through only with room for an answer, which is as long as what is left', async () => {
    const stage = stageWith(30, 100);
    const first = await take(stage);
    assert.deepEqual(first.allow(30, 50), { kind: 'allowed', maxTokens: 50 });
    const second = await take(stage);
    assert.deepEqual(second.allow(5, undefined), { kind: 'allowed', maxTokens: 15 });
    first.done(40);
    second.done(10);
    const third = await take(stage);
    assert.deepEqual(third.allow(20, 1_000), { kind: 'allowed', maxTokens: 30 });
    third.done(undefined);
    const fourth = (await take(stage)) as Taken;
    assert.deepEqual(fourth.allow(50, 1), {
      kind: 'refused',
      limit: 'tokensPerDay',
      message:
        'This server may use 100 tokens of models a day; it used 50, and this request needs 51 or more. ' +
        'It may ask again at 2026-03-02 12:00 UTC; for more, raise "inference.tokensPerDay" in its settings.',
      retryAt: Date.parse('2026-03-02T12:00:00Z'),
    });
    const hopeless = fourth.allow(500, undefined);
    assert.equal(hopeless.kind === 'refused' && hopeless.retryAt, undefined);
  });

  test('have at most four requests of a server under way, those of others apart', async () => {
    const stage = stageWith(30, 1_000);
    const taken = [await take(stage), await take(stage), await take(stage), await take(stage)];
    const refused = await refusal(stage);
    assert.deepEqual([refused.limit, refused.retryAt], ['concurrent', undefined]);
    assert.equal(stage.budgets.allows(stage.member.asMember()), false);
    await take(stage, new FakeMember('other'));
    taken[0]?.done(1);
    taken[0]?.done(1);
    assert.equal(stage.budgets.allows(stage.member.asMember()), true);
    await take(stage);
    await refusal(stage);
  });

  test('have a request wait for those under way where only these could take what is left', async () => {
    const stage = stageWith(30, 100);
    const first = await take(stage);
    first.allow(10, undefined);
    const refused = await refusal(stage);
    assert.deepEqual(refused, {
      kind: 'refused',
      limit: 'concurrent',
      message:
        'Requests of this server that are under way may take all that is left of its tokens for today. ' +
        'Ask again when one of them has ended.',
      retryAt: undefined,
    });
    first.done(15);
    await take(stage);
  });

  test('count nothing for a request for which no model was used', async () => {
    const stage = stageWith(1, 100);
    (await take(stage)).done(undefined);
    (await take(stage)).done(0);
    assert.equal((await refusal(stage)).limit, 'requestsPerHour');
  });

  test('count a use once, however often it is done', async () => {
    const stage = stageWith(2, 100);
    const taken = await take(stage);
    taken.done(60);
    taken.done(60);
    await take(stage);
  });

  test('forget nothing with a reload, and count nothing twice that the audit has of this run', async () => {
    const stage = stageWith(3, 100);
    const start = stage.clock.now();
    const asked: unknown[] = [];
    stage.used = (...query) => {
      asked.push(query);
      return Promise.resolve([
        { at: start - 2 * HOUR, tokens: 40 },
        { at: start - 10 * MINUTE, tokens: 10 },
        { at: start, tokens: 45 },
      ]);
    };
    (await take(stage)).done(45);
    (await take(stage)).done(4);
    assert.deepEqual(asked, [['memory', start - 24 * HOUR]]);
    const refused = await refusal(stage);
    assert.deepEqual([refused.limit, refused.retryAt], ['requestsPerHour', start + 50 * MINUTE]);
    await stage.clock.advance(50 * MINUTE);
    (await take(stage)).done(1);
    await stage.clock.advance(HOUR);
    assert.equal((await refusal(stage)).limit, 'tokensPerDay');
  });

  test('are read once by all who ask at the same time, and only one of these gets the last request', async () => {
    const stage = stageWith(1, 100);
    let reads = 0;
    stage.used = () => {
      reads++;
      return Promise.resolve([]);
    };
    const member = stage.member.asMember();
    const answers = await Promise.all([stage.budgets.take(member), stage.budgets.take(member)]);
    assert.deepEqual([answers.map(({ kind }) => kind), reads], [['taken', 'refused'], 1]);
  });

  test('give nothing while it is not known what was used, and read again at the next request', async () => {
    const stage = stageWith(30, 100);
    stage.used = () => Promise.reject(new Error('The disk is gone.'));
    const refused = await refusal(stage);
    assert.deepEqual([refused.limit, refused.retryAt], ['unread', stage.clock.now() + MINUTE]);
    assert.deepEqual(stage.audited, [
      'inference/budget failure [-] The earlier model use of the server could not be read: The disk is gone.',
    ]);
    stage.used = () => Promise.resolve([]);
    await take(stage);
  });

  test('say what is wrong where the settings allow nothing at all', async () => {
    assert.deepEqual(await refusal(stageWith(0, 100)), {
      kind: 'refused',
      limit: 'requestsPerHour',
      message:
        'This server may make 0 requests to a model an hour, and made 0. ' +
        'For more, raise "inference.requestsPerHour" in its settings.',
      retryAt: undefined,
    });
    assert.equal((await refusal(stageWith(30, 0))).retryAt, undefined);
  });

  test('heed settings that change', async () => {
    const stage = stageWith(1, 100);
    (await take(stage)).done(1);
    await refusal(stage);
    stage.member.inference = { ...stage.member.inference, requestsPerHour: 2 };
    await stage.clock.advance(MINUTE);
    (await take(stage)).done(1);
    stage.member.inference = { ...stage.member.inference, requestsPerHour: 1 };
    assert.equal((await refusal(stage)).retryAt, stage.clock.now() + HOUR);
  });
});
