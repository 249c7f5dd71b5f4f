import assert from 'node:assert/strict';
import { DEFAULT_LIMITS } from '../../../../src/core/index.ts';
import { hostLimits } from '../../../../src/editor/settings/hostLimits.ts';

const read = (values: Readonly<Record<string, unknown>>): unknown => hostLimits((setting) => values[setting]);

suite('the settings that hold for all servers', () => {
  test('are the defaults for missing or invalid values', () => {
    assert.deepEqual(read({}), DEFAULT_LIMITS);
    assert.deepEqual(
      read({
        'mcpl.push.maxPerMinute': '9',
        'mcpl.events.maxCount': NaN,
        'mcpl.audit.retentionDays': null,
        'mcpl.inference.model': ' ',
        'mcpl.approvals.timeoutSeconds': '9',
        'mcpl.approvals.inChat': 'true',
        'mcpl.state.maxCount': '9',
        'mcpl.state.maxAgeDays': [9],
      }),
      DEFAULT_LIMITS,
    );
  });

  test('are taken within bounds', () => {
    assert.deepEqual(
      read({
        'mcpl.push.maxPerMinute': 60.7,
        'mcpl.events.maxCount': 1e9,
        'mcpl.audit.retentionDays': -4,
        'mcpl.inference.model': ' gpt ',
        'mcpl.approvals.timeoutSeconds': 4.9,
        'mcpl.approvals.inChat': true,
        'mcpl.state.maxCount': 0,
        'mcpl.state.maxAgeDays': 7.5,
        'mcpl.state.maxMegabytes': 1e9,
      }),
      {
        pushPerMinute: 60,
        maxEvents: 10_000,
        auditDays: 1,
        model: 'gpt',
        approvalSeconds: 5,
        asksInChat: true,
        maxCheckpoints: 1,
        stateDays: 7,
        stateMegabytes: 100_000,
      },
    );
  });
});
