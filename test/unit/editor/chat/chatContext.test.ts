import assert from 'node:assert/strict';
import type { OpenInference } from '../../../../src/core/index.ts';
import { type KeptContext, keptContext, placed } from '../../../../src/editor/chat/chatContext.ts';

type Position = KeptContext['position'];
type Opened = Pick<OpenInference, 'context' | 'injectedBy'>;

/** Context of these servers at these positions: one message per position, like from a host. */
const opened = (text: string, ...added: readonly (readonly [Position, ...string[]])[]): Opened => ({
  context: added.map(([position]) => ({
    position,
    message: { role: 'user', content: [{ type: 'text', text: `${text} ${position}` }] },
  })),
  injectedBy: added.flatMap(([position, ...servers]) => servers.map((server) => ({ server, namespace: '', position }))),
});

const texts = (context: readonly KeptContext[]): readonly string[] =>
  context.map(({ message, servers }) => {
    const [block] = message.content;
    return `${block?.type === 'text' ? block.text : ''}: ${servers.join(', ')}`;
  });

suite('The context of a turn with several rounds', () => {
  test('stays where a server adds nothing while the model goes on', () => {
    const first = keptContext([], opened('first', ['system', 'rules'], ['beforeUser', 'memory']));
    assert.deepEqual(texts(keptContext(first, opened('second'))), ['first system: rules', 'first beforeUser: memory']);
  });

  test('is replaced by new context of the same servers at the same position, next to that of others', () => {
    const first = keptContext([], opened('first', ['system', 'rules'], ['beforeUser', 'memory', 'files', 'memory']));
    const second = keptContext(first, opened('second', ['beforeUser', 'memory'], ['system', 'rules', 'other']));
    assert.deepEqual(texts(second), [
      'first beforeUser: memory, files',
      'second beforeUser: memory',
      'second system: rules, other',
    ]);
    const third = keptContext(second, opened('third', ['beforeUser', 'files', 'memory']));
    assert.deepEqual(texts(third), ['second system: rules, other', 'third beforeUser: files, memory']);
    // Context at another position still applies.
    const fourth = keptContext(third, opened('fourth', ['afterUser', 'rules', 'other', 'files', 'memory']));
    assert.deepEqual(texts(fourth).slice(0, 2), texts(third));
  });

  test('stands first, or around the words of the user, and never among what the model did', () => {
    const context = keptContext([], opened('a', ['afterUser', 'x'], ['system', 'x'], ['beforeUser', 'x']));
    const conversation = { before: ['earlier', 'attached'], user: 'user', after: ['called', 'result'] };
    assert.deepEqual(
      placed(conversation, context, ({ position }) => position),
      ['system', 'earlier', 'attached', 'beforeUser', 'user', 'afterUser', 'called', 'result'],
    );
  });
});
