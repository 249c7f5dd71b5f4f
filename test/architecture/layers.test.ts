import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import type { ICruiseResult } from 'dependency-cruiser';
import { bundleStarts } from '../harness/bundles.ts';
import { folderMutations, MADE_BY_HAND, type Mutation, MUTATIONS } from './mutations.ts';
import { type Outcome, Overlay, ROOT, runNode } from './overlay.ts';

interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string };
}
const { forbidden: RULES } = createRequire(import.meta.url)(join(ROOT, '.dependency-cruiser.cjs')) as {
  readonly forbidden: readonly Rule[];
};
const CIRCLES = createRequire(import.meta.url)(join(ROOT, '.dependency-cruiser.folders.cjs')) as Parameters<
  typeof folderMutations
>[0];
const OF_FOLDERS = folderMutations(CIRCLES);
const CRUISER = 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs';
const CRUISE = ['src', '--output-type', 'json'] as const;

const resultOf = ({ stdout, stderr }: Outcome): ICruiseResult => {
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout) as ICruiseResult;
};

const violationsOf = ({ summary }: ICruiseResult): readonly string[] =>
  summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);

interface Plan {
  readonly mutation: Mutation;
  readonly file: string;
  readonly text: string;
  /** The imported file, or a part of the path to a package. */
  readonly target: string;
}

const inFolder = (path: string, file: string): string => posix.join('src', path.endsWith('/') ? path + file : path);

const plan = (mutation: Mutation, index: number, newFile = `mutation${index}.ts`): Plan => {
  const file = inFolder(mutation.from, newFile);
  const isOwn = /^[a-z/]+(\/|\.ts)$/i.test(mutation.to);
  const target = isOwn ? inFolder(mutation.to, 'target.ts') : mutation.to.replace(/^node:/, '');
  const path = posix.relative(posix.dirname(file), target);
  const specifier = isOwn ? (path.startsWith('.') ? path : `./${path}`) : mutation.to;
  const name = `mutant${index}`;
  const text =
    mutation.kind === 'type'
      ? `import type * as ${name} from '${specifier}';\nexport type Of${name} = typeof ${name};`
      : `import * as ${name} from '${specifier}';\nvoid ${name};`;
  return { mutation, file, text, target };
};

suite('The layers', function () {
  this.timeout(60_000);
  let result: ICruiseResult;

  suiteSetup(async () => {
    result = resultOf(await runNode(join(ROOT, CRUISER), CRUISE, ROOT));
  });

  test('are kept by every import of the sources', () => {
    assert.deepEqual(violationsOf(result), []);
    assert.ok(result.summary.totalCruised > 50, 'The cruise saw hardly any file.');
  });

  test('are guarded by rules whose places exist', () => {
    const idle = RULES.filter(({ from }) => {
      const place = new RegExp(from.path ?? '');
      return !result.modules.some(({ source }) => place.test(source));
    });
    assert.deepEqual(
      idle.map(({ name }) => name),
      [],
    );
  });

  test('have a row for each folder and for each file beside them', () => {
    const circles = Object.entries(CIRCLES).flatMap(([circle, folders]) =>
      Object.keys(folders).map((part) => `src/${circle}/${part}`),
    );
    const missing = result.modules
      .map(({ source }) => source)
      .filter((source) => /^src\/(core|editor|node|webview)\//.test(source) && !source.endsWith('.d.ts'))
      .filter((source) => source !== 'src/core/index.ts' && !circles.some((part) => source.startsWith(part)));
    assert.deepEqual(missing, []);
  });

  test('have their dead files judged from where the bundles begin', () => {
    const starts = new RegExp(RULES.find(({ name }) => name === 'no-orphans')!.from.path!);
    const judged = result.modules.map(({ source }) => source).filter((source) => starts.test(source));
    assert.deepEqual(judged.sort(), [...bundleStarts].sort());
  });

  test('are guarded by rules that each have a mutation', () => {
    const tried = new Set<string>([...MADE_BY_HAND, ...OF_FOLDERS.keys(), ...MUTATIONS.map(({ rule }) => rule)]);
    assert.deepEqual([...tried].sort(), RULES.map(({ name }) => name).sort());
  });
});

suite('A forbidden import', function () {
  this.timeout(60_000);
  const plans = MUTATIONS.map((mutation, index) => plan(mutation, index));
  // A folder has one file with all its imports: a thousand files would take seconds to read.
  const ofFolders = [...OF_FOLDERS.values()]
    .flat()
    .map((mutation, index) => plan(mutation, plans.length + index, 'mutations.ts'));
  let fired: readonly string[] = [];
  let overlay: Overlay;

  // One cruise checks all of them: a violation names its rule and both files, so none hides another.
  suiteSetup(async () => {
    overlay = await Overlay.create();
    const targets = new Set(
      [...plans, ...ofFolders].map(({ target }) => target).filter((target) => target.endsWith('/target.ts')),
    );
    for (const target of targets) await overlay.append(target, 'export const target = 1;');
    for (const { file, text } of [...plans, ...ofFolders]) await overlay.append(file, text);
    await overlay.append('src/core/base/circleA.ts', "import './circleB.ts';\nexport const a = 1;");
    await overlay.append('src/core/base/circleB.ts', "import './circleA.ts';\nexport const b = 1;");
    await overlay.append('src/core/model/unreached.ts', 'export const unreached = 1;');
    fired = violationsOf(resultOf(await overlay.run(CRUISER, ...CRUISE)));
  });
  suiteTeardown(() => overlay.dispose());

  const hasFired = (rule: string, from: string, target: string): boolean => {
    const start = `${rule}: ${from} -> `;
    return fired.some((line) => line.startsWith(start) && line.slice(start.length).includes(target));
  };

  const assertFired = (rule: string, from: string, target: string): void => {
    const start = `${rule}: ${from} -> `;
    const found = hasFired(rule, from, target);
    const instead = fired.filter((line) => line.includes(from)).join('\n');
    assert.ok(found, `${start}${target} is not among:\n${instead}`);
  };

  for (const { mutation, file, target } of plans) {
    const what = mutation.kind === 'type' ? `of the types of ${mutation.to}` : `of ${mutation.to}`;
    test(`${what} in ${mutation.from} breaks ${mutation.rule}`, () => assertFired(mutation.rule, file, target));
  }

  for (const rule of OF_FOLDERS.keys()) {
    test(`of anything that its row does not list breaks ${rule}`, () => {
      const own = ofFolders.filter(({ mutation }) => mutation.rule === rule);
      const unseen = own.filter(({ file, target }) => !hasFired(rule, file, target));
      assert.deepEqual(
        unseen.map(({ file, target }) => `${file} -> ${target}`),
        [],
      );
    });
  }

  test('in a circle breaks no-cycles', () => {
    assertFired('no-cycles', 'src/core/base/circleA.ts', 'circleB.ts');
  });

  test('of an unused file breaks no-orphans', () => {
    assertFired('no-orphans', 'src/core/model/unreached.ts', '');
  });
});
