import assert from 'node:assert/strict';
import { win32 } from 'node:path';
import fc from 'fast-check';
import { NO_CANCELLATION } from '../../../../../src/core/base/cancellation.ts';
import type { FileNames } from '../../../../../src/core/ports.ts';
import type { ComputedTarget, ScopeContext } from '../../../../../src/core/scopes/paths/computed.ts';
import { targetsOfClaim } from '../../../../../src/core/scopes/paths/targets.ts';
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
  WINDOWS_PIECES,
  WINDOWS_PLACE,
  WINDOWS_STEPS,
} from './spellingArbitraries.ts';

/** The target of the payload, or `undefined` if it can never be allowed. */
async function targetOf(text: string, files: FileNames, place: ScopeContext): Promise<ComputedTarget | undefined> {
  const claim = { label: './x', payload: { path: text } };
  const { targets, refusal } = await targetsOfClaim(claim, place, files, NO_CANCELLATION);
  const found = targets.find(({ from }) => from === '/payload/path');
  assert.equal(found === undefined, refusal !== undefined);
  return found;
}

const NO_WINDOWS_FILE = /[<>"|?*]|(?<=..):|\/(?:nul(?=[./ ]|$)|[. ]+(?=\/|$))/i;

/**
 * The opened path must be among the target's forms. If it is no path, or only reachable by a careless program, it must
 * be among the denying ones.
 */
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

const RUNS = dose(1_000, 30_000);

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
    assert.ok(judged > RUNS / 2, `only ${judged} were judged at all`);
  }).timeout(200_000);

  test('is so on Windows, where what is no plain path of a file is refused', async () => {
    let judged = 0;
    await fc.assert(
      fc.asyncProperty(treeAt('C:/'), soupOf(WINDOWS_PIECES), programOf(WINDOWS_STEPS), async (tree, text, names) => {
        const files = fakeFiles({ 'C:/ws': 'folder', ...tree }, { style: 'windows' });
        const target = await targetOf(text, files, WINDOWS_PLACE);
        if (target === undefined) return;
        const opened = await realPath(win32.resolve('C:\\ws', readBy(names, WINDOWS_STEPS, text)), files);
        // Texts that begin like a name and cannot be a file there.
        if (opened === undefined || NO_WINDOWS_FILE.test(opened)) return;
        judged++;
        assertJudged(target, opened, text, names);
      }),
      { numRuns: RUNS },
    );
    assert.ok(judged > RUNS / 5, `only ${judged} were judged at all`);
  }).timeout(200_000);

  test('has absolute forms without dots, ends or doubles', async () => {
    const check = async (text: string, files: FileNames, place: ScopeContext, form: RegExp): Promise<void> => {
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
      { numRuns: dose(700, 30_000) },
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
