import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { inProject } from '../harness/paths.ts';

/** `file period` of each interval. A named period has its value in the same file. */
const intervals = (file: string): readonly string[] => {
  const source = readFileSync(inProject(file), 'utf8');
  return [...source.matchAll(/\bsetInterval\([\s\S]*?(\w+)\);/g)].map(([, name]) => {
    const value = new RegExp(`const ${name} = ([\\d_]+);`).exec(source)?.[1];
    return `${file} ${value ?? `${name}, which is no constant of this file`}`;
  });
};

suite('An interval in the sources', () => {
  test('updates the age of rows in open views, or the seconds of a running call in its page', () => {
    assert.deepEqual(
      globSync('src/**/*.ts', { cwd: inProject() })
        .map((file) => file.replaceAll('\\', '/'))
        .sort()
        .flatMap(intervals),
      ['src/editor/shared/ageingTree.ts 60_000', 'src/webview/form/toolForm.ts 100'],
    );
  });
});
