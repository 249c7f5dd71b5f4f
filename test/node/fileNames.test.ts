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
import { NO_CANCELLATION, type RealName } from '../../src/core/index.ts';
import { nodeFileNames } from '../../src/node/names/fileNames.ts';
import { dose } from '../support/dose.ts';

const IN_CIRCLES = 'It leads through too many links, or in a circle.';

/** Whether coreutils can resolve missing paths. */
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

  /** The real name within the test's folder, with `+` if it exists, or the reason why it is unknown. */
  async function real(path: string, names = nodeFileNames): Promise<string> {
    return brief(await names.real(path.startsWith('/') ? path : `${top}/${path}`, NO_CANCELLATION));
  }

  function brief(found: RealName): string {
    if (found.kind === 'unknown') return found.why;
    const within = found.path === top ? '.' : found.path.replace(`${top}/`, '');
    return `${found.exists ? '+' : '-'} ${within}`;
  }

  test('a path without links is its own real path, whether it exists or not', async () => {
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

  test('".." leaves the target of a link, not the folder that contains the link', async () => {
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
    // Each link is valid alone, but one path has too many of them.
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

  test('a text that is no file name is unknown', async () => {
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
      // Deep enough that no ".." leaves it.
      const root = join(top, `tree${++tree}`, 'd/'.repeat(30));
      mkdirSync(root, { recursive: true });
      const links = entries.map((each) => plant(root, join(root, ...each.place), each.target));
      const whole = paths.map((names) => `${root}${names.join('/')}`);
      const found = await Promise.all(whole.map(told));
      // For loops, coreutils print anything or never end.
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

/** Creates the link, if another entry of the tree is not already there. */
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
