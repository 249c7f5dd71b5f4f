import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { CancellationSource, NO_CANCELLATION, type RealName } from '../../src/core/index.ts';
import { createFileNames, nodeFileNames } from '../../src/node/fileNames.ts';
import { MAX_WAITING } from '../../src/node/nameTurns.ts';
import { dose } from '../support/dose.ts';
import { FakeClock, settle } from '../support/fakeClock.ts';
import { FakeDisk } from './fakeDisk.ts';

const IN_CIRCLES = 'It leads through too many links, or in a circle.';

/** What of coreutils can resolve what is not there. */
function hasOracle(): boolean {
  try {
    return /GNU/.test(execFileSync('realpath', ['--version'], { encoding: 'utf8' }));
  } catch {
    return false;
  }
}

suite('The names of files, on this file system', function () {
  this.timeout(60_000);
  let top: string;

  setup(function () {
    if (process.platform === 'win32') this.skip();
    top = realpathSync(mkdtempSync(join(tmpdir(), 'names-')));
    mkdirSync(join(top, 'ws/src'), { recursive: true });
    mkdirSync(join(top, 'etc/deep'), { recursive: true });
    writeFileSync(join(top, 'ws/a.ts'), '');
    writeFileSync(join(top, 'etc/passwd'), '');
  });

  teardown(() => rmSync(top, { recursive: true, force: true }));

  const link = (target: string, at: string): void => symlinkSync(target, join(top, at));

  /** The real name within the folder of the test, `+` where it exists; or why it is not known. */
  async function real(path: string, names = nodeFileNames): Promise<string> {
    return brief(await names.real(path.startsWith('/') ? path : `${top}/${path}`, NO_CANCELLATION));
  }

  function brief(found: RealName): string {
    if (found.kind === 'unknown') return found.why;
    const within = found.path === top ? '.' : found.path.replace(`${top}/`, '');
    return `${found.exists ? '+' : '-'} ${within}`;
  }

  test('what has no link in it is where it is written, whether it exists or not', async () => {
    assert.equal(await real('ws/a.ts'), '+ ws/a.ts');
    assert.equal(await real('ws//./src/'), '+ ws/src');
    assert.equal(await real('ws/src/../a.ts'), '+ ws/a.ts');
    assert.equal(await real('ws/new/er/a.ts'), '- ws/new/er/a.ts');
    assert.equal(await real(''), '+ .');
    assert.equal(await real('/'), '+ /');
    assert.equal(await real('/../../..'), '+ /');
    assert.equal(await real('/.././nowhere-at-all/..//x-nowhere'), '- /x-nowhere');
  });

  test('links are followed wherever they stand: absolute and relative ones, chains, and those that lead to nothing', async () => {
    link(join(top, 'etc'), 'ws/out');
    link('../etc/passwd', 'ws/secret');
    link('secret', 'ws/chain');
    link('../etc/new', 'ws/dangling');
    link('dangling', 'ws/to-dangling');
    link('.', 'ws/itself');
    link('..', 'ws/up');
    assert.equal(await real('ws/out/passwd'), '+ etc/passwd');
    assert.equal(await real('ws/out/new.txt'), '- etc/new.txt');
    assert.equal(await real('ws/chain'), '+ etc/passwd');
    assert.equal(await real('ws/dangling'), '- etc/new');
    assert.equal(await real('ws/to-dangling/x'), '- etc/new/x');
    assert.equal(await real('ws/itself/itself/itself/a.ts'), '+ ws/a.ts');
    assert.equal(await real('ws/up/up/etc'), '- up/etc');
    assert.equal(await real('ws/up/etc/../ws/out'), '+ etc');
  });

  test('".." leads out of where a link leads, and not out of where it lies', async () => {
    link('../etc/deep', 'ws/in');
    assert.equal(await real('ws/in/../passwd'), '+ etc/passwd');
    assert.equal(await real('ws/in/../../ws/a.ts'), '+ ws/a.ts');
    assert.equal(await real('ws/in/x/../../passwd'), '+ etc/passwd');
  });

  test('".." also leads out of what does not exist, and links behind it are followed: a program may resolve it as text', async () => {
    link('../etc', 'ws/out');
    assert.equal(await real('ws/nothing/../out/passwd'), '+ etc/passwd');
    assert.equal(await real('ws/nothing/at/all/../../../out/x'), '- etc/x');
  });

  test('what would lie in a file is taken as what does not exist', async () => {
    link('../etc', 'ws/out');
    link('a.ts', 'ws/to-file');
    assert.equal(await real('ws/a.ts/'), '+ ws/a.ts');
    assert.equal(await real('ws/a.ts/inner'), '- ws/a.ts/inner');
    assert.equal(await real('ws/a.ts/inner/../other'), '- ws/a.ts/other');
    assert.equal(await real('ws/to-file/x/../../out'), '+ etc');
    assert.equal(await real('ws/a.ts/../out/passwd'), '+ etc/passwd');
  });

  test('circles and chains beyond any use are unknown', async () => {
    link('two', 'one');
    link('one', 'two');
    link('self', 'self');
    assert.equal(await real('one'), IN_CIRCLES);
    assert.equal(await real('self/x'), IN_CIRCLES);
    link('ws', 'l0');
    for (let i = 1; i <= 40; i++) link(`l${i - 1}`, `l${i}`);
    assert.equal(await real('l39/a.ts'), '+ ws/a.ts');
    assert.equal(await real('l40/a.ts'), IN_CIRCLES);
    // Each link alone is fine, and there are too many of them in one path.
    link('.', 'here');
    assert.equal(await real(`${'here/'.repeat(40)}ws`), '+ ws');
    assert.equal(await real(`${'here/'.repeat(41)}ws`), IN_CIRCLES);
  });

  test('names are the letters that were written: composed and decomposed ones are two', async function () {
    if (process.platform !== 'linux') this.skip();
    const [composed, decomposed] = ['\u00e9'.normalize('NFC'), '\u00e9'.normalize('NFD')];
    writeFileSync(join(top, composed), '');
    link(`../etc/${decomposed}`, 'ws/accent');
    assert.equal(await real(composed), `+ ${composed}`);
    assert.equal(await real(decomposed), `- ${decomposed}`);
    assert.equal(await real('ws/accent'), `- etc/${decomposed}`);
    mkdirSync(join(top, '\ufeffws'));
    link('\ufeffws', 'marked');
    assert.equal(await real('marked/x'), '- \ufeffws/x');
  });

  test('what leads elsewhere for every process is unknown, also through a link', async function () {
    if (process.platform !== 'linux') this.skip();
    const why = 'It leads elsewhere for every program.';
    link('/proc/self/cwd', 'ws/cwd');
    const own = ['/proc/self/cwd/x', `/proc/${process.pid}/cwd/etc`, '/dev/fd/0', '/dev/stdin', `${top}/ws/cwd/../a`];
    for (const path of own) assert.equal(await real(path), why, path);
    assert.equal(await real('/proc/version'), '+ /proc/version');
    assert.equal(await real('/dev/null'), '+ /dev/null');
  });

  test('what is no name of a file is unknown', async () => {
    assert.equal(await real('ws/a\0.ts'), 'It is no name that a file could have.');
    assert.equal(await real('ws/\ud800'), 'It is no name that a file could have.');
    assert.equal(await real(`ws/${'a'.repeat(300)}`), 'It is longer than a name of a file can be.');
    for (const path of ['', 'ws/a.ts', './x', 'C:\\x'])
      assert.deepEqual(await nodeFileNames.real(path, NO_CANCELLATION), {
        kind: 'unknown',
        why: 'It is no absolute path.',
      });
  });

  test('a link to a name that is no text is unknown, and so is what lies in such a folder', async function () {
    if (process.platform !== 'linux') this.skip();
    const odd = Buffer.concat([Buffer.from(`${top}/`), Buffer.from([0xff, 0xfe])]);
    mkdirSync(odd);
    symlinkSync(odd, join(top, 'ws/odd'));
    assert.equal(await real('ws/odd/x'), 'A link on the way leads to a name that is no text.');
  });

  test('a folder that cannot be looked into is unknown', async function () {
    if (process.getuid?.() === 0) this.skip();
    link('../etc/passwd', 'ws/secret');
    chmodSync(join(top, 'ws'), 0o600);
    assert.equal(await real('ws/secret'), 'A folder on the way cannot be looked into.');
    chmodSync(join(top, 'ws'), 0o700);
  });

  test('a flood of names is answered, and each of them right', async () => {
    link('../etc', 'ws/out');
    const asked = Array.from({ length: 300 }, (_, i) => real(`ws/out/f${i}`));
    assert.deepEqual(
      await Promise.all(asked),
      asked.map((_, i) => `- etc/f${i}`),
    );
  });

  test('in any tree it finds what realpath -m finds', async function () {
    if (!hasOracle()) this.skip();
    const name = fc.constantFrom('a', 'b', 'c', '..', '.', 'a', 'b');
    const relative = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join('/'));
    const target = fc.oneof(
      relative,
      relative.map((path) => `TOP/${path}`),
    );
    const place = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 });
    const entry = fc.record({ place, target: fc.oneof(fc.constant('folder'), fc.constant('file'), target) });
    const asked = fc.array(fc.array(name, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 12 });
    let tree = 0;
    const property = fc.asyncProperty(fc.array(entry, { maxLength: 12 }), asked, async (entries, paths) => {
      // So deep that no ".." leads out of it.
      const root = join(top, `tree${++tree}`, 'd/'.repeat(30));
      mkdirSync(root, { recursive: true });
      const links = entries.map((each) => plant(root, join(root, ...each.place), each.target));
      const whole = paths.map((names) => `${root}${names.join('/')}`);
      const found = await Promise.all(whole.map(told));
      // Where coreutils are in a circle they say anything, or never end.
      const known = whole.filter((_, at) => found[at] !== 'unknown');
      assert.deepEqual(
        found.filter((path) => path !== 'unknown'),
        oracle(known),
      );
      const isHarmless = links.every((each) => each === undefined) || (entries.length === 1 && leadsOn(links[0]));
      if (isHarmless) assert.deepEqual(known, whole);
    });
    await fc.assert(property, { numRuns: dose(40, 300) });
  });

  async function told(path: string): Promise<string> {
    const found = await nodeFileNames.real(path, NO_CANCELLATION);
    return found.kind === 'real' ? found.path : 'unknown';
  }
});

/** The link that was made. Some places are taken, or lie in a file: another entry of the tree was first. */
function plant(root: string, at: string, what: string): string | undefined {
  try {
    if (what === 'folder') mkdirSync(at, { recursive: true });
    else if (what === 'file') writeFileSync(at, '', { flag: 'wx' });
    else {
      symlinkSync(what.replace('TOP/', root), at);
      return at;
    }
  } catch (error) {
    assert.ok(error instanceof Error && 'code' in error);
  }
  return undefined;
}

function leadsOn(link: string | undefined): boolean {
  return link !== undefined && existsSync(link);
}

function oracle(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  return execFileSync('realpath', ['-m', ...paths], { encoding: 'utf8', timeout: 10_000 })
    .trimEnd()
    .split('\n');
}

suite('The names of files, on file systems that are none', () => {
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
    // Two were under way; the turns of the others came too late.
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

  test('where case does not matter, names have the letters of the disk, as far as they exist', async () => {
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
    ['C:\\ws\\far', 'It is on a machine on which no open folder is.'],
    ['\\\\evil.example\\share\\x', 'It is on a machine on which no open folder is.'],
    ['\\\\.\\pipe\\docker_engine', 'It is on a machine on which no open folder is.'],
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
