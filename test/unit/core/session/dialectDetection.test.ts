import assert from 'node:assert/strict';
import type { Json } from '../../../../src/core/base/json.ts';
import {
  dialectInitializeParams,
  type InitializeAnswer,
  judgeInitialize,
} from '../../../../src/core/session/dialectDetection.ts';

const result = (value: Json): InitializeAnswer => ({ kind: 'result', result: value });
const error = (code: number, message = '', data?: Json): InitializeAnswer => ({
  kind: 'error',
  error: { code, message, data },
});

/** The verdict with each setting, and after the dialect's question. */
function verdicts(answer: InitializeAnswer): string {
  const settings = (['auto', 'off', 'force'] as const).map((setting) =>
    judgeInitialize(answer, { setting, asked: 'standard' }),
  );
  return [...settings, judgeInitialize(answer, { setting: 'auto', asked: 'dialect' })].join(' ');
}

suite('whether a server speaks the short dialect', () => {
  test('is judged by its answer to initialize', () => {
    const answers: Record<string, readonly [InitializeAnswer, string]> = {
      'a version': [result({ protocolVersion: '2025-06-18' }), 'standard standard standard standard'],
      'a version, and words of the dialect': [
        result({ protocolVersion: '2025-06-18', server: {} }),
        'standard standard standard standard',
      ],
      'its capabilities': [result({ serverCapabilities: {} }), 'dialect failed dialect dialect'],
      'its name': [result({ server: { name: 's' } }), 'dialect failed dialect dialect'],
      'an object of no meaning': [result({ ok: true }), 'failed failed dialect failed'],
      'a version that is a number': [result({ protocolVersion: 1 }), 'failed failed dialect failed'],
      null: [result(null), 'failed failed failed failed'],
      'invalid params': [error(-32602, 'Invalid params'), 'askAgain failed askAgain failed'],
      'invalid params, with versions to choose from': [
        error(-32602, 'Unsupported', { supported: ['2024-11-05'] }),
        'failed failed failed failed',
      ],
      'an unsupported version': [error(-32022, 'mcpVersion'), 'failed failed failed failed'],
      'a code of its own': [error(1000), 'askAgain failed askAgain failed'],
      'words of its own': [error(-32000, 'missing MCPVersion'), 'askAgain failed askAgain failed'],
      'other words of its own': [error(-32603, 'clientCapabilities?'), 'askAgain failed askAgain failed'],
      'any other failure': [error(-32603, 'Oops'), 'failed failed askAgain failed'],
      'a code below its own': [error(999), 'failed failed askAgain failed'],
    };
    for (const [name, [answer, expected]] of Object.entries(answers)) assert.equal(verdicts(answer), expected, name);
  });

  test('its initialize offers progress and cancellation, and nothing else', () => {
    assert.deepEqual(dialectInitializeParams(), {
      mcpVersion: '2025-06-18',
      clientCapabilities: { supportsProgress: true, supportsCancellation: true },
    });
  });
});
