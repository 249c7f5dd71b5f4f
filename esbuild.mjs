// Builds dist/ from src/, and ThirdPartyNotices.txt from what the bundles contain. `--dev` keeps names and adds source maps,
// `--watch` rebuilds. `--core` checks that the core needs neither Node nor an editor: it bundles it for no platform, with
// nothing left outside, and throws the result away.
import { readFileSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import bundles from './bundles.cjs';

const root = import.meta.dirname;
const flags = new Set(process.argv.slice(2));
const watch = flags.has('--watch');
const dev = watch || flags.has('--dev');

const kilobytes = 1000;

// The main entry of some packages loads its parts in a way that no bundler can follow. The module entry is plain.
const mainFields = ['module', 'main'];

const node = { platform: 'node', format: 'cjs', target: 'node22' };
const browser = { platform: 'browser', format: 'iife', target: 'es2023' };

/** The limit for bundles that an editor reads at its start. */
const startLimit = 300 * kilobytes;

const shared = { absWorkingDir: root, bundle: true, metafile: true, logLevel: watch ? 'silent' : 'warning' };

const exportAll = (parts) => parts.map((part) => `export * from './${part}';`).join('\n');

const optionsOf = (bundle) => {
  const { to, entry, parts } = bundle;
  const platform = to.startsWith('webview/') ? browser : node;
  return {
    ...shared,
    ...platform,
    ...(parts === undefined
      ? { entryPoints: [entry] }
      : { stdin: { contents: exportAll(parts), resolveDir: root, sourcefile: to } }),
    outfile: `dist/${to}`,
    external: bundle.editor ? ['vscode'] : [],
    mainFields: platform === browser ? ['browser', ...mainFields] : mainFields,
    banner: bundle.hashbang ? { js: '#!/usr/bin/env node' } : {},
    minify: !dev,
    sourcemap: dev ? 'linked' : false,
    legalComments: 'none',
    // `ws` looks for native helpers, which the package does not have.
    define: { 'process.env.WS_NO_BUFFER_UTIL': '"1"', 'process.env.WS_NO_UTF_8_VALIDATE': '"1"' },
    // Only in production, because it would shift the columns of a source map.
    plugins: [otherBundles(bundle), ...(!dev && bundle.editor ? [editorApiAsItIs] : [])],
    // The command line uses `__dirname` in the bundle, and `import.meta` only when it runs from its sources.
    logOverride: { 'empty-import-meta': 'silent' },
  };
};

/** Compares the end of the path, because the sources may be a link into another folder. */
const isPath = (file, part) => file.endsWith(`/${part}`);

const importersOf = ({ loadedBy, sharedWith = [] }) => [...loadedBy, ...sharedWith];

const ownerOf = (file) => bundles.find(({ parts }) => parts?.some((part) => isPath(file, part)));

/** An import of a part of another bundle becomes a `require` of that bundle, which is beside this one. */
const otherBundles = ({ to }) => ({
  name: 'other-bundles',
  setup: (build) => {
    build.onResolve({ filter: /\.ts$/ }, ({ path, resolveDir, kind }) => {
      const owner = ownerOf(join(resolveDir, path).replaceAll('\\', '/'));
      if (kind === 'dynamic-import' && owner === undefined)
        return { errors: [{ text: `"${path}" is loaded by import(), so bundles.cjs must list it as a part.` }] };
      // Other code that is imported at the top of a file is copied.
      const isOutside = kind === 'dynamic-import' || (owner?.shared && importersOf(owner).includes(to));
      return isOutside && owner.to !== to ? { path: `./${owner.to}`, external: true } : undefined;
    });
    // Runs at the end, because tree shaking removes imports.
    build.onEnd(({ metafile, errors }) => {
      if (errors.length > 0) return undefined;
      const imports = new Set(
        Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path)),
      );
      const wrong = bundles.filter(
        (row) => row.parts !== undefined && imports.has(`./${row.to}`) !== importersOf(row).includes(to),
      );
      const text = (row) =>
        importersOf(row).includes(to) ? `${to} does not import ${row.to}` : `${to} imports ${row.to}`;
      return { errors: wrong.map((row) => ({ text: `${text(row)}: correct "loadedBy" in bundles.cjs.` })) };
    });
  },
});

/**
 * Each `import * as vscode` would copy the editor's whole API with getters, once per file, which took half of the load
 * time. Uses the API object instead.
 */
const editorApiAsItIs = {
  name: 'editor-api-as-it-is',
  setup: (build) => {
    build.onEnd(async ({ errors }) => {
      if (errors.length > 0) return undefined;
      const path = join(root, build.initialOptions.outfile);
      const copied = /[\w$]+\(require\("vscode"\),1\)/g;
      const text = await readFile(path, 'utf8');
      if (!copied.test(text)) return { errors: [{ text: 'No import of the editor was found where it was expected.' }] };
      await writeFile(path, text.replace(copied, 'require("vscode")'));
      return undefined;
    });
  },
};

/** In the format of the problem matcher in .vscode/tasks.json. */
const reportTo = (name) => ({
  name: 'report',
  setup: (build) => {
    build.onStart(() => console.log(`[watch] ${name}: build started`));
    build.onEnd(({ errors }) => {
      for (const { text, location } of errors) {
        console.error(`✘ [ERROR] ${text}`);
        if (location !== null) console.error(`    ${location.file}:${location.line}:${location.column}:`);
      }
      console.log(`[watch] ${name}: build finished`);
    });
  },
});

const buildOnce = async () => {
  const problems = await exportedTwice();
  if (problems.length > 0) return problems;
  await rm(join(root, 'dist'), { recursive: true, force: true });
  const metafiles = {};
  let atStartSize = 0;
  for (const bundle of bundles) {
    const outfile = `dist/${bundle.to}`;
    const { metafile } = await esbuild.build(optionsOf(bundle));
    metafiles[outfile] = metafile;
    const { size } = await stat(join(root, outfile));
    console.log(`${outfile.padEnd(28)} ${(size / kilobytes).toFixed(1).padStart(8)} kB`);
    if (bundle.atStart) atStartSize += size;
  }
  if (!dev && atStartSize > startLimit) {
    problems.push(
      `What the editor reads at its start has ${atStartSize} bytes; at most ${startLimit} are allowed. See what fills it in out/meta.json.`,
    );
  }
  await mkdir(join(root, 'out'), { recursive: true });
  await writeFile(join(root, 'out/meta.json'), JSON.stringify(metafiles));
  // Loaded only here: `--core` also runs with only the sources.
  const { bundledFolders, mitTerms, readPackage, thirdPartyNotices } =
    await import('./test/harness/thirdPartyNotices.ts');
  const packages = bundledFolders(metafiles).map((folder) => readPackage(join(root, folder)));
  const notices = thirdPartyNotices(packages, mitTerms(readFileSync(join(root, 'LICENSE'), 'utf8')));
  await writeFile(join(root, 'ThirdPartyNotices.txt'), notices.text);
  return [...problems, ...notices.problems];
};

/** Names that two parts of a bundle export. `export *` would silently omit both. */
const exportedTwice = async () => {
  const entryPoints = bundles.flatMap(({ parts }) => parts ?? []);
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints,
    format: 'esm',
    outdir: 'out',
    write: false,
    metafile: true,
  });
  const outputs = Object.values(metafile.outputs);
  const exportsOf = (part) => outputs.find(({ entryPoint }) => isPath(`/${entryPoint}`, part)).exports;
  return bundles.flatMap(({ to, parts = [] }) => {
    const names = parts.flatMap(exportsOf);
    const twice = names.filter((name, index) => names.indexOf(name) !== index);
    return twice.map((name) => `Two parts of ${to} export "${name}".`);
  });
};

const watchAll = async () => {
  for (const bundle of bundles) {
    const options = optionsOf(bundle);
    const context = await esbuild.context({ ...options, plugins: [...options.plugins, reportTo(options.outfile)] });
    await context.watch();
  }
};

const checkCore = async () => {
  const { metafile } = await esbuild.build({
    ...shared,
    entryPoints: ['src/core/index.ts'],
    outfile: 'out/core.js',
    write: false,
    platform: 'neutral',
    format: 'esm',
    target: 'es2023',
    mainFields,
    conditions: ['import', 'default'],
    minify: true,
  });
  const outside = Object.values(metafile.outputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
  const size = Object.values(metafile.outputs)[0].bytes;
  console.log(`core, for no platform        ${(size / kilobytes).toFixed(1).padStart(8)} kB`);
  return outside.map(({ path }) => `The core imports "${path}", which is not part of it.`);
};

try {
  const problems = flags.has('--core') ? await checkCore() : watch ? [] : await buildOnce();
  for (const problem of problems) console.error(`✘ [ERROR] ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
  if (watch) await watchAll();
} catch (error) {
  // esbuild prints its own errors with their positions, but not those of a plugin's end.
  for (const { text, location } of error?.errors ?? []) if (location === null) console.error(`✘ [ERROR] ${text}`);
  if (!Array.isArray(error?.errors)) console.error(error);
  process.exitCode = 1;
}
