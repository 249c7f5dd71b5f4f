import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MAX_SHOWN, notificationText, plainText } from '../../../../src/editor/shared/plainText.ts';

suite('Text of unknown origin', () => {
  test('shows what would make it read as something else', () => {
    assert.equal(plainText('npx safe\n--evil'), 'npx safe‹U+000A›--evil');
    assert.equal(plainText('\u202egnp.exe'), '‹U+202E›gnp.exe');
    assert.equal(plainText('a\u200bb\u2066c\ufeff'), 'a‹U+200B›b‹U+2066›c‹U+FEFF›');
    assert.equal(plainText('\u{e0041}\ud800x'), '‹U+E0041›‹U+D800›x');
  });

  test('keeps every other letter of every script', () => {
    assert.equal(plainText('Grüße, 世界, שלום 👋 C:\\a b'), 'Grüße, 世界, שלום 👋 C:\\a b');
  });

  test('makes no link, since the editor would follow it', () => {
    const link = '[Start](command:mcpl.server.start)';
    assert.equal(plainText(link), '[Start] (command:mcpl.server.start)');
  });

  test('never has a link or an invisible character, and never grows beyond its limit', () => {
    const hostile = fc.string({ unit: fc.constantFrom('[', ']', '(', ')', '\u202e', '\n', 'a', '\u200d', '\ud83d') });
    fc.assert(
      fc.property(hostile, fc.integer({ min: 2, max: 30 }), (text, max) => {
        const shown = plainText(text, max);
        assert.ok(shown.length <= max, 'too long');
        assert.doesNotMatch(shown, /\]\(|[\p{Cc}\p{Cf}]/u);
      }),
      { numRuns: 300 },
    );
  });
});

suite('The text of a notification', () => {
  const hostile = '[Start](command:mcpl.server.start)\nof \u202egnp.exe';

  test('is plain and on one line', () => {
    assert.equal(notificationText(hostile, false), '[Start] (command:mcpl.server.start) of ‹U+202E›gnp.exe');
  });

  test('keeps its lines and its whole length in a modal dialog', () => {
    const address = `https://example.org/${'a'.repeat(3_000)}`;
    assert.equal(
      notificationText(`${hostile}\n\n${address}`, true),
      `[Start] (command:mcpl.server.start)\nof ‹U+202E›gnp.exe\n\n${address}`,
    );
    assert.equal(notificationText(address, false).length, MAX_SHOWN);
  });

  test('is not escaped a second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.equal(notificationText(plainText(text), false), plainText(text));
      }),
    );
  });
});
