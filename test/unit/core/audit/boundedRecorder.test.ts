import assert from 'node:assert/strict';
import type { AuditRecord } from '../../../../src/core/model/audit.ts';
import { BoundedRecorder } from '../../../../src/core/audit/auditLog.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const RECORD: AuditRecord = {
  at: 0,
  server: 'a',
  operation: 'inference/request',
  featureSet: undefined,
  inferenceId: undefined,
  outcome: 'refused',
  durationMs: 0,
  detail: 'Why.',
  tokens: undefined,
};

/** How many of a thousand such records in a minute are kept, and the remark in the next one. */
async function keptOf(like: Partial<AuditRecord>): Promise<readonly [number, string | undefined]> {
  const clock = new FakeClock();
  const records: AuditRecord[] = [];
  const recorder = new BoundedRecorder(clock, { record: (record) => records.push(record) });
  for (let i = 0; i < 1_000; i++) recorder.record({ ...RECORD, ...like });
  const kept = records.length;
  await clock.advance(60_000);
  recorder.record({ ...RECORD, ...like });
  return [kept, records.at(-1)?.detail];
}

suite('The audit of what a server does not get', () => {
  test('has sixty records a minute of each operation, and says how many more there were', async () => {
    const bounded: readonly Partial<AuditRecord>[] = [
      { outcome: 'refused' },
      { outcome: 'dropped' },
      // Without a model, or if the server withdraws the request, nothing else limits its number.
      { outcome: 'failure' },
      { outcome: 'cancelled' },
      { outcome: 'success', operation: 'featureSets/changed' },
      { outcome: 'success', operation: 'featureSets/update' },
    ];
    for (const like of bounded) assert.deepEqual(await keptOf(like), [60, 'Why. (940 more before it were left out)']);
  });

  test('leaves out nothing that used a model or took a turn', async () => {
    const free: readonly Partial<AuditRecord>[] = [
      { outcome: 'failure', tokens: 0 },
      { outcome: 'cancelled', tokens: 12 },
      { outcome: 'success', operation: 'context/beforeInference' },
      { outcome: 'timeout', operation: 'context/beforeInference' },
    ];
    for (const like of free) assert.deepEqual(await keptOf(like), [1_000, 'Why.']);
  });

  test('bounds each server and each operation for itself', () => {
    const records: AuditRecord[] = [];
    const recorder = new BoundedRecorder(new FakeClock(), { record: (record) => records.push(record) });
    for (let i = 0; i < 100; i++) recorder.record(RECORD);
    recorder.record({ ...RECORD, server: 'b' });
    recorder.record({ ...RECORD, operation: 'push/event' });
    assert.deepEqual(
      records.slice(60).map(({ server, operation }) => `${server} ${operation}`),
      ['b inference/request', 'a push/event'],
    );
  });
});
