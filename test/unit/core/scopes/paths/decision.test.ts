import assert from 'node:assert/strict';
import fc from 'fast-check';
import { NO_CANCELLATION } from '../../../../../src/core/base/cancellation.ts';
import type { FileNames } from '../../../../../src/core/ports.ts';
import { compileLists } from '../../../../../src/core/scopes/paths/lists.ts';
import { realFoldersOf } from '../../../../../src/core/scopes/paths/realNames.ts';
import { ScopeEngine } from '../../../../../src/core/scopes/paths/scopeEngine.ts';
import { fakeFiles } from '../../../../support/fakeFiles.ts';
import { dose } from '../../../../support/dose.ts';
import {
  PIECES,
  POSIX_PLACE,
  POSIX_STEPS,
  programOf,
  readBy,
  realPath,
  soupOf,
  treeAt,
} from './spellingArbitraries.ts';

const RUNS = dose(1_000, 30_000);
const DENIED = ['/etc', '/ws/secrets', '/ws/src/deep'];

interface Lists {
  readonly whitelist: readonly string[];
  readonly blacklist: readonly string[];
}

/** The decision about a text as a label, in a payload and in a call: the most permissive one. */
async function verdictOf(text: string, files: FileNames, { whitelist, blacklist }: Lists): Promise<string> {
  const engine = new ScopeEngine(files);
  const settings = { lists: { files: { whitelist, blacklist, isBroken: false } }, adapters: {} };
  const common = { featureSet: 'files', settings, context: POSIX_PLACE };
  const tool = { name: 'write', inputSchema: {}, raw: {}, icons: [] } as never;
  const matters = [
    // A blank label names nothing, so the user is asked about an unknown target.
    ...(text.trim() === '' ? [] : [{ kind: 'elevate', claim: { label: text, payload: undefined } } as const]),
    { kind: 'elevate', claim: { label: text === '' ? '.' : text, payload: { path: text } } } as const,
    { kind: 'call', tool, args: { path: text }, adapter: ['$.path'] } as const,
  ];
  const judged = await Promise.all(matters.map((matter) => engine.judge({ ...common, matter }, NO_CANCELLATION)));
  const verdicts = judged.map(({ verdict }) => verdict);
  return verdicts.includes('allow') ? 'allow' : verdicts.includes('ask') ? 'ask' : 'deny';
}

const tree = treeAt('/');
const filesOf = (entries: Parameters<typeof fakeFiles>[0]): FileNames =>
  fakeFiles({ '/ws': 'folder', '/ws/link': { link: '/etc/deep' }, '/ws/src/deep': 'folder', ...entries });
/** Mostly paths towards a denied one. */
const near = fc
  .tuple(
    fc.constantFrom('', 'secrets', '/ws/%73ecrets', 'src/./deep', '/etc', 'link', '..%2fetc', 'file:///etc', '\\etc'),
    fc.oneof(fc.constant(''), soupOf(PIECES)),
  )
  .map(([start, rest]) => `${start}${rest}`);
const isThere = async (path: string, files: FileNames): Promise<boolean> => {
  const real = await files.real(path, NO_CANCELLATION);
  return real.kind === 'real' && real.exists;
};
const isIn = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);

suite('The decision on any spelling', () => {
  test('is never to allow what leads into a folder that is denied, or to it', async () => {
    let denied = 0;
    const everything = { whitelist: ['/**', '**', '*'], blacklist: DENIED };
    await fc.assert(
      fc.asyncProperty(tree, near, programOf(POSIX_STEPS), async (entries, text, names) => {
        const files = filesOf(entries);
        const read = readBy(names, POSIX_STEPS, text);
        const opened = await realPath(read.startsWith('/') ? read : `/ws/${read}`, files);
        if (opened === undefined || !DENIED.some((folder) => isIn(folder, opened))) return;
        denied++;
        assert.equal(await verdictOf(text, files, everything), 'deny', `${text} by ${names.join(' ')} opens ${opened}`);
      }),
      { numRuns: RUNS * 2 },
    );
    assert.ok(denied > RUNS / 15, `only ${denied} led there at all`);
  }).timeout(200_000);

  test('is never more generous than that on the real path', async () => {
    let compared = 0;
    const some = fc.subarray(['/ws/src/**', '/ws/*', '**/k', '/home/**', '/ws/link/**', 'src/**', '**/me/**']);
    const others = fc.subarray(['**/secrets', '/ws/src/deep/**', '/home/me', '**/e*']);
    await fc.assert(
      fc.asyncProperty(tree, soupOf(PIECES), programOf(POSIX_STEPS), some, others, async (...given) => {
        const [entries, text, names, whitelist, blacklist] = given;
        const files = filesOf(entries);
        const read = readBy(names, POSIX_STEPS, text);
        const opened = await realPath(read.startsWith('/') ? read : `/ws/${read}`, files);
        // A URI is no file name, unless such a file exists.
        if (opened === undefined || (opened.includes('file:') && !(await isThere(opened, files)))) return;
        const verdict = await verdictOf(text, files, { whitelist, blacklist });
        if (verdict === 'deny') return;
        compared++;
        const { folders: realPlace } = await realFoldersOf(POSIX_PLACE, files, NO_CANCELLATION);
        const lists = compileLists({ whitelist, blacklist, isBroken: false }, POSIX_PLACE, false, realPlace);
        const real = lists.judge({ kind: 'path', forms: [opened], shadows: [] });
        const isNoMore = real !== 'denied' && (verdict === 'ask' || real === 'allowed');
        assert.ok(isNoMore, `${text} by ${names.join(' ')} opens ${opened}: ${verdict}, which is ${real}`);
      }),
      { numRuns: RUNS },
    );
    assert.ok(compared > RUNS / 6, `only ${compared} were compared at all`);
  }).timeout(200_000);
});
