import assert from 'node:assert/strict';
import fc from 'fast-check';
import { boundedRounds, type KeptRound, roundMessages, roundsIn } from '../../../../src/editor/chat/chatSteps.ts';

const ROUNDS: readonly KeptRound[] = [
  { text: 'I look.', calls: [{ id: 'c1', name: 'notes_list', input: { tag: 'x' }, result: 'None.' }] },
  { text: 'There are none.', calls: [] },
];

suite('The stored record of a turn', () => {
  test('comes back as it was, and as messages', () => {
    assert.deepEqual(roundsIn(JSON.parse(JSON.stringify(boundedRounds(ROUNDS)))), ROUNDS);
    assert.deepEqual(roundMessages(ROUNDS, true), [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'c1', name: 'notes_list', input: { tag: 'x' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            toolUseId: 'c1',
            content: [{ type: 'text', text: 'None.' }],
            structured: undefined,
            isError: false,
          },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'There are none.' }] },
    ]);
  });

  test('is text without tools, because a model cannot use the calls', () => {
    assert.deepEqual(
      roundMessages(ROUNDS, false).map(({ role, content }) => [role, ...content.map((part) => part)]),
      [
        [
          'assistant',
          { type: 'text', text: 'I look.' },
          { type: 'text', text: '[Called notes_list {"tag":"x"}: None.]' },
        ],
        ['assistant', { type: 'text', text: 'There are none.' }],
      ],
    );
  });

  test('is bounded whatever there was, and of what is too long the latest is kept', () => {
    const call = fc.record({
      id: fc.string(),
      name: fc.string(),
      input: fc.constant({ text: 'x'.repeat(3_000) }),
      result: fc.nat(60_000).map((length) => 'r'.repeat(length)),
    });
    const round = fc.record({ text: fc.nat(50_000).map((length) => 't'.repeat(length)), calls: fc.array(call) });
    fc.assert(
      fc.property(fc.array(round, { maxLength: 30 }), (rounds) => {
        const kept = boundedRounds(rounds);
        assert.ok(JSON.stringify(kept).length < 150_000, `${JSON.stringify(kept).length}`);
        assert.equal(kept.length, rounds.length);
        assert.deepEqual(
          kept.map(({ calls }) => calls.map(({ id }) => id)),
          rounds.map(({ calls }) => calls.map(({ id }) => id)),
        );
      }),
      { numRuns: 30 },
    );
    const many = Array.from({ length: 30 }, (_, at): KeptRound => ({ text: `${at} ${'x'.repeat(10_000)}`, calls: [] }));
    const kept = boundedRounds(many);
    assert.equal(kept.at(-1)?.text, many.at(-1)?.text);
    assert.equal(kept[0]?.text, '[Not kept: it was too long.]');
  });

  test('is nothing where something else is kept', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        roundsIn(value);
      }),
    );
    for (const value of [undefined, null, 7, {}, [7], [{ text: 7, calls: [] }], [{ text: 'x' }]])
      assert.deepEqual(roundsIn(value), []);
    assert.deepEqual(roundsIn([{ text: 'x', calls: [{ id: 1 }, 'y'] }]), [{ text: 'x', calls: [] }]);
  });
});
