import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Files, houseRules, isBinary, lineCount } from './houseRules.ts';
import { ROOT } from './overlay.ts';

/** All files that are or will be under version control, as they are on disk. */
const readFiles = (): Files => {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  const present = listed.filter((path) => path !== '' && existsSync(join(ROOT, path)));
  return new Map(present.map((path) => [path, isBinary(path) ? '' : readFileSync(join(ROOT, path), 'utf8')]));
};

suite('The house rules', () => {
  const files = readFiles();
  // The root user's folder is so short that many texts use it as an example.
  const places = [ROOT, `${homedir()}/`].filter((place) => place.split('/').length > 2);

  for (const { name, check, broken } of houseRules(places)) {
    test(`hold: ${name}`, () => assert.deepEqual(check(files), []));

    test(`are seen to fail: ${name}`, () => {
      const added = 'length' in broken ? new Map([broken]) : broken;
      const before = new Set(check(files));
      const said = check(new Map([...files, ...added])).filter((complaint) => !before.has(complaint));
      assert.notDeepEqual(said, [], 'It says nothing about it.');
    });
  }

  test('leave files small', function () {
    const lengths = [...files].filter(([path]) => /^src\/.*\.ts$/.test(path)).map(([, text]) => lineCount(text));
    const sorted = lengths.sort((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    if (this.test !== undefined)
      this.test.title += `: ${sorted.length} files, median ${median}, longest ${sorted.at(-1)}`;
    assert.ok(median <= 170, `The median is ${median} lines.`);
  });
});
