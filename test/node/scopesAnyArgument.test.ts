import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { createFileNames } from '../../src/node/names/fileNames.ts';
import { dose } from '../support/dose.ts';
import { carried, spellingOf } from '../unit/core/scopes/paths/anyArgumentArbitraries.ts';
import { decider } from '../unit/core/scopes/paths/verdicts.ts';

/** Like `anyArgumentProperties.test.ts`, with real folders, files and links. */
suite('Any argument of any name, before a real folder', function () {
  this.timeout(dose(200_000, 1_200_000));
  let root: string;

  setup(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'mcpl-any-')));
    for (const folder of ['ws/src', 'ws/secrets/deep', 'out']) mkdirSync(join(root, folder), { recursive: true });
    for (const file of ['ws/src/a.ts', 'ws/secrets/deep/key.pem', 'ws/.env', 'out/x'])
      writeFileSync(join(root, file), '');
    symlinkSync('secrets', join(root, 'ws/alias'));
    symlinkSync('../secrets/deep', join(root, 'ws/src/up'));
    symlinkSync(join(root, 'out'), join(root, 'ws/away'));
  });

  teardown(() => rmSync(root, { recursive: true }));

  test('that names a denied file is never sent, and one that leads out is at least asked about', async () => {
    const ws = join(root, 'ws');
    const place = { folders: [{ name: 'ws', path: ws }], userHome: root, bases: [ws] };
    const lists = { whitelist: ['${workspaceFolder}/**'], blacklist: [`${ws}/secrets/**`, '**/.env'] };
    const decide = decider(createFileNames(), place, lists);
    const inside = ['secrets/deep/key.pem', 'secrets', '.env', 'src/../secrets/new'];
    const links = ['alias/deep/key.pem', 'src/up/key.pem', 'away/../ws/secrets/deep/key.pem'];
    const denied = spellingOf(fc.constantFrom(...inside, ...inside.map((path) => join(ws, path))));
    // Globs and other letters do not name a link.
    const linked = spellingOf(fc.constantFrom(...links)).filter(
      ({ how }) => !/\b(?:wide|one|class|brace|upper),/.test(how.join(' ')),
    );
    const outside = spellingOf(fc.constantFrom(join(root, 'out/x'), '../out/x', 'src/../../out')).filter(
      ({ how }) => !/not|backslash/.test(how.join(' ')),
    );
    const runs = dose(1_000, 20_000);
    await fc.assert(
      fc.asyncProperty(carried(fc.oneof(denied, linked)), async ({ args, schema, how }) => {
        assert.match(await decide.call(args, schema), /^deny/, how.join(' '));
      }),
      { numRuns: runs },
    );
    await fc.assert(
      fc.asyncProperty(carried(outside), async ({ args, schema, how }) => {
        assert.match(await decide.call(args, schema), /^(?:ask|deny)/, how.join(' '));
      }),
      { numRuns: runs },
    );
  });
});
