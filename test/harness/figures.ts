import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { options } from './commandLine.ts';
import { bundleStarts } from './bundles.ts';
import { inProject, projectRoot } from './paths.ts';
import { run } from './processes.ts';
import { main, say } from './progress.ts';
import {
  CONCEPTS,
  exportUses,
  folderSizes,
  limitNames,
  median,
  readModules,
  repeatedExports,
  repeatedFileNames,
  repeatedInCircle,
  smallFiles,
  spreadOf,
} from './sourceFigures.ts';

const readSources = async (): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>();
  for await (const path of glob('{src,test}/**/*.ts', { cwd: projectRoot, exclude: ['test/**/node_modules/**'] }))
    found.set(path, await readFile(inProject(path), 'utf8'));
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
};

/** Worktrees use the tools of the main worktree. */
const englishTool = async (): Promise<string | undefined> => {
  const { output } = await run('git', ['rev-parse', '--path-format=absolute', '--git-common-dir'], {
    cwd: projectRoot,
  });
  const tool = join(output.trim(), '../../shared/tools/english.mjs');
  return existsSync(tool) ? tool : undefined;
};

const stiltedSigns = async (paths: readonly string[]): Promise<string> => {
  const tool = await englishTool();
  if (tool === undefined) return 'not counted: ../shared/tools/english.mjs is not there';
  const { output } = await run(process.execPath, [tool, '--most', '1', ...paths], { cwd: projectRoot });
  return /([\d.]+)\s+all signs together/.exec(output)?.[1] ?? `not counted: ${output.slice(0, 200)}`;
};

const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;

const lines = (found: ReadonlyMap<string, readonly string[]>): readonly string[] =>
  [...found].map(([name, paths]) => `${name}: ${paths.join(', ')}`);

interface Figure {
  readonly name: string;
  readonly value: string;
  readonly goal?: string;
  /** Shown with `--list`. */
  readonly items?: readonly string[];
}

const figures = async (): Promise<readonly Figure[]> => {
  const sources = await readSources();
  const modules = readModules(sources);
  const own = modules.filter(({ path }) => path.startsWith('src/'));
  const paths = own.map(({ path }) => path);
  const testPaths = modules.map(({ path }) => path).filter((path) => path.startsWith('test/'));
  const bundles = new Set(bundleStarts);
  const total = own.reduce((sum, { lines: count }) => sum + count, 0);
  const folders = folderSizes(paths);
  const small = smallFiles(modules, bundles);
  const names = repeatedFileNames(paths);
  const uses = exportUses(modules, bundles);
  const twice = repeatedExports(modules);
  const twiceInCircle = repeatedInCircle(modules);
  const limits = limitNames(sources);
  const readme = await readFile(inProject('README.md'), 'utf8');
  return [
    {
      name: 'files / kLOC / median lines',
      value: `${own.length} / ${(total / 1000).toFixed(1)} / ${median(own.map(({ lines: count }) => count))}`,
    },
    { name: 'files under 30 lines', value: String(own.filter(({ lines: count }) => count < 30).length) },
    {
      name: 'largest folder of src',
      value: folders
        .slice(0, 3)
        .map(([folder, count]) => `${count} ${folder}`)
        .join(', '),
      goal: '<= 40',
    },
    {
      name: 'largest folder of test',
      value: folderSizes(testPaths)
        .slice(0, 3)
        .map(([folder, count]) => `${count} ${folder}`)
        .join(', '),
    },
    {
      name: 'small files with one importer beside them',
      value: `${small.all.length} (${percent(small.all.length, own.length)})`,
    },
    {
      name: 'of these, without a test, bundle or border as the reason',
      value: `${small.unexplained.length} (${percent(small.unexplained.length, own.length)})`,
      goal: '<= 8 %',
      items: small.unexplained,
    },
    {
      name: 'repeated file names',
      value: `${names.size} (${[...names.values()].flat().length} files)`,
      goal: '<= 10',
      items: lines(names),
    },
    { name: 'exports / used by one other file', value: `${uses.exports} / ${uses.once}` },
    { name: 'exports only tests use', value: String(uses.byTests.length), items: uses.byTests },
    { name: 'unused exports', value: String(uses.unused.length), goal: '0', items: uses.unused },
    { name: 'exported names declared twice', value: String(twice.size), items: lines(twice) },
    {
      name: 'of these, within one circle',
      value: String(twiceInCircle.size),
      goal: '0',
      items: lines(twiceInCircle),
    },
    ...Object.entries(CONCEPTS).map(([concept, words]) => {
      const { files, folders: homes } = spreadOf(paths, words);
      const exceptions = [...homes].filter(([, each]) => each.length > 1);
      const count = [...homes.values()].flat().length;
      return {
        name: `spread: ${concept}`,
        value: `${files} files in ${count} folders; circles with more than one: ${exceptions.map(([home, each]) => `${home} ${each.length}`).join(', ') || 'none'}`,
        items: lines(new Map(exceptions)),
      };
    }),
    {
      name: 'type assertions per kLOC',
      value: ((1000 * own.reduce((sum, { assertions }) => sum + assertions, 0)) / total).toFixed(1),
    },
    { name: 'constants MAX_ / MOST_ and LONGEST_', value: `${limits.max} / ${limits.others}` },
    { name: 'pictures in README.md', value: String([...readme.matchAll(/!\[|<img\b/g)].length) },
    { name: 'stilted sentences of src per 10,000 words', value: await stiltedSigns(paths), goal: '<= 10' },
  ];
};

await main(async () => {
  const { list } = options({ list: 'flag' });
  const found = await figures();
  const width = Math.max(...found.map(({ name }) => name.length));
  for (const { name, value, goal, items } of found) {
    say(`${name.padEnd(width)}  ${value}${goal === undefined ? '' : `  (goal ${goal})`}`);
    if (list === true) for (const item of items ?? []) say(`    ${item}`);
  }
  if (list !== true) say('\nThese are a report. `npm run figures -- --list` names the files.');
  return 0;
});
