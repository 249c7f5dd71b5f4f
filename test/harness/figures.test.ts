import assert from 'node:assert/strict';
import {
  exportUses,
  folderSizes,
  limitNames,
  median,
  readModule,
  readModules,
  repeatedExports,
  repeatedFileNames,
  repeatedInCircle,
  smallFiles,
  spreadOf,
} from './sourceFigures.ts';

const modulesOf = (files: Readonly<Record<string, string>>) => readModules(new Map(Object.entries(files)));

const none: ReadonlySet<string> = new Set();

suite('The figures of the sources', () => {
  test('read imports, exports and assertions of a file', () => {
    const text = `
      import type { A, B as Bee } from './a.ts';
      import * as whole from '../whole.ts';
      import { window } from 'vscode';
      export { Bee };
      export * from './all.ts';
      export { one as two } from './one.ts';
      export const { x, y: [z] } = whole, w = 1 as const;
      export type T = import('./t.ts').T.Inner;
      export async function f() {
        const { late } = await import('./late.ts');
        return (await import('./member.ts')).member as T;
      }
      export default class {}
      import('./then.ts').then(({ one }) => one);
      void import('./unknown.ts');
      const local = 1;
      export { local as known };`;
    const { imports, packages, declared, reexports, assertions } = readModule('src/core/file.ts', text);
    assert.deepEqual(
      imports.map(({ path, names, isLate }) => `${path} ${names.join(' ')}${isLate ? ' late' : ''}`),
      [
        'src/core/a.ts A B',
        'src/whole.ts *',
        'src/core/all.ts ',
        'src/core/one.ts ',
        'src/core/t.ts T',
        'src/core/late.ts late late',
        'src/core/member.ts member late',
        'src/core/then.ts one late',
        'src/core/unknown.ts * late',
      ],
    );
    assert.deepEqual([...packages], ['vscode']);
    assert.deepEqual(declared, ['x', 'z', 'w', 'T', 'f', 'default', 'known']);
    assert.deepEqual(
      reexports.map(({ path, name, original }) => `${name} is ${original} of ${path}`),
      ['Bee is B of src/core/a.ts', '* is * of src/core/all.ts', 'two is one of src/core/one.ts'],
    );
    assert.equal(assertions, 1);
  });

  test('find exports without a user, also through files that pass them on', () => {
    const modules = modulesOf({
      'src/core/a.ts': 'export const used = 1; export const tested = 1; export const lost = 1; export const whole = 1;',
      'src/core/b.ts': 'export const late = 1; export const idle = 1;',
      'src/core/index.ts': "export { used as renamed } from './a.ts'; export * from './b.ts';",
      'src/core/bundle.ts': 'export const loaded = 1;',
      'src/node/user.ts': "import { renamed } from '../core/index.ts'; (await import('../core/index.ts')).late;",
      'test/unit/a.test.ts': "import { tested } from '../../src/core/a.ts';",
    });
    const { exports, once, byTests, unused } = exportUses(modules, new Set(['src/core/bundle.ts']));
    assert.deepEqual([exports, once], [7, 4]);
    assert.deepEqual(byTests, ['src/core/a.ts tested']);
    assert.deepEqual(unused, ['src/core/a.ts lost', 'src/core/a.ts whole', 'src/core/b.ts idle']);
  });

  test('give the reasons of a small file with one importer', () => {
    const names = ['plain', 'tested', 'named', 'bundle', 'late', 'border', 'shared', 'long'];
    const imports = names.filter((name) => name !== 'late').map((name) => `import './${name}.ts';`);
    const modules = modulesOf({
      ...Object.fromEntries(names.map((name) => [`src/editor/a/${name}.ts`, "import 'vscode';\n"])),
      'src/editor/a/border.ts': '',
      'src/editor/a/long.ts': '\n'.repeat(80),
      'src/editor/a/a.ts': `import 'vscode';\n${imports.join('\n')}\nimport('./late.ts');`,
      'src/editor/a/other.ts': "import './shared.ts';",
      'src/editor/b/b.ts': "import '../a/a.ts'; import '../a/other.ts'",
      'test/unit/x.test.ts': "import '../../src/editor/a/tested.ts';",
      'test/unit/named.test.ts': '',
    });
    const { all, unexplained } = smallFiles(modules, new Set(['src/editor/a/bundle.ts']));
    assert.deepEqual(
      all,
      ['plain', 'tested', 'named', 'bundle', 'late', 'border'].map((name) => `src/editor/a/${name}.ts`),
    );
    assert.deepEqual(unexplained, ['src/editor/a/plain.ts']);
    assert.equal(smallFiles(modules, none).unexplained.length, 2);
  });

  test('count folders apart from their subfolders, and take the upper median', () => {
    assert.deepEqual(folderSizes(['src/a/1.ts', 'src/b/1.ts', 'src/b/c/1.ts', 'src/b/2.ts']), [
      ['src/b', 2],
      ['src/a', 1],
      ['src/b/c', 1],
    ]);
    assert.deepEqual([median([]), median([3, 1, 2]), median([4, 1, 2, 3])], [0, 2, 3]);
  });

  test('find repeated names of files and exports', () => {
    const paths = ['src/a/one.ts', 'src/b/one.ts', 'src/a/index.ts', 'src/b/index.ts', 'src/b/two.ts'];
    assert.deepEqual([...repeatedFileNames(paths)], [['one.ts', ['src/a/one.ts', 'src/b/one.ts']]]);
    const modules = modulesOf({
      'src/a/one.ts': 'export const same = 1; export type Near = 1;',
      'src/a/two.ts': 'export type Near = 2;',
      'src/b/one.ts': "export const same = 2; export { Near } from '../a/one.ts';",
    });
    assert.deepEqual([...repeatedExports(modules).keys()], ['same', 'Near']);
    assert.deepEqual([...repeatedInCircle(modules)], [['Near in a', ['src/a/one.ts', 'src/a/two.ts']]]);
  });

  test('list the folders of a concept by circle', () => {
    const paths = [
      'src/core/states/stateHost.ts',
      'src/core/wire/mcpl/states.ts',
      'src/core/model/lineage.ts',
      'src/node/store/states/heads.ts',
      'src/node/process/stateless.ts',
    ];
    const { files, folders } = spreadOf(paths, /^(states?|lineage)$/);
    assert.equal(files, 4);
    assert.deepEqual(
      [...folders],
      [
        ['core', ['src/core/model', 'src/core/states']],
        ['wire', ['src/core/wire/mcpl']],
        ['store', ['src/node/store/states']],
      ],
    );
  });

  test('read constants by their first word', () => {
    const text = 'const MAX_A = 1;\nstatic readonly MOST_B = MAX_A;\nexport const LONGEST_C = 2;\n';
    assert.deepEqual(limitNames(new Map([['src/a.ts', text]])), { max: 1, others: 2 });
  });
});
