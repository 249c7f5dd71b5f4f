import assert from 'node:assert/strict';
import type { Clock, Logger } from '../../../../src/core/index.ts';
import { BoundedLog } from '../../../../src/editor/shared/boundedLog.ts';

class OneTimer implements Clock {
  callback: (() => void) | undefined;
  now = (): number => 0;
  delay = (_ms: number, callback: () => void): { dispose(): void } => {
    this.callback = callback;
    return { dispose: () => (this.callback = undefined) };
  };
  fire(): void {
    const { callback } = this;
    this.callback = undefined;
    callback?.();
  }
}

function recorded(): { readonly lines: string[]; readonly sink: Logger } {
  const lines: string[] = [];
  return { lines, sink: { log: (level, message) => lines.push(`${level} ${message}`) } };
}

suite('A log with a bound', () => {
  test('lets a burst through, counts the rest, and opens again after the window', () => {
    const clock = new OneTimer();
    const { lines, sink } = recorded();
    const log = new BoundedLog(sink, clock, { lines: 2, ms: 1_000 });
    for (const line of ['a', 'b', 'c', 'd']) log.log('info', line);
    clock.fire();
    log.log('warn', 'e');
    clock.fire();
    assert.deepEqual(lines, [
      'info a',
      'info b',
      'warn … 2 more lines came within this second and are left out.',
      'warn e',
    ]);
  });

  test('keeps no timer while nothing is said, nor after its end', () => {
    const clock = new OneTimer();
    const log = new BoundedLog(recorded().sink, clock);
    assert.equal(clock.callback, undefined);
    log.log('info', 'a');
    assert.notEqual(clock.callback, undefined);
    log.dispose();
    assert.equal(clock.callback, undefined);
  });

  test('cuts a line that no one could read', () => {
    const { lines, sink } = recorded();
    new BoundedLog(sink, new OneTimer()).log('info', 'x'.repeat(1_000_000));
    assert.ok((lines[0] ?? '').length < 10_000);
  });
});
