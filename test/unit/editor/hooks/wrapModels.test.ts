import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type PartKind, WrappedAnswer } from '../../../../src/editor/hooks/wrapAnswer.ts';
import { matchesModel, wrapPatterns } from '../../../../src/editor/hooks/wrapPatterns.ts';
import { type MessageOutline, outlineRequest, TurnCounter } from '../../../../src/editor/hooks/wrapTurns.ts';

const MODEL = { vendor: 'copilot', id: 'gpt-4o', family: 'gpt-4' };

suite('Which models are wrapped', () => {
  test('those that a pattern names by vendor and id, by id or by family', () => {
    const matching = ['copilot/gpt-4o', 'GPT-4O', 'gpt-4', '*', 'copilot/*', '*4o', 'c*/g*t*o', 'gpt-4o*', '**'];
    const others = [
      'copilot',
      'gpt',
      'gpt-4oo',
      'copilot/gpt-4',
      '*5',
      'o*o/gpt-4o*x',
      'gpt-4o*o',
      '',
      'g.t-4o',
      '[*]',
    ];
    assert.deepEqual(
      matching.filter((pattern) => !matchesModel(pattern, MODEL)),
      [],
    );
    assert.deepEqual(
      others.filter((pattern) => matchesModel(pattern, MODEL)),
      [],
    );
  });

  test('a pattern made of a name by putting stars for pieces of it names it', () => {
    const cuts = fc.array(fc.tuple(fc.nat(13), fc.nat(13)), { maxLength: 4 });
    fc.assert(
      fc.property(cuts, (pieces) => {
        let pattern = 'copilot/gpt-4o';
        for (const [at, length] of pieces) pattern = `${pattern.slice(0, at)}*${pattern.slice(at + length)}`;
        return matchesModel(pattern, MODEL);
      }),
    );
  });

  test('a setting may hold anything', () => {
    const odd = [' a ', 'a', '', ' ', 7, null, {}, 'x'.repeat(201), ...Array.from({ length: 80 }, (_, at) => `m${at}`)];
    assert.deepEqual(wrapPatterns(odd), ['a', ...Array.from({ length: 63 }, (_, at) => `m${at}`)]);
    assert.deepEqual([wrapPatterns('a'), wrapPatterns(undefined), wrapPatterns({ 0: 'a' })], [[], [], []]);
  });
});

const user = (text: string): MessageOutline => ({ role: 'user', text, isToolResult: false });
const assistant = (text = ''): MessageOutline => ({ role: 'assistant', text, isToolResult: false });
const system = (text: string): MessageOutline => ({ role: 'system', text, isToolResult: false });
const result: MessageOutline = { role: 'user', text: '', isToolResult: true };

suite('What turn a request to a wrapped model is', () => {
  test('is known by the beginning of its conversation, and by who spoke last', () => {
    const first = [system('Be brief.'), user('Where am I?'), user('Hello')];
    assert.deepEqual(outlineRequest(first), { beginning: 'Where am I?\nHello', userMessage: 'Hello', anchor: 2 });
    const round = [...first, assistant(), result];
    assert.deepEqual(outlineRequest(round), { beginning: 'Where am I?\nHello', userMessage: null, anchor: 2 });
    const next = [...round, assistant('Hi'), user('And now?'), system('Remember.')];
    assert.deepEqual(outlineRequest(next), { beginning: 'Where am I?\nHello', userMessage: 'And now?', anchor: 6 });
    assert.deepEqual(outlineRequest([assistant(), result]), { beginning: '', userMessage: null, anchor: -1 });
    assert.deepEqual(outlineRequest([]), { beginning: '', userMessage: null, anchor: -1 });
  });

  test('is counted for each conversation, rounds with tools and the same again not', () => {
    const turns = new TurnCounter();
    const count = (conversation: string, userMessage: string | null, messages: number): number =>
      turns.count(conversation, { userMessage }, messages);
    const counted = [
      count('a', 'Hello', 1),
      count('a', null, 3),
      count('b', null, 3),
      count('a', 'Hello', 1),
      count('a', 'Hello', 5),
      count('a', 'Bye', 7),
      count('b', 'Hello', 1),
    ];
    assert.deepEqual(counted, [0, 0, 0, 0, 1, 2, 0]);
    for (let number = 0; number < 128; number++) count(`c${number}`, 'Hello', 1);
    assert.equal(count('a', 'Again', 9), 0);
  });
});

/** Parts by word: `call`, `data` and `thought` are such parts, others are text. */
const KINDS: Readonly<Record<string, PartKind>> = {
  call: { kind: 'call' },
  data: { kind: 'data' },
  thought: { kind: 'other' },
};

function answered(isChecked: boolean, parts: readonly string[], shown: (text: string) => string): readonly string[] {
  const reported: string[] = [];
  const answer = new WrappedAnswer<string>({
    isChecked,
    kindOf: (part) => KINDS[part] ?? { kind: 'text', text: part },
    report: (part) => reported.push(part),
    textPart: (text) => `new:${text}`,
  });
  for (const part of parts) answer.take(part);
  const before = reported.length;
  answer.release(shown(answer.text));
  return [...reported.slice(0, before), '|', ...reported.slice(before)];
}

suite('The answer of a wrapped model', () => {
  const parts = ['thought', 'One ', 'call', 'two', 'data', '.'];

  test('passes as it comes where no server may change it', () => {
    assert.deepEqual(
      answered(false, parts, (text) => text),
      [...parts, '|'],
    );
  });

  test('waits for its check, but for calls of tools, and passes unchanged in the same parts', () => {
    assert.deepEqual(
      answered(true, parts, (text) => text),
      ['call', '|', 'thought', 'One ', 'two', 'data', '.'],
    );
  });

  test('is replaced where a server changes it, without the thoughts that may hold what was taken out', () => {
    assert.deepEqual(
      answered(true, parts, () => 'Three.'),
      ['call', '|', 'new:Three.', 'data'],
    );
    assert.deepEqual(
      answered(true, parts, () => ''),
      ['call', '|', 'data'],
    );
    assert.deepEqual(
      answered(true, ['call'], () => 'Added.'),
      ['call', '|', 'new:Added.'],
    );
  });
});
