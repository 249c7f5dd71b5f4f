import { posix, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { FileNames } from '../../../../../src/core/ports.ts';
import { NO_CANCELLATION } from '../../../../../src/core/base/cancellation.ts';
import type { ScopeContext } from '../../../../../src/core/scopes/paths/computed.ts';
import type { FakeEntry } from '../../../../support/fakeFiles.ts';

/** A step of a program between the text and the opened path. */
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
export const POSIX_STEPS: Steps = {
  ...STEPS,
  home: (text) => text.replace(/^~(?=\/|$)/, '/home/me'),
  resolve: (text) => (isUri(text) ? text : posix.resolve('/ws', text)),
  normalize: (text) => (isUri(text) ? text : posix.normalize(text)),
  url: (text) => (isUri(text) ? unlessItFails(text, (uri) => fileURLToPath(uri, { windows: false })) : text),
};
export const WINDOWS_STEPS: Steps = {
  ...STEPS,
  home: (text) => text.replace(/^~(?=[\\/]|$)/, 'C:\\Users\\me'),
  resolve: (text) => (isUri(text) ? text : win32.resolve('C:\\ws', text)),
  normalize: (text) => (isUri(text) ? text : win32.normalize(text)),
  url: (text) => (isUri(text) ? unlessItFails(text, (uri) => fileURLToPath(uri, { windows: true })) : text),
  drive: (text) => text.replace(/^\/(?:mnt\/)?([a-z])(?=\/|$)/i, '$1:/'),
};

/** Parsing a URI also decodes it. No honest caller encodes a path more often. */
export const programOf = (steps: Steps): fc.Arbitrary<readonly string[]> =>
  fc
    .array(fc.constantFrom(...Object.keys(steps)), { maxLength: 6 })
    .filter((names) => names.filter((name) => name === 'decode' || name === 'url').length <= 3);
export const readBy = (names: readonly string[], steps: Steps, text: string): string =>
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
export const PIECES = [
  ...['/', '/', '/', '..', '..', '.', '\\', '~', ' ', '"', ':1', '#', '?', '%', 'file:', 'file://', 'localhost', '//'],
  ...['%2e', '%2E', '%2f', '%5c', '%252e', '%252f', '%25', '%73', '%2573', '%7e', '%20', '%c3%a9', 'nope', '*', '@'],
  ...NAMES,
];
export const WINDOWS_PIECES = [
  ...PIECES,
  'C:',
  'c:',
  'D:',
  '\\',
  '/c',
  '. ',
  '\\\\srv\\share',
  'SRC',
  'Secrets',
  ':s',
  'NUL',
];
export const soupOf = (pieces: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));

const someNames = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 });
const linkTarget = fc
  .tuple(fc.constantFrom('/', '../', '../../', ''), fc.array(fc.constantFrom('..', ...NAMES), { maxLength: 3 }))
  .map(([start, names]) => `${start}${names.join('/')}`)
  .filter((link) => link !== '');
export const treeAt = (root: string): fc.Arbitrary<Record<string, FakeEntry>> =>
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

export const POSIX_PLACE: ScopeContext = {
  folders: [{ name: 'ws', path: '/ws' }],
  userHome: '/home/me',
  bases: ['/ws'],
};
export const WINDOWS_PLACE: ScopeContext = {
  folders: [{ name: 'ws', path: 'C:\\ws' }],
  userHome: 'C:\\Users\\me',
  bases: ['C:\\ws'],
};

/** The real path as targets write it. `undefined` if unknown. */
export async function realPath(path: string, files: FileNames): Promise<string | undefined> {
  const real = await files.real(path, NO_CANCELLATION);
  if (real.kind === 'unknown') return undefined;
  const slashed = real.path.normalize('NFC').replaceAll('\\', '/');
  return files.style === 'posix'
    ? real.path.normalize('NFC')
    : slashed.replace(/^[A-Z]:/, (drive) => drive.toLowerCase()).replace(/(?<=[^:])\/$/, '');
}
