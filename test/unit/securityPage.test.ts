import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';

const project = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/security.md', project), 'utf8');

/** Checks that the tests named in the table exist. */
suite('The page about security', () => {
  const named = [...page.matchAll(/`(test\/[\w/.-]+\.test\.ts)`(?: “([^”]+)”)?/g)].map(([, file = '', title]) => ({
    file,
    title,
  }));

  test('names existing tests', () => {
    assert.ok(named.length > 40);
    const missing = named.filter(({ file, title }) => {
      const where = new URL(file, project);
      return !existsSync(where) || (title !== undefined && !readFileSync(where, 'utf8').includes(title));
    });
    assert.deepEqual(missing, []);
  });

  test('has a row for every finding of the audit', () => {
    const rows = [...page.matchAll(/^\| (A\d+(?:, A\d+)*) +\|/gm)].flatMap(([, ids = '']) => ids.split(', '));
    assert.deepEqual(
      rows,
      Array.from({ length: 26 }, (_, index) => `A${index + 1}`),
    );
  });
});
