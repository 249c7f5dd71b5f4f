import assert from 'node:assert/strict';
import fc from 'fast-check';
import { minimatch } from 'minimatch';
import { alternativesOf } from '../../../../src/core/model/braces.ts';
import { patternProblem } from '../../../../src/core/model/scopePattern.ts';

suite('Patterns of scopes in settings', () => {
  test('are distinguished from invalid texts, with a hint', () => {
    const told = (text: string): string => `${JSON.stringify(text.slice(0, 24))} ${patternProblem(text) ?? 'is fine'}`;
    assert.deepEqual(
      [
        '/ws/**',
        '#dev-*',
        '!x',
        'C:\\work\\**',
        '**/*.{js,ts,{c,m}{js,ts}}',
        'app/{id}/[slug]',
        'a{b',
        '[{]x',
        '${workspaceFolder}/{src,lib}',
        '${workspaceFolder:my, folder}/x',
        '{${userHome},~}/x',
        '{1..256}',
        '{a,b}'.repeat(8),
        'x'.repeat(1_024),
        '',
        '  ',
        'x'.repeat(1_025),
        '{1..257}',
        '{a,b}'.repeat(9),
        `${'{a,b}'.repeat(8)}${'x'.repeat(300)}`,
        '{'.repeat(65),
        '[['.repeat(33),
        'a\tb',
        'a\u200db',
        '\ud800',
        '${env:HOME}',
        '${workspaceFolder:}',
        '${}',
        '${userHome',
      ].map(told),
      [
        '"/ws/**" is fine',
        '"#dev-*" is fine',
        '"!x" is fine',
        '"C:\\\\work\\\\**" is fine',
        '"**/*.{js,ts,{c,m}{js,ts}" is fine',
        '"app/{id}/[slug]" is fine',
        '"a{b" is fine',
        '"[{]x" is fine',
        '"${workspaceFolder}/{src,l" is fine',
        '"${workspaceFolder:my, fol" is fine',
        '"{${userHome},~}/x" is fine',
        '"{1..256}" is fine',
        '"{a,b}{a,b}{a,b}{a,b}{a,b" is fine',
        '"xxxxxxxxxxxxxxxxxxxxxxxx" is fine',
        '"" Must be a pattern that is not empty, such as "src/**".',
        '"  " Must be a pattern that is not empty, such as "src/**".',
        '"xxxxxxxxxxxxxxxxxxxxxxxx" Must have at most 1024 characters.',
        '"{1..257}" Must stand for at most 256 alternatives; write several patterns instead of so many braces.',
        '"{a,b}{a,b}{a,b}{a,b}{a,b" Must stand for at most 256 alternatives; write several patterns instead of so many braces.',
        '"{a,b}{a,b}{a,b}{a,b}{a,b" Must have at most 65536 characters with its braces written out; write several patterns.',
        '"{{{{{{{{{{{{{{{{{{{{{{{{" Must have at most 64 "{".',
        '"[[[[[[[[[[[[[[[[[[[[[[[[" Must have at most 64 "[".',
        '"a\\tb" Must have no characters that cannot be seen; "?" stands for any one of them.',
        '"a\u200db" Must have no characters that cannot be seen; "?" stands for any one of them.',
        '"\\ud800" Must have no characters that cannot be seen; "?" stands for any one of them.',
        '"${env:HOME}" Must have no other variables than ${workspaceFolder}, ${workspaceFolder:name} and ${userHome}.',
        '"${workspaceFolder:}" Must have no other variables than ${workspaceFolder}, ${workspaceFolder:name} and ${userHome}.',
        '"${}" Must have no other variables than ${workspaceFolder}, ${workspaceFolder:name} and ${userHome}.',
        '"${userHome" Must have a "}" after each "${".',
      ].map((line) => line.replace(/^"([^"]{25})[^"]*"/, (_, head: string) => `"${head.slice(0, 24)}"`)),
    );
  });
});

suite('Braces of patterns', () => {
  test('are counted as shells expand them', () => {
    const counted = {
      a: 1,
      '{a,b}': 2,
      '{a,b}{c,d}': 4,
      '{a,{b,c}}': 3,
      '{{a,b},{c,d}{e,f}}': 6,
      '{{a,b}}': 2,
      '{,a}x': 2,
      'a,b': 1,
      '{a}': 1,
      '{1..5}': 5,
      '{5..1}': 5,
      '{-2..2}': 5,
      '{1..9..2}': 5,
      '{1..9..-2}': 5,
      '{1..9..0}': 9,
      '{01..10}': 10,
      '{a..e}': 5,
      '{a..e..2}': 3,
      '{Z..a}': 8,
      '{1..}': 1,
      '{a..bc}': 1,
    };
    assert.deepEqual(Object.fromEntries(Object.keys(counted).map((text) => [text, alternativesOf(text)])), counted);
    assert.deepEqual(
      Object.keys(counted).map((text) => minimatch.braceExpand(text, { braceExpandMax: 1_000 }).length),
      Object.values(counted),
    );
  });

  test('that shells make odd things of count as more, if need be as too many', () => {
    const odd = [
      '{a},b}',
      '{a,b',
      'a,b}',
      '{{a,b}',
      '{{1,2}..9}',
      '{{a,b}.c}',
      `{${'9'.repeat(20)}..1}`,
      '{9007199254740991..9007199254740992}',
    ];
    assert.deepEqual(
      odd.map(
        (text) => `${text} ${minimatch.braceExpand(text, { braceExpandMax: 30 }).length} ${alternativesOf(text)}`,
      ),
      [
        '{a},b} 2 2',
        '{a,b 1 1',
        'a,b} 1 1',
        '{{a,b} 2 2',
        '{{1,2}..9} 17 Infinity',
        '{{a,b}.c} 2 Infinity',
        '{99999999999999999999..1} 30 Infinity',
        '{9007199254740991..9007199254740992} 30 Infinity',
      ],
    );
  });

  test('are never counted as fewer than they are expanded to', () => {
    const bits = fc.constantFrom(
      ...['{', '}', ',', '..', '.', 'a', 'b', '1', '3', '12', '-', '$', '/', '[', '\\'],
      ...['{a,b}', '{1..3}', '{a..e..2}', '{a}', '},', '{{', '{,', '..2', '${a}'],
    );
    const text = fc.array(bits, { maxLength: 20 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (pattern) => {
        const read = pattern.replaceAll('\\', '/');
        assert.ok(alternativesOf(read) >= minimatch.braceExpand(read, { braceExpandMax: 2_000 }).length, read);
      }),
      { numRuns: 5_000 },
    );
  });
});
