import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type Outcome, Overlay, runNode } from './overlay.ts';

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

/** What the stage `lint` must refuse elsewhere, and a part of what it says. */
const REFUSED: readonly (readonly [name: string, path: string, text: string, said: string])[] = [
  ['a wrong type in a page', 'src/webview/wrong.ts', 'export const wrong: number = document.title;', 'error TS2322'],
  ['a module of Node in a page', 'src/webview/node.ts', "export * from 'node:fs';", 'error TS2591'],
  ['a wrong type in a test', 'test/unit/wrong.ts', "export const wrong: number = 'text';", 'error TS2322'],
  ['a type that is refused with the files of Node', 'src/node/wrong.ts', 'process.exit({});', 'error TS2345'],
];

const LATER = 'declare const later: () => Promise<void>;\nlater();\nexport {};';
const BROKEN_RULES = ['src/core/later.ts', 'src/webview/later.ts', 'test/unit/later.ts'];

/** The settings of the compiler and of the rules alone: it would take seconds for all sources. */
const CHECK = 'test/harness/checkSources.ts';
const SETTINGS = [
  ...['package.json', 'src/package.json', 'tsconfig.json', 'eslint.config.mjs'],
  ...['src/core/tsconfig.json', 'src/core/globals.d.ts', 'src/core/noVscode.d.ts', 'src/webview/tsconfig.json'],
  ...[CHECK, 'test/harness/paths.ts'],
];

suite('The check of the sources', function () {
  this.timeout(60_000);
  let overlay: Overlay;
  let outcome: Outcome = { code: 0, stdout: '', stderr: '' };

  suiteSetup(async () => {
    overlay = await Overlay.create(SETTINGS);
    for (const [index, [, text]] of AMBIENT.entries()) await overlay.append(`src/core/mutation${index}.ts`, text);
    for (const [, path, text] of REFUSED) await overlay.append(path, text);
    for (const path of BROKEN_RULES) await overlay.append(path, LATER);
    outcome = await runNode(join(overlay.root, CHECK), ['--types', '--lint', ...BROKEN_RULES], overlay.root);
  });
  suiteTeardown(() => overlay.dispose());

  const errorsOf = (path: string): string =>
    outcome.stdout
      .split('\n')
      .filter((line) => line.startsWith(`${path}(`))
      .join('\n');

  for (const [index, [name, , named]] of AMBIENT.entries()) {
    test(`refuses ${name} in the core`, () => {
      const errors = errorsOf(`src/core/mutation${index}.ts`);
      assert.ok(errors.includes(named), errors || outcome.stderr || 'It compiles.');
    });
  }

  for (const [name, path, , said] of REFUSED) {
    test(`refuses ${name}`, () => {
      const errors = errorsOf(path);
      assert.ok(errors.includes(said), errors || outcome.stderr || 'It compiles.');
    });
  }

  test('applies the rules that look at types in each project', () => {
    const found = outcome.stdout.split('\n').filter((line) => line.includes('@typescript-eslint/no-floating-promises'));
    assert.equal(found.length, BROKEN_RULES.length, outcome.stdout + outcome.stderr);
  });

  test('fails', () => assert.equal(outcome.code, 1));
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
