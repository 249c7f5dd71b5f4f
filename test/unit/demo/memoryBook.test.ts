import assert from 'node:assert/strict';
import { MemoryBook } from '../../../src/demo/memoryBook.ts';

suite('The memory of the demo', () => {
  let book: MemoryBook;

  setup(() => {
    book = new MemoryBook();
    book.add({ kind: 'name', text: "The user's name is Ada." });
    book.add({ kind: 'preference', text: 'The user prefers tea.' });
    book.add({ kind: 'fact', text: 'The user said: the key of the shed is under the mat.' });
  });

  function fitting(message: string): string {
    return book
      .fitting(message)
      .map(({ id }) => id)
      .join(' ');
  }

  test('gives what has words in common with a message, the closest first', () => {
    assert.equal(fitting('What is my name?'), 'mem_1');
    assert.equal(fitting('Would I like coffee or teas?'), 'mem_2');
    assert.equal(fitting('Which key opens the shed, and what do I prefer?'), 'mem_3 mem_2');
    assert.equal(fitting('What do you know about me?'), 'mem_1 mem_2 mem_3');
    assert.equal(fitting('What is the weather like?'), 'mem_2');
    assert.equal(fitting('What is the capital of France?'), '');
    assert.equal(fitting(''), '');
  });

  test('keeps a thing once, and one name', () => {
    assert.equal(book.add({ kind: 'fact', text: '  the user prefers\n TEA. ' }), undefined);
    assert.equal(book.add({ kind: 'fact', text: ' ' }), undefined);
    book.add({ kind: 'name', text: "The user's name is Bob." });
    assert.deepEqual(
      book.all().map(({ text }) => text),
      ['The user prefers tea.', 'The user said: the key of the shed is under the mat.', "The user's name is Bob."],
    );
  });

  test('knows what no summary has seen', () => {
    assert.equal(book.fresh, 3);
    book.add({ kind: 'fact', text: 'It came while a model was asked.' });
    book.summarize(' All of it. ', 3);
    assert.deepEqual([book.fresh, book.facts().length, book.all().length], [1, 4, 5]);
    book.summarize('Better.', 1);
    assert.deepEqual([book.fresh, book.all().at(-1)?.text, book.all().length], [0, 'Better.', 5]);
  });

  test('is bounded: the oldest goes, the summary stays, and a long text is cut', () => {
    book.summarize('x'.repeat(10_000), 3);
    for (let number = 0; number < 300; number++)
      book.add({ kind: 'fact', text: `number ${number} ${'y'.repeat(1_000)}` });
    const all = book.all();
    assert.deepEqual(
      [
        all.length,
        all.filter(({ kind }) => kind === 'summary').length,
        Math.max(...all.map(({ text }) => text.length)),
      ],
      [200, 1, 2_000],
    );
    assert.equal(all.at(-1)?.text.startsWith('number 299 '), true);
    assert.equal(book.fitting('number').length, 8);
  });
});
