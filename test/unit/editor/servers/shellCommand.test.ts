import assert from 'node:assert/strict';
import fc from 'fast-check';
import { joinCommandLine, type ShellStyle, splitCommandLine } from '../../../../src/editor/servers/shellCommand.ts';

function split(line: string, style: ShellStyle = 'posix'): readonly string[] | string {
  const result = splitCommandLine(line, style);
  return result.kind === 'words' ? result.words : result.problem;
}

suite('splitting a command line', () => {
  test('takes spaces as ends of words and quotes as what holds words together', () => {
    assert.deepEqual(split('  node  server.js "two words" \'a "b"\' x""y "" '), [
      'node',
      'server.js',
      'two words',
      'a "b"',
      'xy',
      '',
    ]);
  });

  test('treats backslashes as escapes only on POSIX', () => {
    assert.deepEqual(split('a\\ b "c\\"d" \'e\\f\' "g\\h"'), ['a b', 'c"d', 'e\\f', 'g\\h']);
  });

  test('keeps the backslashes of Windows paths', () => {
    assert.deepEqual(split('"C:\\Program Files\\node.exe" C:\\my\\server.js \\\\host\\share', 'windows'), [
      'C:\\Program Files\\node.exe',
      'C:\\my\\server.js',
      '\\\\host\\share',
    ]);
    assert.deepEqual(split('x "C:\\My Tools\\" ', 'windows'), ['x', 'C:\\My Tools\\']);
    assert.deepEqual(split('x it\'s \\"y\\"', 'windows'), ['x', "it's", '"y"']);
  });

  test('keeps variables of the settings as they are written', () => {
    assert.deepEqual(split('${workspaceFolder}/bin/x --key=${input:key}'), [
      '${workspaceFolder}/bin/x',
      '--key=${input:key}',
    ]);
  });

  test('says what is missing, and that no shell runs the line', () => {
    assert.equal(split('node "x'), 'A closing " is missing.');
    assert.equal(split('cat x | grep y'), 'No shell runs this line, so put quotes around words with | in them.');
    assert.deepEqual(split('curl "http://x/?a=1&b=2"'), ['curl', 'http://x/?a=1&b=2']);
  });

  test('is undone by joining, for any words without controls', () => {
    const word = fc.string({ unit: fc.constantFrom('a', ' ', '"', "'", '\\', '$', '`', '|', 'é', '😀') });
    fc.assert(
      fc.property(fc.array(word), (words) => {
        assert.deepEqual(split(joinCommandLine(words)), words);
      }),
      { numRuns: 500 },
    );
  });
});
