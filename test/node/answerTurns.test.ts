import assert from 'node:assert/strict';
import { Deferred } from '../../src/core/index.ts';
import { AnswerTurns } from '../../src/node/http/answerTurns.ts';

suite('The turns of answers', () => {
  test('no more than sixteen are on their way at once, and each that ends lets the next one go', async () => {
    const turns = new AnswerTurns();
    const posts = Array.from({ length: 40 }, () => new Deferred<void>());
    let begun = 0;
    const all = posts.map(({ promise }) =>
      turns.run(() => {
        begun++;
        return promise;
      }),
    );
    assert.equal(begun, 16);
    posts[0]?.resolve();
    posts[1]?.reject(new Error('not taken'));
    await Promise.allSettled(all.slice(0, 2));
    assert.equal(begun, 18);
    for (const post of posts) post.resolve();
    await Promise.allSettled(all);
    assert.deepEqual([begun, turns.isFull], [40, false]);
  });

  test('a server that takes none is full after a thousand', () => {
    const turns = new AnswerTurns();
    for (let i = 0; i < 16 + 1_000; i++) void turns.run(() => new Promise(() => undefined));
    assert.ok(turns.isFull);
  });
});
