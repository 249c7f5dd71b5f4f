import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Overlay, runNode } from './overlay.ts';

const TSC = 'node_modules/typescript/bin/tsc';

/** Code that the core's compiler settings must reject: one file each, and the word that its error names. */
const AMBIENT: readonly (readonly [name: string, text: string, named: string])[] = [
  ['a timer', 'export const timer = setTimeout(() => undefined, 1);', "'setTimeout'"],
  ['the process', 'export const pid = process.pid;', "'process'"],
  ['a buffer', "export const buffer = Buffer.from('');", "'Buffer'"],
  ['the network', "export const answer = fetch('http://127.0.0.1');", "'fetch'"],
  ['the console', "console.log('');", "'console'"],
  ['randomness of the platform', 'export const id = crypto.randomUUID();', "'crypto'"],
  ['a module of Node', "import { readFileSync } from 'node:fs';\nexport { readFileSync };", "'node:fs'"],
  ['the editor', "import * as vscode from 'vscode';\nexport const version = vscode.version;", "'version'"],
  ['a type of the editor', "import type { Uri } from 'vscode';\nexport type Place = Uri;", "'Uri'"],
];

suite('The core cannot name', function () {
  this.timeout(60_000);
  let overlay: Overlay;
  let lines: readonly string[] = [];

  suiteSetup(async () => {
    overlay = await Overlay.create(['src/core', 'src/package.json', 'package.json', 'tsconfig.json']);
    for (const [index, [, text]] of AMBIENT.entries()) await overlay.append(`src/core/mutation${index}.ts`, text);
    lines = (await overlay.run(TSC, '-p', 'src/core', '--pretty', 'false')).stdout.split('\n');
  });
  suiteTeardown(() => overlay.dispose());

  for (const [index, [name, , named]] of AMBIENT.entries()) {
    test(name, () => {
      const errors = lines.filter((line) => line.startsWith(`src/core/mutation${index}.ts`));
      assert.ok(
        errors.some((line) => line.includes(named)),
        errors.join('\n') || 'It compiles.',
      );
    });
  }
});

suite('The bundle of the core for no platform', function () {
  this.timeout(60_000);

  const bundleWith = async (text: string): Promise<{ readonly passes: boolean; readonly said: string }> => {
    const overlay = await Overlay.create([
      'src/core',
      'src/package.json',
      'package.json',
      'tsconfig.json',
      'esbuild.mjs',
      'bundles.cjs',
    ]);
    try {
      await overlay.append('src/core/base/json.ts', text);
      const { code, stdout, stderr } = await runNode(join(overlay.root, 'esbuild.mjs'), ['--core'], overlay.root);
      return { passes: code === 0, said: stdout + stderr };
    } finally {
      await overlay.dispose();
    }
  };

  test('is made of the core as it is', async () => {
    const { passes, said } = await bundleWith('');
    assert.ok(passes, said);
  });

  for (const name of ['vscode', 'node:fs', 'cross-spawn']) {
    test(`breaks with an import of ${name}`, async () => {
      const { passes, said } = await bundleWith(
        `import * as mutant from '${name}';\nexport const leak = Object.keys(mutant);`,
      );
      assert.equal(passes, false);
      assert.match(said, /Could not resolve "(vscode|node:fs|child_process|path|fs)"/);
    });
  }
});
