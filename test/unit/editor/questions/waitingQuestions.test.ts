import assert from 'node:assert/strict';
import { CancellationSource, Deferred, NO_CANCELLATION, NO_LOG } from '../../../../src/core/index.ts';
import { WaitingQuestions } from '../../../../src/editor/questions/waitingQuestions.ts';

suite('Questions of servers that wait', () => {
  let questions: WaitingQuestions;
  let shown: Deferred<string | undefined>[];
  setup(() => {
    questions = new WaitingQuestions(NO_LOG);
    shown = [];
  });
  teardown(() => questions.dispose());

  const ask = (server: string, token = NO_CANCELLATION): Promise<string> =>
    questions.ask(
      {
        server,
        label: `${server}?`,
        closed: 'closed',
        show: () => {
          const made = new Deferred<string | undefined>();
          shown.push(made);
          return made.promise;
        },
      },
      token,
    );

  test('are listed until they are answered, and announce changes', async () => {
    let changes = 0;
    const listener = questions.onDidChange(() => changes++);
    const [first, second] = [ask('a'), ask('b')];
    assert.deepEqual(questions.waiting, [
      { server: 'a', label: 'a?' },
      { server: 'b', label: 'b?' },
    ]);
    shown[1]?.resolve('yes');
    assert.equal(await second, 'yes');
    assert.deepEqual(questions.waiting, [{ server: 'a', label: 'a?' }]);
    shown[0]?.resolve(undefined);
    assert.equal(await first, 'closed');
    assert.deepEqual([questions.waiting, changes], [[], 4]);
    listener.dispose();
  });

  test('are shown again, and the closing of an earlier notification is no answer', async () => {
    const answer = ask('a');
    assert.deepEqual(
      [questions.showAgain('b'), questions.showAgain('a'), questions.showAgain(), shown.length],
      [false, true, true, 3],
    );
    shown[0]?.resolve(undefined);
    shown[1]?.resolve(undefined);
    await Promise.resolve();
    assert.equal(questions.waiting.length, 1);
    shown[2]?.resolve('late, but heard');
    assert.equal(await answer, 'late, but heard');
  });

  test('end when they are void, when they cannot be shown, and with the window', async () => {
    const source = new CancellationSource();
    const cancelled = ask('a', source.token);
    const failed = ask('b');
    const left = ask('c');
    source.cancel();
    shown[1]?.reject(new Error('No room.'));
    questions.dispose();
    assert.deepEqual(await Promise.all([cancelled, failed, left]), ['closed', 'closed', 'closed']);
    assert.equal(await ask('a', source.token), 'closed');
    assert.equal(shown.length, 3);
  });
});
