import assert from 'node:assert/strict';
import { posix, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { NO_CANCELLATION } from '../../../src/core/base/cancellation.ts';
import type { FileNames } from '../../../src/core/ports.ts';
import type { ComputedTarget, ScopePlace } from '../../../src/core/scopes/computed.ts';
import { targetsOfClaim } from '../../../src/core/scopes/targets.ts';
import { type FakeEntry, fakeFiles } from './fakeFiles.ts';

/** What a program does with the text of a path before it opens what that gives. */
type Step = (text: string) => string;
type Steps = Readonly<Record<string, Step>>;

const isUri = (text: string): boolean => /^file:/i.test(text);
const unlessItFails = (text: string, step: Step): string => {
  try {
    return step(text);
  } catch {
    return text;
  }
};

const STEPS: Steps = {
  decode: (text) => unlessItFails(text, decodeURIComponent),
  trim: (text) => text.trim(),
  unquote: (text) => text.replace(/^["']|["']$/g, ''),
  compose: (text) => text.normalize('NFC'),
  slash: (text) => text.replaceAll('\\', '/'),
  line: (text) => text.replace(/:\d+(:\d+)?$/, ''),
  strip: (text) => text.replace(/^file:\/\//, ''),
};
const POSIX_STEPS: Steps = {
  ...STEPS,
  home: (text) => text.replace(/^~(?=\/|$)/, '/home/me'),
  resolve: (text) => (isUri(text) ? text : posix.resolve('/ws', text)),
  normalize: (text) => (isUri(text) ? text : posix.normalize(text)),
  url: (text) => (isUri(text) ? unlessItFails(text, (uri) => fileURLToPath(uri, { windows: false })) : text),
};
const WINDOWS_STEPS: Steps = {
  ...STEPS,
  home: (text) => text.replace(/^~(?=[\\/]|$)/, 'C:\\Users\\me'),
  resolve: (text) => (isUri(text) ? text : win32.resolve('C:\\ws', text)),
  normalize: (text) => (isUri(text) ? text : win32.normalize(text)),
  url: (text) => (isUri(text) ? unlessItFails(text, (uri) => fileURLToPath(uri, { windows: true })) : text),
  drive: (text) => text.replace(/^\/(?:mnt\/)?([a-z])(?=\/|$)/i, '$1:/'),
};

/** Reading a URI is decoding it too; nobody who means a path encodes it more often. */
const programOf = (steps: Steps): fc.Arbitrary<readonly string[]> =>
  fc
    .array(fc.constantFrom(...Object.keys(steps)), { maxLength: 6 })
    .filter((names) => names.filter((name) => name === 'decode' || name === 'url').length <= 3);
const readBy = (names: readonly string[], steps: Steps, text: string): string =>
  names.reduce((read, name) => steps[name]?.(read) ?? read, text);

const NAMES = [
  'ws',
  'src',
  'deep',
  'secrets',
  'k',
  'link',
  'up',
  'etc',
  'home',
  'me',
  'a b',
  '\u00e9',
  'e\u0301',
  '%2e',
];
const PIECES = [
  ...['/', '/', '/', '..', '..', '.', '\\', '~', ' ', '"', ':1', '#', '?', '%', 'file:', 'file://', 'localhost', '//'],
  ...['%2e', '%2E', '%2f', '%5c', '%252e', '%252f', '%25', '%73', '%2573', '%7e', '%20', '%c3%a9', 'nope', '*', '@'],
  ...NAMES,
];
const WINDOWS_PIECES = [...PIECES, 'C:', 'c:', 'D:', '\\', '/c', '. ', '\\\\srv\\share', 'SRC', 'Secrets', ':s', 'NUL'];
const soupOf = (pieces: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));

const someNames = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 });
const linkTarget = fc
  .tuple(fc.constantFrom('/', '../', '../../', ''), fc.array(fc.constantFrom('..', ...NAMES), { maxLength: 3 }))
  .map(([start, names]) => `${start}${names.join('/')}`)
  .filter((link) => link !== '');
const treeAt = (root: string): fc.Arbitrary<Record<string, FakeEntry>> =>
  fc
    .array(
      fc.tuple(
        someNames,
        fc.oneof(
          fc.constant<FakeEntry>('file'),
          fc.constant<FakeEntry>('folder'),
          linkTarget.map((link): FakeEntry => ({ link })),
        ),
      ),
      { maxLength: 8 },
    )
    .map((entries) => Object.fromEntries(entries.map(([names, entry]) => [`${root}${names.join('/')}`, entry])));

const POSIX_PLACE: ScopePlace = { folders: [{ name: 'ws', path: '/ws' }], userHome: '/home/me', bases: ['/ws'] };
const WINDOWS_PLACE: ScopePlace = {
  folders: [{ name: 'ws', path: 'C:\\ws' }],
  userHome: 'C:\\Users\\me',
  bases: ['C:\\ws'],
};

/** What the payload names, or nothing where nobody may allow it. */
async function targetOf(text: string, files: FileNames, place: ScopePlace): Promise<ComputedTarget | undefined> {
  const claim = { label: './x', payload: { path: text } };
  const { targets, refusal } = await targetsOfClaim(claim, place, files, NO_CANCELLATION);
  const found = targets.find(({ from }) => from === '/payload/path');
  assert.equal(found === undefined, refusal !== undefined);
  return found;
}

async function realPath(path: string, files: FileNames): Promise<string | undefined> {
  const real = await files.real(path, NO_CANCELLATION);
  if (real.kind === 'unknown') return undefined;
  const slashed = real.path.normalize('NFC').replaceAll('\\', '/');
  return files.style === 'posix'
    ? real.path.normalize('NFC')
    : slashed.replace(/^[A-Z]:/, (drive) => drive.toLowerCase()).replace(/(?<=[^:])\/$/, '');
}

const NO_WINDOWS_FILE = /[<>"|?*]|(?<=..):|\/(?:nul(?=[./ ]|$)|[. ]+(?=\/|$))/i;

/** Must be among what it is allowed by, or where it is no path or only a careless program gets there, denied by. */
function assertJudged(target: ComputedTarget, opened: string, text: string, names: readonly string[]): void {
  const mayBeShadow = target.kind === 'name' || text.includes('file:');
  const judged = mayBeShadow ? [...target.forms, ...target.shadows] : target.forms;
  const isWindows = /^(?:[a-z]:|\/\/)/.test(opened);
  const fold = (path: string): string => (isWindows ? path.toLowerCase() : path);
  assert.ok(
    judged.map(fold).includes(fold(opened)),
    `${text} by ${names.join(' ')} opens ${opened}: ${JSON.stringify(target)}`,
  );
}

const RUNS = Number(process.env['RUNS'] ?? 3000);

suite('Any spelling of a path', () => {
  test('is judged by what a program opens that is given it, whatever it makes of the text', async () => {
    let judged = 0;
    await fc.assert(
      fc.asyncProperty(treeAt('/'), soupOf(PIECES), programOf(POSIX_STEPS), async (tree, text, names) => {
        const files = fakeFiles({ '/ws': 'folder', '/ws/link': { link: '/etc/deep' }, ...tree });
        const target = await targetOf(text, files, POSIX_PLACE);
        if (target === undefined) return;
        const read = readBy(names, POSIX_STEPS, text);
        const opened = await realPath(read.startsWith('/') ? read : `/ws/${read}`, files);
        if (opened === undefined) return;
        judged++;
        assertJudged(target, opened, text, names);
      }),
      { numRuns: RUNS },
    );
    assert.ok(judged > 1_500, `only ${judged} were judged at all`);
  }).timeout(200_000);

  test('is so on Windows, where what is no plain path of a file is refused', async () => {
    let judged = 0;
    await fc.assert(
      fc.asyncProperty(treeAt('C:/'), soupOf(WINDOWS_PIECES), programOf(WINDOWS_STEPS), async (tree, text, names) => {
        const files = fakeFiles({ 'C:/ws': 'folder', ...tree }, { style: 'windows' });
        const target = await targetOf(text, files, WINDOWS_PLACE);
        if (target === undefined) return;
        const opened = await realPath(win32.resolve('C:\\ws', readBy(names, WINDOWS_STEPS, text)), files);
        // What begins like a name, and could be no file there.
        if (opened === undefined || NO_WINDOWS_FILE.test(opened)) return;
        judged++;
        assertJudged(target, opened, text, names);
      }),
      { numRuns: RUNS },
    );
    assert.ok(judged > 600, `only ${judged} were judged at all`);
  }).timeout(200_000);

  test('has absolute forms without dots, ends or doubles', async () => {
    const check = async (text: string, files: FileNames, place: ScopePlace, form: RegExp): Promise<void> => {
      const target = await targetOf(text, files, place);
      if (target === undefined || target.kind === 'name') return;
      for (const path of [target.real, ...target.forms, ...target.shadows]) assert.match(path, form);
      assert.ok(target.forms.includes(target.real));
      assert.equal(new Set([...target.forms, ...target.shadows]).size, target.forms.length + target.shadows.length);
    };
    const posixFiles = fakeFiles({ '/ws/link': { link: '/etc' } });
    const windowsFiles = fakeFiles({ 'c:/ws': 'folder' }, { style: 'windows' });
    const PLAIN = /^\/$|^(?:\/(?!\.{1,2}(?:\/|$))[^/]+)+$/;
    const WINDOWS = /^(?:[a-z]:\/$|(?:[a-z]:|\/\/[^/]+)(?:\/(?!\.{1,2}(?:\/|$))[^/\\]+)+$)/;
    await fc.assert(
      fc.asyncProperty(soupOf(WINDOWS_PIECES), async (text) => {
        await check(text, posixFiles, POSIX_PLACE, PLAIN);
        await check(text, windowsFiles, WINDOWS_PLACE, WINDOWS);
      }),
      { numRuns: 2_000 },
    );
  }).timeout(200_000);

  test('is its real path in the letters that it has on disk, where these make no difference', async () => {
    const name = fc.constantFrom('Src', 'Secrets', 'K', '\u00c9t\u00e9', 'stra\u00dfe');
    const flipped = fc.array(fc.boolean(), { minLength: 12, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 4 }), flipped, async (names, flips) => {
        const path = `/ws/${names.join('/')}`;
        const flip = (letter: string, index: number): string => {
          const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
          return flips[index % flips.length] === true && other.length === 1 ? other : letter;
        };
        const text = [...path]
          .map(flip)
          .join('')
          .normalize(flips[0] === true ? 'NFD' : 'NFC');
        const target = await targetOf(text, fakeFiles({ [path]: 'file' }, { ignoresCase: true }), POSIX_PLACE);
        assert.equal(target?.real, path);
        assert.deepEqual(target?.inside, { folder: 'ws', path: names.join('/') });
      }),
      { numRuns: 300 },
    );
  });
});
