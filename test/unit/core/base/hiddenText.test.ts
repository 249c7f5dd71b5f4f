import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { isHidden, showHidden, withoutHidden } from '../../../../src/core/base/hiddenText.ts';
import { dose } from '../../../support/dose.ts';

const tags = (text: string): string =>
  [...text].map((each) => String.fromCodePoint(0xe0000 + (each.codePointAt(0) ?? 0))).join('');

/** Texts that need hidden characters to be displayed correctly. */
const WRITTEN: Readonly<Record<string, string>> = {
  ASCII: 'plain text, {"a": "\\u200b"}\r\n\tend\u001b[31m',
  accents: 'Grüße, naïve, Ångström, e\u0301',
  family: '👨‍👩‍👧‍👦 👩🏽‍💻 🏳️‍🌈 🏴‍☠️ ❤️‍🔥 👁️‍🗨️ 🧑🏿‍🤝‍🧑🏻',
  keycaps: '1️⃣ #️⃣ *️⃣',
  hearts: '❤️ ☎︎ ©️ ™️ ↔️ ▶️',
  flags: '🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁷󠁬󠁳󠁿',
  Persian: 'می‌خواهم کتاب‌ها را بخوانم. ه‍',
  Hindi: 'क्‍ष र्‍य श्‌र',
  Bengali: 'র‍্যাব',
  Sinhala: 'ශ්‍රී ලංකා',
  Malayalam: 'ന്‍ ല്‍',
  Mongolian: 'ᠮᠣᠩᠭᠣᠯ ᠠ᠋',
  'Japanese variants': '葛󠄀城 辻󠄁 﨑 神︀',
  'Hebrew with an isolate': 'שלום \u2067abc (x)\u2069 עולם',
  'Arabic with an embedding': 'قال \u202aC++\u202c ثم\nسطر \u2068x\u2069',
  'Hebrew with marks': 'שפת C++\u200f! וגם C#\u200e.',
  'nested pairs': '\u2068a \u202bב\u202c c\u2069',
  'a localized placeholder': 'Hello, \u2068Alice\u2069!',
};

/** Hidden texts, and how models see them. */
const SMUGGLED: Readonly<Record<string, readonly [string, string]>> = {
  tags: [`ok${tags('do')}`, 'ok\\u{e0064}\\u{e006f}'],
  'tags behind a black flag': [`🏴${tags('abc')}\u{e007f}`, '🏴\\u{e0061}\\u{e0062}\\u{e0063}\\u{e007f}'],
  'tags behind a flag': ['🏴󠁧󠁢󠁥󠁮󠁧󠁿\u{e0041}', '🏴󠁧󠁢󠁥󠁮󠁧󠁿\\u{e0041}'],
  'a grapheme joiner': ['a\u034fb', 'a\\u{34f}b'],
  'variation selectors': ['a\ufe0fb\u{e0101}', 'a\\u{fe0f}b\\u{e0101}'],
  'a second selector': ['❤\ufe0f\ufe0f 葛\u{e0100}\u{e0101}', '❤\ufe0f\\u{fe0f} 葛\u{e0100}\\u{e0101}'],
  'a selector of ideographs behind an emoji': ['😀\u{e0101}', '😀\\u{e0101}'],
  'zero width': ['a\u200bb\u200cc\u200dd\u2060e\ufefff', 'a\\u{200b}b\\u{200c}c\\u{200d}d\\u{2060}e\\u{feff}f'],
  'joiners in a row': ['می\u200c\u200d\u200cخ', 'می\u200c\\u{200d}\\u{200c}خ'],
  'fillers and operators': ['\u3164\u115f\u2062\u00ad\u180e', '\\u{3164}\\u{115f}\\u{2062}\\u{ad}\\u{180e}'],
  'an override that never ends': ['abc\u202etxt.exe', 'abc\\u{202e}txt.exe'],
  'an end without a beginning': ['abc\u202c\u2069', 'abc\\u{202c}\\u{2069}'],
  'a pair over two lines': ['\u2067a\nb\u2069', '\\u{2067}a\nb\\u{2069}'],
  'crossed pairs': ['\u202aa\u2067b\u202cc\u2069', '\\u{202a}a\u2067b\\u{202c}c\u2069'],
  'pairs around nothing': ['a\u2067\u2069\u202a \u202c', 'a\\u{2067}\\u{2069}\\u{202a} \\u{202c}'],
  'marks in Latin text': ['a\u200eb\u200fc\u061c', 'a\\u{200e}b\\u{200f}c\\u{61c}'],
  'marks in a row': ['שלום\u200f\u200f\u200e', 'שלום\u200f\\u{200f}\\u{200e}'],
};

suite('Hidden characters', () => {
  for (const [name, text] of Object.entries(WRITTEN))
    test(`stay in ${name}`, () => {
      assert.equal(showHidden(text), text);
      assert.equal(withoutHidden(text), text);
    });

  for (const [name, [text, shown]] of Object.entries(SMUGGLED))
    test(`are shown, and taken out of names: ${name}`, () => {
      assert.equal(showHidden(text), shown);
      assert.equal(withoutHidden(text), shown.replace(/\\u\{[\da-f]+\}/g, ''));
    });

  const ALPHABET = [
    ...[
      'a',
      'ب',
      'ש',
      'क',
      'ᠠ',
      '葛',
      '😀',
      '❤',
      '🏴',
      '👩',
      '🏽',
      '1',
      '\u20e3',
      ' ',
      '\n',
      '\u{e0067}',
      '\u{e007f}',
      '\ud83d',
    ],
    ...['\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\u061c', '\u202a', '\u202e', '\u202c', '\u2067', '\u2069'],
    ...['\ufe00', '\ufe0e', '\ufe0f', '\u{e0100}', '\u034f', '\u00ad', '\ufeff', '\u180b', '\u{e0041}', '\u3164'],
  ];
  const text = fc.oneof(
    fc.array(fc.constantFrom(...ALPHABET), { maxLength: 14 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );

  test('are shown the same however often, and what is taken out stays out', () => {
    fc.assert(
      fc.property(text, (given) => {
        const shown = showHidden(given);
        assert.equal(showHidden(shown), shown, JSON.stringify(given));
        const clean = withoutHidden(given);
        assert.equal(withoutHidden(clean), clean, JSON.stringify(given));
        assert.equal(showHidden(clean), clean, JSON.stringify(given));
      }),
      { numRuns: dose(5_000, 100_000) },
    );
  });

  test('lose nothing by being shown', () => {
    fc.assert(
      fc.property(text, (given) => {
        const back = showHidden(given).replace(/\\u\{([\da-f]+)\}/g, (_, code: string) =>
          String.fromCodePoint(Number.parseInt(code, 16)),
        );
        assert.equal(back, given);
      }),
      { numRuns: dose(5_000, 100_000) },
    );
  });

  test('never carry a message: each is beside a visible character that needs it', () => {
    const needed = new RegExp(
      [
        '\\p{Extended_Pictographic}[\\uFE0E\\uFE0F]?',
        '[\\p{Emoji_Modifier}\\p{Regional_Indicator}][\\uFE0E\\uFE0F]?',
        '[\\d#*][\\uFE0E\\uFE0F]\\u20E3',
        '\\p{Ideographic}[\\uFE00-\\uFE02\\u{E0100}-\\u{E01EF}]',
        '\\u{1F3F4}\\u{E0067}\\u{E0062}[\\u{E0061}-\\u{E007A}]{3}\\u{E007F}',
        '\\p{Script=Mongolian}[\\u180B-\\u180D\\u180F]',
      ].join('|'),
      'gu',
    );
    fc.assert(
      fc.property(text, (given) => {
        const rest = showHidden(given).replace(needed, 'x');
        const left = [...rest]
          .filter(isHidden)
          .filter((each) => !/[\u200C\u200D\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/.test(each));
        assert.deepEqual(left, [], JSON.stringify(given));
        // Joiners and direction marks only stay in texts with letters or emoji that need them.
        if (!/[\p{Extended_Pictographic}\p{scx=Arab}\p{scx=Hebr}\p{scx=Deva}\p{scx=Mong}]/u.test(given))
          assert.doesNotMatch(rest, /[\u200C-\u200F\u061C]/);
        assert.doesNotMatch(rest, /[\u200C\u200D]{2}|[\u200E\u200F\u061C]{2}/);
      }),
      { numRuns: dose(5_000, 100_000) },
    );
  });

  test('take no time that grows with the square of a text', () => {
    const hostile = ['\u2067', '\u200d', `${'\u202a'}a`, '葛\u{e0100}\u{e0100}', '🏴\u{e0067}\u{e0062}'];
    for (const part of hostile) assert.ok(showHidden(part.repeat(20_000)).length > 0);
    for (const part of hostile) assert.ok(withoutHidden(part.repeat(20_000)).length >= 0);
  });
});
