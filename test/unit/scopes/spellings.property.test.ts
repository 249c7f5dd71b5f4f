import assert from 'node:assert/strict';
import { posix, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { NO_CANCELLATION } from '../../../src/core/base/cancellation.ts';
import type { ComputedScope, ScopePlace } from '../../../src/core/scopes/computed.ts';
import { targetsOfClaim } from '../../../src/core/scopes/targets.ts';
import { type FakeEntry, type FakeFiles, fakeFiles } from './fakeFiles.ts';

/** How a program reads the text of a path before it opens what it reads. */
type Step = (text: string) => string;

const or = (text: string, step: () => string): string => {
  try {
    return step();
  } catch {
    return text;
  }
};

const STEPS = {
  decode: (text) => or(text, () => decodeURIComponent(text)),
  trim: (text) => text.trim(),
  unquote: (text) => text.replace(/^["']|["']$/g, ''),
  compose: (text) => text.normalize('NFC'),
  slash: (text) => text.replaceAll('\\', '/'),
  home: (text) => (text.startsWith('~/') || text === '~' ? `/home/me${text.slice(1)}` : text),
  line: (text) => text.replace(/:\d+(:\d+)?$/, ''),
  strip: (text) => text.replace(/^file:\/\//, ''),
} satisfies Record<string, Step>;

const isUri = (text: string): boolean => /^file:/i.test(text);

const POSIX_STEPS: Record<string, Step> = {
  ...STEPS,
  resolve: (text) => (isUri(text) ? text : posix.resolve('/ws', text)),
  normalize: (text) => (isUri(text) ? text : posix.normalize(text)),
  url: (text) => (isUri(text) ? or(text, () => fileURLToPath(text, { windows: false })) : text),
};

const place: ScopePlace = { folders: [{ name: 'ws', path: '/ws' }], userHome: '/home/me', bases: ['/ws'] };
const TREE: Record<string, FakeEntry> = {
  '/ws/src/deep/a.ts': 'file',
  '/ws/secrets/k': 'file',
  '/ws/link': { link: '/etc/deep' },
  '/ws/src/up': { link: '../..' },
  '/ws/src/s': { link: '../secrets' },
  '/ws/chain': { link: 'src/up/ws/link' },
  '/ws/\u00e9': { link: '/etc' },
  '/ws/e\u0301': { link: '/home' },
  '/ws/%2e%2e': 'folder',
  '/ws/a b': { link: 'secrets' },
  '/etc/deep/x': 'file',
  '/home/me/secrets/k': 'file',
};

const PIECES = [
  ...['/', '/', '/', '..', '..', '.', '\\', '~', ' ', '"', ':1', '#', '?', '%', 'file:', 'file://', 'localhost', '//'],
  ...['ws', 'src', 'deep', 'secrets', 'k', 'link', 'up', 's', 'chain', 'etc', 'home', 'me', 'a b', '\u00e9', 'e\u0301'],
  ...['%2e', '%2E', '%2f', '%5c', '%252e', '%252f', '%25', '%73', '%2573', '%7e', '%20', '%c3%a9', 'nope', '*', '@'],
];
const soup = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''));
const program = (steps: Record<string, Step>): fc.Arbitrary<readonly string[]> =>
  fc.array(fc.constantFrom(...Object.keys(steps)), { maxLength: 6 }).filter(
    (names) => names.filter((name) => name === 'decode' || name === 'url').length <= 3,
  );

async function opened(files: FakeFiles, text: string, base: string): Promise<string | undefined> {
  const path = text.startsWith('/') ? text : `${base}/${text}`;
  const real = await files.real(path, NO_CANCELLATION);
  return real.kind === 'real' ? real.path.normalize('NFC') : undefined;
}

async function computed(text: string, files: FakeFiles, at: ScopePlace): Promise<ComputedScope> {
  return targetsOfClaim({ label: './x', payload: { path: text } }, at, files, NO_CANCELLATION);
}

/** Every form, or with `shadows` what may deny too; everything where nobody may allow it. */
function covers({ targets, refusal }: ComputedScope, path: string): boolean {
  return (
    refusal !== undefined ||
    targets.some(({ from, forms, shadows }) => from === '/payload/path' && [...forms, ...shadows].includes(path))
  );
}

suite('Any spelling of a path', () => {
  test('is judged by what any program would open that is given it', async () => {
    let refusals = 0;
    await fc.assert(
      fc.asyncProperty(soup, program(POSIX_STEPS), async (text, names) => {
        const files = fakeFiles(TREE);
        const scope = await computed(text, files, place);
        if (scope.refusal !== undefined) refusals++;
        const read = names.reduce((spelling, name) => POSIX_STEPS[name]?.(spelling) ?? spelling, text);
        const path = await opened(files, read, '/ws');
        if (path === undefined) return;
        assert.ok(covers(scope, path), `${text} by ${names.join(' ')} opens ${path}: ${JSON.stringify(scope)}`);
      }),
      { numRuns: Number(process.env['RUNS'] ?? 2000) },
    );
    console.log('refusals', refusals);
  });
});
