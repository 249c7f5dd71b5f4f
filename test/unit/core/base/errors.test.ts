import assert from 'node:assert/strict';
import {
  assertNever,
  cancelled,
  HostError,
  isCancellation,
  isHostError,
  messageOf,
  toHostError,
  WireError,
} from '../../../../src/core/base/errors.ts';

suite('A host error', () => {
  test('has all known details, and otherwise an unknown effect', () => {
    const cause = new Error('EPIPE');
    const error = new HostError('SERVER_EXITED', 'The server ended.', { layer: 'process', cause });
    assert.deepEqual(
      { ...error, message: error.message, cause: error.cause, isError: error instanceof Error },
      {
        name: 'HostError',
        code: 'SERVER_EXITED',
        layer: 'process',
        rpcCode: undefined,
        category: undefined,
        retryAt: undefined,
        suggestion: undefined,
        effect: 'unknown',
        data: undefined,
        message: 'The server ended.',
        cause,
        isError: true,
      },
    );
  });

  test('has no cause where none was given', () => {
    assert.equal('cause' in new HostError('INTERNAL', 'x', { layer: 'host' }), false);
  });

  test('is known by its code, never by its text', () => {
    const error = new HostError('TIMEOUT', 'CANCELLED', { layer: 'protocol' });
    assert.deepEqual(
      [
        isHostError(error),
        isHostError(error, 'TIMEOUT', 'INTERNAL'),
        isHostError(error, 'CANCELLED'),
        isCancellation(error),
      ],
      [true, true, false, false],
    );
  });

  test('is not what merely looks like one', () => {
    const lookalike = Object.assign(new Error('x'), { name: 'HostError', code: 'TIMEOUT', layer: 'host' });
    assert.deepEqual([isHostError(lookalike), isHostError(undefined), isHostError('TIMEOUT')], [false, false, false]);
  });

  test('of a cancellation says what was cancelled', () => {
    const error = cancelled('The call');
    assert.deepEqual([isCancellation(error), error.message, error.layer], [true, 'The call was cancelled.', 'host']);
  });
});

suite('Anything thrown', () => {
  test('becomes a host error, and stays the same one if it is one', () => {
    const known = new HostError('TIMEOUT', 'late', { layer: 'protocol' });
    const wire = new WireError(-32602, 'bad', { field: 'a' });
    const strange = toHostError(wire);
    assert.equal(toHostError(known), known);
    assert.deepEqual([strange.code, strange.message, strange.cause], ['INTERNAL', 'bad', wire]);
    assert.deepEqual([wire.code, wire.data], [-32602, { field: 'a' }]);
  });

  test('has a message', () => {
    assert.deepEqual([new Error('an error'), 'a string', 42, undefined, null, Symbol('s')].map(messageOf), [
      'an error',
      'a string',
      '42',
      'undefined',
      'null',
      'Symbol(s)',
    ]);
  });

  test('that a switch did not expect is named', () => {
    assert.throws(() => assertNever('new member' as never), /^Error: Unexpected value: new member$/);
  });
});
