import assert from 'node:assert/strict';
import { Deferred } from '../../../src/core/base/async.ts';
import {
  CancellationSource,
  type JsonObject,
  type Progress,
  type Sampler,
  type SamplingOutcome,
} from '../../../src/core/index.ts';
import { NO_ANSWER, tool } from '../../support/scriptedServer.ts';
import { type Case, type CaseOptions, openCase } from './caseHost.ts';
import type { CaseLife } from './caseServer.ts';

const DONE = { content: [{ type: 'text', text: 'done' }] };
const CANCELLED = 'notifications/cancelled';
const STEP_MS = 40;

/** A server that leaves calls unanswered, so that the test decides when to answer. */
function silent(options: CaseOptions = {}): Promise<Case> {
  return openCase({
    ...options,
    answers: { 'tools/list': () => ({ tools: [tool('slow')] }), 'tools/call': () => NO_ANSWER, ...options.answers },
  });
}

function answer(life: CaseLife, { id }: JsonObject): Promise<void> {
  return life.say({ jsonrpc: '2.0', id, result: DONE });
}

function progressToken({ params }: JsonObject): string | number {
  const { _meta } = params as { readonly _meta: { readonly progressToken: string | number } };
  return _meta.progressToken;
}

function progress(life: CaseLife, token: string | number, done: number, message?: string): Promise<void> {
  const more = message === undefined ? {} : { message };
  return life.notify('notifications/progress', { progressToken: token, progress: done, total: 10, ...more });
}

/** Reports progress until it is stopped. */
function progressing(life: CaseLife, token: string | number): () => void {
  let step = 0;
  const timer = setInterval(() => void progress(life, token, ++step), STEP_MS);
  return () => clearInterval(timer);
}

suite('Case: how a call is cancelled', () => {
  let opened: Case;
  teardown(() => opened.close());

  test('a call in flight rejects at once, and the server gets its exact id with a reason', async () => {
    opened = await silent();
    const { life } = opened;
    const source = new CancellationSource();
    const call = opened.call('slow', {}, { token: source.token });
    const sent = await life.until('tools/call');
    const before = life.transcript.length;
    source.cancel();
    await assert.rejects(call, { code: 'CANCELLED', message: 'tools/call was cancelled.' });
    await life.caughtUp();
    assert.deepEqual(life.transcript.slice(before), [
      `> ${CANCELLED} {"requestId":${JSON.stringify(sent['id'])},"reason":"Cancelled by the user."}`,
    ]);
    assert.equal(typeof sent['id'], 'number');
  });

  test('an answer that crosses the cancel is ignored without a word', async () => {
    opened = await silent();
    const { life } = opened;
    const source = new CancellationSource();
    const call = opened.call('slow', {}, { token: source.token });
    const sent = await life.until('tools/call');
    source.cancel();
    await assert.rejects(call, { code: 'CANCELLED' });
    await answer(life, sent);
    await life.caughtUp();
    assert.deepEqual(
      opened.log.filter((line) => !/^(info|debug): /.test(line)),
      [],
    );
    const again = opened.call('slow');
    await answer(life, await life.until('tools/call', 2));
    assert.equal((await again).modelText, 'done');
  });

  test('a cancel after the end, and one before the beginning, send nothing', async () => {
    opened = await silent();
    const { life } = opened;
    const source = new CancellationSource();
    const call = opened.call('slow', {}, { token: source.token });
    await answer(life, await life.until('tools/call'));
    await call;
    const before = life.hostLines.length;
    source.cancel();
    await assert.rejects(opened.call('slow', {}, { token: source.token }), { code: 'CANCELLED' });
    await life.caughtUp();
    assert.equal(life.hostLines.length, before);
  });

  test('a server that cancels its own sampling request closes the dialog and gets no answer', async () => {
    const shown = new Deferred<void>();
    const closed = new Deferred<void>();
    const sampler: Sampler = {
      canUseTools: false,
      sample: (_question, token) =>
        new Promise<SamplingOutcome>((resolve) => {
          shown.resolve();
          token.onCancellationRequested(() => {
            closed.resolve();
            // Like a closed dialog.
            resolve({ kind: 'declined' });
          });
        }),
    };
    opened = await silent({ host: { sampler } });
    const { life } = opened;
    const text = { type: 'text', text: 'Hello?' };
    await life.request('s', 'sampling/createMessage', { messages: [{ role: 'user', content: text }], maxTokens: 5 });
    await shown.promise;
    const before = life.hostLines.length;
    await life.notify(CANCELLED, { requestId: 's', reason: 'no longer needed' });
    await closed.promise;
    await life.caughtUp();
    assert.equal(life.hostLines.length, before);
    assert.equal(opened.snapshot().state.kind, 'running');
  });

  test('a call without progress ends in time, and the server is notified', async () => {
    opened = await silent({ entry: { timeouts: { call: 0.3 } } });
    const { life } = opened;
    const began = Date.now();
    const call = opened.call('slow');
    await assert.rejects(call, {
      code: 'TIMEOUT',
      message: 'The tool "slow" of "case" gave no answer within 0.3 s.',
      suggestion: 'Try again, or raise "timeouts.call" of the server.',
    });
    assert.ok(Date.now() - began >= 290);
    const { params } = await life.until(CANCELLED);
    const [sent] = life.sent('tools/call');
    assert.deepEqual(params, { requestId: sent?.['id'], reason: 'The time allowed for this request is over.' });
  });

  test('progress gives a call more time', async () => {
    opened = await silent({ entry: { timeouts: { call: 0.6, callMax: 20 } } });
    const { life } = opened;
    const began = Date.now();
    const call = opened.call('slow');
    const sent = await life.until('tools/call');
    const stop = progressing(life, progressToken(sent));
    await opened.until('the time is over', () => Date.now() - began > 1_000);
    stop();
    await answer(life, sent);
    assert.equal((await call).modelText, 'done');
    assert.deepEqual(life.sent(CANCELLED), []);
  });

  test('however much progress there is, a call ends at its hard limit', async () => {
    opened = await silent({ entry: { timeouts: { call: 0.6, callMax: 1 } } });
    const { life } = opened;
    const began = Date.now();
    const call = opened.call('slow');
    const stop = progressing(life, progressToken(await life.until('tools/call')));
    await assert.rejects(call, { code: 'TIMEOUT' });
    stop();
    assert.ok(Date.now() - began >= 990, 'Not before the hard limit.');
    assert.equal((await life.until(CANCELLED))['id'], undefined);
    assert.equal(life.sent(CANCELLED).length, 1);
  });
});

suite('Case: progress', () => {
  let opened: Case;
  teardown(() => opened.close());

  test('each call has its own token, whatever is not increasing is tolerated, and anything else is ignored', async () => {
    opened = await silent();
    const { life } = opened;
    const heard: string[] = [];
    const listen = (name: string) => (step: Progress) => heard.push(`${name} ${step.progress}/${String(step.total)}`);
    const first = opened.call('slow', {}, { onProgress: listen('first') });
    const second = opened.call('slow', {}, { onProgress: listen('second') });
    const one = await life.until('tools/call', 1);
    const two = await life.until('tools/call', 2);
    assert.notEqual(progressToken(one), progressToken(two));
    await progress(life, progressToken(one), 5);
    await progress(life, progressToken(two), 1);
    await progress(life, progressToken(one), 2);
    await progress(life, 'unknown', 1);
    await progress(life, 4711, 1);
    await life.notify('notifications/progress', { progress: 1 });
    await answer(life, one);
    assert.equal((await first).modelText, 'done');
    await progress(life, progressToken(one), 6);
    await answer(life, two);
    await second;
    await life.caughtUp();
    assert.deepEqual(heard, ['first 5/10', 'second 1/10', 'first 2/10']);
    assert.equal(opened.snapshot().state.kind, 'running');
  });

  test('progress has a message from 2025-03-26 on', async () => {
    opened = await silent({ version: '2025-03-26' });
    const { life } = opened;
    const heard: (string | undefined)[] = [];
    const operations: (string | undefined)[] = [];
    const listening = opened.host.onDidChangeOperation(({ state }) => {
      if (state.kind === 'running' && state.progress !== undefined) operations.push(state.progress.message);
    });
    const call = opened.call('slow', {}, { onProgress: ({ message }) => heard.push(message) });
    const sent = await life.until('tools/call');
    await progress(life, progressToken(sent), 1, 'half way');
    await answer(life, sent);
    await call;
    assert.deepEqual([heard, operations], [['half way'], ['half way']]);
    listening.dispose();
  });
});
