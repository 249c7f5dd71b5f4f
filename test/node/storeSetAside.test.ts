import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityOf, setAside } from '../../src/node/store/setAside.ts';

suite('Setting a database aside', () => {
  let folder: string;
  let file: string;

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-aside-'));
    file = join(folder, 'a.sqlite');
    for (const suffix of ['', '-wal', '-shm']) writeFileSync(`${file}${suffix}`, `old${suffix}`);
  });

  teardown(() => rmSync(folder, { recursive: true, force: true }));

  test('moves it with its log after it was read, and leaves no lock', () => {
    const read: string[] = [];
    const target = setAside(file, identityOf(file), () => read.push(readFileSync(file, 'utf8')));
    assert.ok(target !== undefined);
    assert.deepEqual(read, ['old']);
    const names = readdirSync(folder).map((name) => join(folder, name));
    assert.deepEqual(names, [target, `${target}-shm`, `${target}-wal`]);
  });

  test('does not touch the new database of a window that was faster', () => {
    const before = identityOf(file);
    rmSync(file);
    // A file in between, so that the new file gets another position on the disk.
    writeFileSync(join(folder, 'other'), '');
    writeFileSync(file, 'new');
    assert.equal(
      setAside(file, before, () => assert.fail('nothing is to be read')),
      undefined,
    );
    assert.deepEqual(readdirSync(folder), ['a.sqlite', 'a.sqlite-shm', 'a.sqlite-wal', 'other']);
  });

  test('takes over the lock of a window that was killed over it', () => {
    const lock = `${file}.setting-aside`;
    mkdirSync(lock);
    utimesSync(lock, 1, 1);
    assert.ok(setAside(file, identityOf(file), () => undefined) !== undefined);
    assert.ok(!readdirSync(folder).includes('a.sqlite.setting-aside'));
  });
});
