import assert from 'node:assert/strict';
import {
  type AuditEntry,
  type AuditQuery,
  CancellationSource,
  isCancellation,
  NO_CANCELLATION,
} from '../../../../src/core/index.ts';
import { auditLine, auditPages, auditText } from '../../../../src/editor/audit/auditText.ts';
import { ARRIVED } from '../events/inboundEvents.ts';

const entry = (place: number, rest: Partial<AuditEntry> = {}): AuditEntry => ({
  place,
  at: ARRIVED,
  server: 'memory',
  operation: 'push/event',
  featureSet: 'memory.reminders',
  inferenceId: undefined,
  outcome: 'success',
  durationMs: 3.4,
  detail: undefined,
  tokens: undefined,
  ...rest,
});

suite('The audit log as text', () => {
  test('has a column for each thing, aligned, and nothing in it is more than one line', () => {
    const entries = [
      entry(2, {
        operation: 'context/beforeInference',
        outcome: 'timeout',
        durationMs: 5_000,
        inferenceId: 'inf_1',
        tokens: 1_234,
        model: 'acme/m1',
        detail: 'No answer\nfor 5 s\u0007',
      }),
      entry(1, { featureSet: undefined }),
    ];
    assert.equal(
      auditText(entries, true),
      `time                 outcome  server  operation                feature set       duration  tokens  model    detail             inference
2026-11-18 16:04:21  timeout  memory  context/beforeInference  memory.reminders  5000 ms   1234    acme/m1  No answer for 5 s  inf_1
2026-11-18 16:04:21  success  memory  push/event                                 3 ms
`,
    );
  });

  test('names the user if no server was involved', () => {
    const [, row] = auditText([entry(1, { server: '', operation: 'chat/turn' })], true).split('\n');
    assert.match(row ?? '', / success {2}you {5}chat\/turn /);
  });

  test('says that there is more, or nothing', () => {
    assert.match(auditText([entry(1)], false), /\n\nOlder records are in the export: .*\n$/);
    assert.equal(
      auditText([], true),
      'Nothing is recorded yet. Every tool call and everything that servers do under MCPL is recorded here.\n',
    );
  });

  test('stays a table where a server gave itself a very long name', () => {
    const widest = Math.max(
      ...auditText([entry(1, { server: 'x'.repeat(5_000) })], true)
        .split('\n')
        .map((row) => row.length),
    );
    assert.ok(widest < 130, String(widest));
  });

  test('is a line of JSON for each record in an export', () => {
    const line = auditLine(entry(7, { detail: 'a\nb' }));
    assert.deepEqual(JSON.parse(line), {
      place: 7,
      time: new Date(ARRIVED).toISOString(),
      server: 'memory',
      operation: 'push/event',
      featureSet: 'memory.reminders',
      outcome: 'success',
      durationMs: 3.4,
      detail: 'a\nb',
    });
    assert.equal(line.split('\n').length, 2);
  });

  suite('page by page', () => {
    const all = Array.from({ length: 2_500 }, (_, i) => entry(2_500 - i));
    const asked: AuditQuery[] = [];
    const audit = {
      list: (query: AuditQuery): Promise<readonly AuditEntry[]> => {
        asked.push(query);
        const older = all.filter(({ place }) => place < (query.before ?? Infinity));
        return Promise.resolve(older.slice(0, query.limit));
      },
    };
    setup(() => asked.splice(0));

    test('has every record once, and says how far it is', async () => {
      const counts: number[] = [];
      const pages: string[] = [];
      for await (const page of auditPages(audit, 'memory', NO_CANCELLATION, (n) => counts.push(n))) pages.push(page);
      const places = pages
        .join('')
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as AuditEntry).place);
      assert.deepEqual(
        places,
        all.map(({ place }) => place),
      );
      assert.deepEqual(counts, [1_000, 1_000, 500]);
      assert.deepEqual(
        asked.map(({ server, before }) => [server, before]),
        [1_501, 501, 1].reduce<unknown[]>((list, before) => [...list, ['memory', before]], [['memory', undefined]]),
      );
    });

    test('stops when it is cancelled, and where a log gives the same again', async () => {
      const source = new CancellationSource();
      const pages = auditPages(audit, undefined, source.token, () => source.cancel());
      assert.equal((await pages.next()).done, false);
      await assert.rejects(pages.next(), isCancellation);
      const stuck = { list: () => Promise.resolve([entry(5)]) };
      let count = 0;
      for await (const _ of auditPages(stuck, undefined, NO_CANCELLATION, () => undefined)) if (++count > 3) break;
      assert.equal(count, 1);
    });
  });
});
