import assert from 'node:assert/strict';
import { CancellationSource, NO_CANCELLATION, type RealName } from '../../src/core/index.ts';
import { createFileNames, MAX_WAITING } from '../../src/node/names/fileNames.ts';
import { FakeClock, settle } from '../support/fakeClock.ts';
import { FakeDisk } from './fakeDisk.ts';

suite('The names of files, on simulated file systems', () => {
  const LINUX = { platform: 'linux' } as const;

  test('what the file system refuses to say is unknown, in a sentence without the path', async () => {
    const refusals = {
      EACCES: 'A folder on the way cannot be looked into.',
      EPERM: 'A folder on the way cannot be looked into.',
      EIO: 'The file system cannot say where it leads.',
    };
    for (const [code, why] of Object.entries(refusals)) {
      const disk = new FakeDisk({ '/ws': 'folder', '/ws/closed': code });
      const found = await createFileNames({ ...LINUX, lookups: disk }).real('/ws/closed/x', NO_CANCELLATION);
      assert.deepEqual(found, { kind: 'unknown', why });
    }
  });

  test('one question is enough for a name without links, and none is asked below what does not exist', async () => {
    const disk = new FakeDisk({ '/ws': 'folder', '/ws/src': 'folder', '/ws/src/a.ts': 'file' });
    const names = createFileNames({ ...LINUX, lookups: disk });
    await names.real('/ws/src/a.ts', NO_CANCELLATION);
    assert.deepEqual(disk.asked, ['real /ws/src/a.ts']);
    disk.asked.length = 0;
    await names.real('/ws/new/a/b/c/d', NO_CANCELLATION);
    assert.deepEqual(disk.asked, ['real /ws/new/a/b/c/d', 'link? /ws', 'link? /ws/new']);
  });

  test('a drive that does not answer is unknown after five seconds, and others are answered meanwhile', async () => {
    const clock = new FakeClock();
    const disk = new FakeDisk({ '/ws': 'folder', '/net': 'hangs' });
    const names = createFileNames({ ...LINUX, clock, lookups: disk });
    const hung = names.real('/net/x', NO_CANCELLATION);
    assert.deepEqual(await names.real('/ws', NO_CANCELLATION), { kind: 'real', path: '/ws', exists: true });
    await clock.advance(4_999);
    assert.equal(await Promise.race([hung, settle().then(() => 'waits')]), 'waits');
    await clock.advance(1);
    assert.deepEqual(await hung, { kind: 'unknown', why: 'The file system did not answer in time.' });
    assert.equal(clock.waiting, 0);
  });

  test('whoever does not wait any longer is let go, and nothing more is asked for them', async () => {
    const clock = new FakeClock();
    const disk = new FakeDisk({ '/net': 'hangs' });
    const names = createFileNames({ ...LINUX, clock, lookups: disk });
    const gone = { kind: 'unknown', why: 'Nobody waits for the answer any more.' };
    const cancellation = new CancellationSource();
    const asked = Array.from({ length: 5 }, () => names.real('/net/x', cancellation.token));
    await settle();
    cancellation.cancel();
    assert.deepEqual(await Promise.all(asked), Array(5).fill(gone));
    assert.deepEqual(await names.real('/ws', cancellation.token), gone);
    disk.release();
    await settle();
    // Two lookups were running. The others were too late.
    assert.deepEqual(disk.asked, ['real /net/x', 'real /net/x']);
    assert.equal(clock.waiting, 0);
  });

  test('lookups are two at a time, and what waits beyond any use is unknown at once', async () => {
    const disk = new FakeDisk({ '/ws': 'folder', '/net': 'hangs' });
    const names = createFileNames({ ...LINUX, clock: new FakeClock(), lookups: disk });
    const cancellation = new CancellationSource();
    const waiting = Array.from({ length: MAX_WAITING + 2 }, () => names.real('/net/x', cancellation.token));
    await settle();
    assert.equal(disk.asked.length, 2);
    assert.deepEqual(await names.real('/ws', NO_CANCELLATION), {
      kind: 'unknown',
      why: 'The file system cannot say where it leads.',
    });
    cancellation.cancel();
    await Promise.all(waiting);
    disk.release();
    await settle();
    assert.deepEqual([disk.hanging, disk.asked.length], [0, 2]);
    assert.deepEqual(await names.real('/ws', NO_CANCELLATION), { kind: 'real', path: '/ws', exists: true });
  });

  test('on case-insensitive disks, existing names have the letters of the disk', async () => {
    const disk = new FakeDisk({ '/Ws': 'folder', '/Ws/Src': 'folder', '/Ws/link': '-> /WS/SRC' }, true);
    const names = createFileNames({ platform: 'darwin', lookups: disk });
    assert.deepEqual([names.style, names.ignoresCase], ['posix', true]);
    const real = async (path: string): Promise<unknown> => names.real(path, NO_CANCELLATION);
    assert.deepEqual(await real('/ws/SRC'), { kind: 'real', path: '/Ws/Src', exists: true });
    assert.deepEqual(await real('/ws/src/New.ts'), { kind: 'real', path: '/Ws/Src/New.ts', exists: false });
    assert.deepEqual(await real('/WS/LINK/../NEW'), { kind: 'real', path: '/Ws/NEW', exists: false });
    const own = { kind: 'unknown', why: 'It leads elsewhere for every program.' };
    const special = new FakeDisk({ '/dev': 'folder', '/dev/fd': 'folder', '/dev/fd/3': 'file' }, true);
    const mac = createFileNames({ platform: 'darwin', lookups: special });
    for (const path of ['/dev/fd/3', '/DEV/FD/3']) assert.deepEqual(await mac.real(path, NO_CANCELLATION), own);
  });
});

suite('The names of files, as Windows writes them', () => {
  const disk = new FakeDisk(
    {
      'C:\\': 'folder',
      'C:\\ws': 'folder',
      'C:\\ws\\a.ts': 'file',
      'C:\\ws\\out': '-> D:\\secrets',
      'C:\\ws\\up': '-> ..\\etc',
      'C:\\ws\\rooted': '-> \\etc',
      'C:\\ws\\junction': '-> \\\\?\\D:\\secrets\\',
      'C:\\ws\\volume': '-> \\\\?\\Volume{0b2c}\\x',
      'C:\\ws\\drive': '-> D:secrets',
      'C:\\ws\\far': '-> \\\\evil.example\\share',
      'C:\\ws\\near': '-> \\\\?\\UNC\\nas\\team',
      'C:\\etc': 'folder',
      'D:\\': 'folder',
      'D:\\secrets': 'folder',
      '\\\\nas\\team\\': 'folder',
      '\\\\nas\\team\\ws': 'folder',
    },
    true,
  );
  const names = createFileNames({ platform: 'win32', lookups: disk, folders: () => ['c:\\ws', '\\\\NAS\\team\\ws'] });

  const CASES: readonly (readonly [string, string])[] = [
    ['c:\\WS\\A.TS', '+ C:\\ws\\a.ts'],
    ['c:/ws/./new/a.ts', '- C:\\ws\\new\\a.ts'],
    ['C:\\ws\\out\\..\\a.ts', '+ C:\\ws\\a.ts'],
    ['C:\\ws\\..\\..\\..\\etc', '+ C:\\etc'],
    ['C:\\ws\\out\\k', '- D:\\secrets\\k'],
    ['C:\\ws\\up', '+ C:\\etc'],
    ['C:\\ws\\rooted', '+ C:\\etc'],
    ['C:\\ws\\junction\\k', '- D:\\secrets\\k'],
    ['C:\\', '+ C:\\'],
    ['\\\\nas\\TEAM\\WS\\x', '- \\\\nas\\team\\ws\\x'],
    ['//nas/team/../../../ws', '+ \\\\nas\\team\\ws'],
    ['\\\\?\\C:\\ws', '+ C:\\ws'],
    ['C:\\ws\\near\\ws', '+ \\\\nas\\team\\ws'],
    ['C:\\ws\\volume', 'A link on the way leads where only the system knows.'],
    ['C:\\ws\\drive', 'A link on the way leads where only the system knows.'],
    ['C:\\ws\\far', 'It is on a machine that has no open folder.'],
    ['\\\\evil.example\\share\\x', 'It is on a machine that has no open folder.'],
    ['\\\\.\\pipe\\docker_engine', 'It is on a machine that has no open folder.'],
    ['\\\\?\\Volume{0b2c}\\x', 'It is no absolute path.'],
    ['C:ws', 'It is no absolute path.'],
    ['\\ws', 'It is no absolute path.'],
    ['ws', 'It is no absolute path.'],
  ];

  test('drives, shares and links lead where the system leads them', async () => {
    const told = await Promise.all(CASES.map(async ([path]) => [path, brief(await names.real(path, NO_CANCELLATION))]));
    assert.deepEqual(told, CASES);
    assert.deepEqual([names.style, names.ignoresCase], ['windows', true]);
  });

  test('a machine on which no open folder is is not asked: it would learn who asks', () => {
    assert.deepEqual(
      disk.asked.filter((question) => question.includes('evil')),
      [],
    );
  });

  function brief(found: RealName): string {
    return found.kind === 'unknown' ? found.why : `${found.exists ? '+' : '-'} ${found.path}`;
  }
});
