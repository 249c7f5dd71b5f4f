import assert from 'node:assert/strict';
import { Overlay } from './overlay.ts';

const ESLINT = 'node_modules/eslint/bin/eslint.js';
const ANY = 'declare const value: any;\n';
const LATER = 'declare const later: () => Promise<void>;\n';

/** A rule, the folder in which it must hold, and code that breaks it. */
const REFUSED: readonly (readonly [rule: string, folder: string, code: string])[] = [
  ['@typescript-eslint/no-floating-promises', 'src/core', `${LATER}export function run(): void {\n  later();\n}`],
  ['@typescript-eslint/no-floating-promises', 'test/unit', `${LATER}later();`],
  ['@typescript-eslint/no-floating-promises', 'src/webview', `${LATER}later();`],
  ['@typescript-eslint/no-misused-promises', 'src/node', `${LATER}export const all = [1].filter(() => later());`],
  ['@typescript-eslint/await-thenable', 'src/core', 'export async function run(): Promise<void> {\n  await 1;\n}'],
  [
    '@typescript-eslint/consistent-type-imports',
    'src/core',
    "import { type Json } from './json.ts';\nexport type A = Json;\nimport { B } from './b.ts';\nexport type C = B;",
  ],
  ['@typescript-eslint/no-explicit-any', 'src/core', 'export const value: any = 1;'],
  ['@typescript-eslint/no-explicit-any', 'test/unit', 'export const value: any = 1;'],
  ['@typescript-eslint/no-unsafe-assignment', 'src/editor', `${ANY}export const a: string = value;`],
  ['@typescript-eslint/no-unsafe-argument', 'src/editor', `${ANY}export const a = Number.parseInt(value);`],
  ['@typescript-eslint/no-unsafe-call', 'src/node', `${ANY}value();`],
  ['@typescript-eslint/no-unsafe-member-access', 'src/node', `${ANY}export const a = String(value.b);`],
  ['@typescript-eslint/no-unsafe-return', 'src/cli', `${ANY}export function a(): string {\n  return value;\n}`],
  [
    '@typescript-eslint/no-non-null-assertion',
    'src/core',
    'declare const a: string | undefined;\nexport const b = a!.length;',
  ],
  [
    '@typescript-eslint/switch-exhaustiveness-check',
    'src/core',
    "declare const kind: 'a' | 'b';\nswitch (kind) {\n  case 'a':\n    break;\n}",
  ],
  [
    '@typescript-eslint/consistent-type-assertions',
    'src/core/session',
    'declare const a: unknown;\nexport const b = a as string;',
  ],
  [
    '@typescript-eslint/consistent-type-assertions',
    'src/node',
    'declare const a: unknown;\nexport const b = a as string;',
  ],
  ['@typescript-eslint/explicit-module-boundary-types', 'src/core', 'export function a() {\n  return 1;\n}'],
  [
    '@typescript-eslint/prefer-readonly',
    'src/core',
    'export class A {\n  #b = 1;\n  c(): number {\n    return this.#b;\n  }\n}',
  ],
  ['@typescript-eslint/no-unused-vars', 'src/core', 'const unused = 1;\nexport {};'],
  [
    'complexity',
    'src/core',
    `export function f(a: number): number {\n${'  if (a > 1) a++;\n'.repeat(15)}  return a;\n}`,
  ],
  ['max-lines', 'src/core', 'export {};\n'.repeat(601)],
  ['max-lines', 'test/unit', 'export {};\n'.repeat(601)],
  ['no-restricted-exports', 'src/core', 'export default 1;'],
  ['no-warning-comments', 'src/core', `export const a = 1; // ${'TO'}${'DO'} later`],
  ['no-console', 'src/cli', "console.log('');"],
  ['eqeqeq', 'src/core', 'declare const a: unknown;\nexport const b = a == null;'],
  ['no-restricted-properties', 'src/core', 'export const now = Date.now();'],
  ['no-restricted-properties', 'src/core', 'export const chance = Math.random();'],
  ['no-restricted-properties', 'test/unit', `test.${'only'}('one', () => undefined);`],
  ['no-restricted-syntax', 'src/core', 'export const now = new Date();'],
  [
    'no-restricted-syntax',
    'src/editor/chat',
    "import * as vscode from 'vscode';\nvoid vscode.window.showErrorMessage('No');",
  ],
  [
    'no-restricted-syntax',
    'src/editor',
    "import { window } from 'vscode';\nexport const { showInformationMessage: tell } = window;",
  ],
  ['no-restricted-globals', 'src/core', 'setTimeout(() => undefined, 1);'],
  ['no-restricted-globals', 'src/core', 'export const pid = process.pid;'],
  ['no-restricted-globals', 'src/core', "export const answer = fetch('x');"],
  ['no-restricted-imports', 'src/core', "import * as vscode from 'vscode';\nexport const v = vscode.version;"],
  ['no-restricted-imports', 'src/core', "import type { Uri } from 'vscode';\nexport type A = Uri;"],
  ['no-restricted-imports', 'src/core', "import { sep } from 'node:path';\nexport const s = sep;"],
  ['no-restricted-imports', 'src/core/session', "import 'vscode-jsonrpc';"],
  ['no-restricted-imports', 'src/node', "import 'vscode';"],
  ['no-restricted-imports', 'src/cli', "import 'vscode';"],
  ['no-restricted-imports', 'src/webview', "import 'node:fs';"],
  ['no-restricted-imports', 'src/node', "import '../core/rpc/peer.ts';"],
  ['no-restricted-imports', 'src/editor', "import '../core/host.ts';"],
  ['no-restricted-imports', 'src/demo', "import 'vscode-jsonrpc';"],
  ['no-restricted-imports', 'test/unit', "import 'vscode';"],
];

/** Correct code that a rule with a wider pattern would reject. */
const ACCEPTED: readonly (readonly [folder: string, code: string])[] = [
  ['src/core', "export const LEVELS = ['a', 'b'] as const;"],
  ['src/core', 'export function year(at: number): number {\n  return new Date(at).getUTCFullYear();\n}'],
  ['src/core/wire', 'declare const a: unknown;\nexport const b = a as string;'],
  ['src/node', "import { sep } from 'node:path';\nimport '../core/index.ts';\nexport const s = sep;"],
  ['src/editor', "import * as vscode from 'vscode';\nexport const v = vscode.version;"],
  ['src/webview', 'export const body = document.body;\nsetTimeout(() => undefined, 1);'],
  ['test/unit', 'export const b = JSON.parse("1") as number;\nexport const c = [b][0]!;'],
];

interface FileReport {
  readonly filePath: string;
  readonly messages: readonly { readonly ruleId: string | null; readonly message: string }[];
}

suite('The linter', function () {
  this.timeout(120_000);
  let overlay: Overlay;
  const reports = new Map<string, readonly string[]>();

  const refusedFile = (index: number): string => `${REFUSED[index]![1]}/refused${index}.ts`;
  const acceptedFile = (index: number): string => `${ACCEPTED[index]![0]}/accepted${index}.ts`;

  suiteSetup(async () => {
    const configs = [
      'src/core/tsconfig.json',
      'src/core/globals.d.ts',
      'src/core/noVscode.d.ts',
      'src/webview/tsconfig.json',
    ];
    overlay = await Overlay.create(['eslint.config.mjs', 'package.json', 'tsconfig.json', ...configs]);
    for (const [index, [, , code]] of REFUSED.entries()) await overlay.append(refusedFile(index), code);
    for (const [index, [, code]] of ACCEPTED.entries()) await overlay.append(acceptedFile(index), code);
    await overlay.append(
      'src/core/disabled.ts',
      `/* ${'eslint'}-disable eqeqeq */\nexport const same = (1 as number) == 2;`,
    );
    await overlay.append('src/core/rpc/inboundRequests.ts', "import 'vscode-jsonrpc';");
    await overlay.append(
      'src/editor/shared/notify.ts',
      "import * as vscode from 'vscode';\nvoid vscode.window.showWarningMessage('');",
    );
    await overlay.append('tool.config.mjs', 'export default {};');
    await overlay.append('tool.mjs', `const unused = 1; // ${'FIX'}${'ME'}`);
    await overlay.append('src/core/index.ts', 'export {};');
    const { stdout, stderr } = await overlay.run(ESLINT, '--format', 'json', '.');
    assert.notEqual(stdout, '', stderr);
    for (const { filePath, messages } of JSON.parse(stdout) as readonly FileReport[]) {
      const path = filePath.slice(overlay.root.length + 1).replaceAll('\\', '/');
      reports.set(
        path,
        messages.map(({ ruleId, message }) => ruleId ?? message),
      );
    }
  });
  suiteTeardown(() => overlay.dispose());

  for (const [index, [rule, folder, code]] of REFUSED.entries()) {
    test(`refuses ${JSON.stringify(code.slice(0, 60))} in ${folder} by ${rule}`, () => {
      const said = reports.get(refusedFile(index));
      assert.ok(said?.includes(rule), `It said ${JSON.stringify(said)}.`);
    });
  }

  for (const [index, [folder, code]] of ACCEPTED.entries()) {
    test(`accepts ${JSON.stringify(code.slice(0, 60))} in ${folder}`, () => {
      assert.deepEqual(reports.get(acceptedFile(index)), []);
    });
  }

  test('cannot be switched off by a comment', () => {
    const said = reports.get('src/core/disabled.ts') ?? [];
    assert.ok(said.includes('eqeqeq'), JSON.stringify(said));
  });

  test('lets one file of the core know vscode-jsonrpc', () => {
    assert.deepEqual(reports.get('src/core/rpc/inboundRequests.ts'), []);
  });

  test('lets one file show notifications', () => {
    assert.deepEqual(reports.get('src/editor/shared/notify.ts'), []);
  });

  test('sees scripts too, and lets configuration be a default export', () => {
    assert.deepEqual(
      { config: reports.get('tool.config.mjs'), script: [...(reports.get('tool.mjs') ?? [])].sort() },
      { config: [], script: ['no-unused-vars', 'no-warning-comments'] },
    );
  });
});
