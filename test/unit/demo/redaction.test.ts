import assert from 'node:assert/strict';
import { redact } from '../../../src/demo/redaction.ts';
import { cpuTime } from '../../support/cpuTime.ts';

suite('Redaction in the demo', () => {
  for (const [text, expected, ...types] of [
    ['The API key is sk-1234567890abcdef...', 'The API key is [REDACTED]...', 'api_key'],
    ['Use sk-ant-api03-AbC_dEf-123456 now', 'Use [REDACTED] now', 'api_key'],
    ['AKIAIOSFODNN7EXAMPLE', '[REDACTED]', 'api_key'],
    [`ghp_${'a1B2'.repeat(9)} and xoxb-123456789012-abcdef`, '[REDACTED] and [REDACTED]', 'token', 'token'],
    ['Authorization: Bearer abcdefghijklmnop.qrst==', 'Authorization: Bearer [REDACTED]', 'token'],
    ['eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF', '[REDACTED]', 'token'],
    ['Write to ada.lovelace+x@mail.example.org, please.', 'Write to [REDACTED], please.', 'email'],
    ['<josé@exämple.com>', '<[REDACTED]>', 'email'],
    ['-----BEGIN PRIVATE KEY-----\nMII-E and no end', '[REDACTED]', 'private_key'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----.', '[REDACTED].', 'private_key'],
  ] as const)
    test(JSON.stringify(text), () => {
      const redacted = redact(text);
      assert.equal(redacted.text, expected);
      assert.deepEqual(
        redacted.redactions.map(({ type }) => type),
        types,
      );
    });

  test('leaves what only looks like a secret', () => {
    const text = 'A task-management app, @mcpl, a@b, ask-anything, sk-short, v1.2@latest, the bearer of news.';
    assert.deepEqual(redact(text), { text, redactions: [] });
  });

  test('says where each was', () => {
    const text = 'Key sk-1234567890abcdef of a@b.org';
    const { redactions } = redact(text);
    assert.deepEqual(redactions, [
      { type: 'api_key', position: [4, 23] },
      { type: 'email', position: [27, 34] },
    ]);
    assert.deepEqual(
      redactions.map(({ position }) => text.slice(...position)),
      ['sk-1234567890abcdef', 'a@b.org'],
    );
  });

  test('takes little time, whatever the text', () => {
    const started = cpuTime();
    for (const piece of ['eyJ-', 'a.', 'sk-', '-----BEGIN PRIVATE KEY-----', 'x@y.']) redact(piece.repeat(20_000));
    assert.ok(cpuTime() - started < 2_000);
  });
});
