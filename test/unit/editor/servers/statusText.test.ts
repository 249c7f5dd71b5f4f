import assert from 'node:assert/strict';
import { HostError } from '../../../../src/core/index.ts';
import { statusText } from '../../../../src/editor/servers/statusText.ts';
import { problem, running, snapshot } from '../../../support/serverSnapshots.ts';

const failed = { kind: 'failed', error: new HostError('TIMEOUT', 'Late.', { layer: 'transport' }) } as const;

suite('the status bar item', () => {
  test('is not there while there is nothing to say', () => {
    assert.equal(statusText([], []).visible, false);
  });

  test('counts the servers that run', () => {
    assert.deepEqual(statusText([snapshot('a', running()), snapshot('b', { kind: 'stopped', reason: 'byUser' })], []), {
      visible: true,
      text: '$(mcp) 1',
      tooltip: 'MCP Live: 1 of 2 servers running\na: running\nb: stopped',
      spoken: 'MCP Live: 1 of 2 servers running',
      isUrgent: false,
    });
  });

  test('counts failures and errors in settings as problems, and says who waits for an answer', () => {
    const status = statusText(
      [snapshot('a', failed), snapshot('b', { kind: 'asking' })],
      [problem(['c'], 'Wrong.'), problem(['d'], 'Odd.', { severity: 'warning' })],
    );
    assert.deepEqual(
      [status.text, status.spoken, status.isUrgent],
      [
        '$(mcp) 0 $(question) 1 $(warning) 2',
        'MCP Live: 0 of 2 servers running, 1 waiting for your answer, 2 problems',
        true,
      ],
    );
  });

  test('counts the questions of servers that run with those before a start', () => {
    const status = statusText([snapshot('a', running()), snapshot('b', { kind: 'asking' })], [], { questions: 2 });
    assert.deepEqual(
      [status.text, status.spoken, status.isUrgent],
      ['$(mcp) 1 $(question) 3', 'MCP Live: 1 of 2 servers running, 3 waiting for your answer', true],
    );
  });

  test('counts unread events without a warning, and is there for them alone', () => {
    const status = statusText([], [], { unread: 1 });
    assert.deepEqual(
      [status.visible, status.text, status.spoken, status.isUrgent],
      [true, '$(mcp) 0 $(bell-dot) 1', 'MCP Live: 0 of 0 servers running, 1 unread event', false],
    );
    assert.match(statusText([snapshot('a', running())], [], { unread: 12 }).tooltip, /, 12 unread events\na: running$/);
  });

  test('counts the requests that wait for an approval, and is there for them alone', () => {
    const status = statusText([], [], { approvals: 2 });
    assert.deepEqual(
      [status.visible, status.text, status.spoken, status.isUrgent],
      [true, '$(mcp) 0 $(shield) 2', 'MCP Live: 0 of 0 servers running, 2 requests wait for your approval', true],
    );
    assert.match(
      statusText([], [], { questions: 1, unread: 1, approvals: 1 }).tooltip,
      /1 unread event, 1 request waits for your approval, 1 waiting/,
    );
  });

  test('turns while a server starts, and is there for a problem alone', () => {
    assert.equal(statusText([snapshot('a', { kind: 'starting' })], []).text, '$(loading~spin) 0');
    assert.equal(statusText([], [problem([], 'Wrong.')]).text, '$(mcp) 0 $(warning) 1');
  });

  test('keeps its tooltip short', () => {
    const many = Array.from({ length: 40 }, (_, i) => snapshot(`s${i}`, running()));
    assert.equal(statusText(many, []).tooltip.split('\n').at(-1), 'and 28 more');
  });
});
