// Builds dist/ from src/, and ThirdPartyNotices.txt from what the bundles contain. `--dev` keeps names and adds source maps,
// `--watch` rebuilds. `--core` checks that the core needs neither Node nor an editor: it bundles it for no platform, with
// nothing left outside, and throws the result away.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as esbuild from 'esbuild';

const root = import.meta.dirname;
const flags = new Set(process.argv.slice(2));
const watch = flags.has('--watch');
const dev = watch || flags.has('--dev');

const kilobytes = 1000;

// Some packages' main entry requires its own parts in a way that no bundler can follow; their module entry is plain.
const mainFields = ['module', 'main'];

const node = { platform: 'node', format: 'cjs', target: 'node22', external: [] };
// Loaded when it is first needed, by a bundle beside it.
const withParts = { ...node, later: /\/(remote|children|gatewayServer|storeParts)\.ts$/ };
const hostParts = {
  ...node,
  later: /\/(opener|credentials|engine|serverInputs|scopeDesk|stateDesk|startInquiry|definitionTrust)\.ts$/,
};
// What an editor loads at its start is as little as can be: with no server on, nothing speaks a protocol.
const atOnce = {
  ...node,
  later:
    /\/(remote|children|gatewayServer|conversation|inbox|pages|approvalDesk|lineageDesk|serverRows|settingsSyntax|extensionApi|schemaChecker)\.ts$/,
};
const browser = { platform: 'browser', format: 'iife', target: 'es2023', external: [] };

// The same twice would be a tenth of the package.
const hostCore = Object.fromEntries(
  ['host/host', 'base/hiddenText', 'model/settingRules'].map((file) => [`src/core/${file}.ts`, './hostCore.js']),
);
const storeParts = { 'src/node/store/storeParts.ts': './storeParts.js' };

/** What an editor reads when it starts. */
const startLimit = 300 * kilobytes;

const entries = [
  {
    from: 'src/extension.ts',
    to: 'dist/extension.js',
    ...atOnce,
    external: ['vscode'],
    beside: hostCore,
    atStart: true,
  },
  { from: 'src/core/hostCore.ts', to: 'dist/hostCore.js', ...hostParts, atStart: true },
  { from: 'src/node/store/storeWorker.ts', to: 'dist/storeWorker.js', ...node, beside: storeParts },
  { from: 'src/node/store/storeParts.ts', to: 'dist/storeParts.js', ...node },
  { from: 'src/node/schemas/schemaChecker.ts', to: 'dist/schemaChecker.js', ...node },
  { from: 'src/node/schemas/schemaWorker.ts', to: 'dist/schemaWorker.js', ...node },
  { from: 'src/node/remote.ts', to: 'dist/remote.js', ...node },
  { from: 'src/node/process/children.ts', to: 'dist/children.js', ...node },
  { from: 'src/core/session/opener.ts', to: 'dist/opener.js', ...node },
  { from: 'src/core/session/credentials.ts', to: 'dist/credentials.js', ...node },
  { from: 'src/core/host/engine.ts', to: 'dist/engine.js', ...node },
  { from: 'src/core/consent/startInquiry.ts', to: 'dist/startInquiry.js', ...node },
  { from: 'src/core/host/serverInputs.ts', to: 'dist/serverInputs.js', ...node },
  { from: 'src/core/scopes/scopeDesk.ts', to: 'dist/scopeDesk.js', ...node },
  { from: 'src/core/states/stateDesk.ts', to: 'dist/stateDesk.js', ...node },
  { from: 'src/core/consent/definitionTrust.ts', to: 'dist/definitionTrust.js', ...node },
  { from: 'src/editor/conversation.ts', to: 'dist/conversation.js', ...node, external: ['vscode'] },
  { from: 'src/editor/api/extensionApi.ts', to: 'dist/extensionApi.js', ...node },
  { from: 'src/editor/inbox.ts', to: 'dist/inbox.js', ...node, external: ['vscode'] },
  { from: 'src/editor/pages.ts', to: 'dist/pages.js', ...node, external: ['vscode'] },
  { from: 'src/editor/servers/serverRows.ts', to: 'dist/serverRows.js', ...node, external: ['vscode'] },
  { from: 'src/editor/settings/settingsSyntax.ts', to: 'dist/settingsSyntax.js', ...node },
  { from: 'src/editor/lineageDesk.ts', to: 'dist/lineageDesk.js', ...node, external: ['vscode'] },
  { from: 'src/editor/approvals/approvalDesk.ts', to: 'dist/approvalDesk.js', ...node, external: ['vscode'] },
  { from: 'src/node/gateway/gatewayServer.ts', to: 'dist/gatewayServer.js', ...node },
  { from: 'src/cli/library.ts', to: 'dist/host.cjs', ...withParts, beside: hostCore },
  {
    from: 'src/cli/main.ts',
    to: 'dist/cli.js',
    ...node,
    beside: { 'src/cli/library.ts': './host.cjs' },
    hashbang: true,
  },
  { from: 'src/demo/server.ts', to: 'dist/demo.js', ...node },
  { from: 'src/webview/form/toolForm.ts', to: 'dist/webview/toolForm.js', ...browser },
  { from: 'src/webview/form/question.ts', to: 'dist/webview/question.js', ...browser },
  { from: 'src/webview/trace/trace.ts', to: 'dist/webview/trace.js', ...browser },
  { from: 'src/webview/lineage/lineage.ts', to: 'dist/webview/lineage.js', ...browser },
];

const hashbang = ({ from, hashbang: wanted }) =>
  wanted === true && !readFileSync(join(root, from), 'utf8').startsWith('#!') ? { js: '#!/usr/bin/env node' } : {};

const shared = { absWorkingDir: root, bundle: true, metafile: true, logLevel: watch ? 'silent' : 'warning' };

const optionsOf = (entry) => ({
  ...shared,
  entryPoints: [entry.from],
  outfile: entry.to,
  platform: entry.platform,
  format: entry.format,
  target: entry.target,
  external: entry.external,
  mainFields: entry.platform === 'browser' ? ['browser', ...mainFields] : mainFields,
  banner: hashbang(entry),
  minify: !dev,
  sourcemap: dev ? 'linked' : false,
  legalComments: 'none',
  // Native helpers that `ws` would look for: there are none in the package.
  define: { 'process.env.WS_NO_BUFFER_UTIL': '"1"', 'process.env.WS_NO_UTF_8_VALIDATE': '"1"' },
  // Only in what ships: it would put the columns of a source map out of place.
  plugins: [
    ...(entry.later === undefined ? [] : [bundledBeside(entry.later)]),
    ...(entry.beside === undefined ? [] : [requiredBeside(entry.beside)]),
    ...(!dev && entry.external.includes('vscode') ? [editorApiAsItIs] : []),
  ],
  // The command line asks for `__dirname` in the bundle, and for `import.meta` only when it runs from its sources.
  logOverride: { 'empty-import-meta': 'silent' },
});

/** An `import()` of a file that is a bundle of its own: `./mcpl/engine.ts` becomes `./engine.js`, beside this one. */
const bundledBeside = (pattern) => ({
  name: 'bundled-beside',
  setup: (build) => {
    build.onResolve({ filter: pattern }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path: `./${basename(path, '.ts')}.js`, external: true } : undefined,
    );
  },
});

/** An `import` of a file that is a bundle of its own. */
const requiredBeside = (files) => ({
  name: 'required-beside',
  setup: (build) => {
    build.onResolve({ filter: /\.ts$/ }, ({ path, resolveDir, kind }) => {
      if (kind === 'entry-point') return undefined;
      // By the end of its path: the sources may be a link into another folder.
      const file = join(resolveDir, path).replaceAll('\\', '/');
      const bundle = files[Object.keys(files).find((each) => file.endsWith(`/${each}`)) ?? ''];
      return bundle === undefined ? undefined : { path: bundle, external: true };
    });
  },
});

/**
 * Each `import * as vscode` would copy the editor's whole API, getter by getter, once for every file that has one:
 * half of what loading the bundle took. The API is used as it is instead.
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

/** In the words that the problem matcher of .vscode/tasks.json knows. */
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
  await rm(join(root, 'dist'), { recursive: true, force: true });
  const problems = [];
  const metafiles = {};
  let atStartSize = 0;
  for (const entry of entries) {
    if (!existsSync(join(root, entry.from))) {
      problems.push(`${entry.from} does not exist, so ${entry.to} was not built.`);
      continue;
    }
    const { metafile } = await esbuild.build(optionsOf(entry));
    metafiles[entry.to] = metafile;
    const { size } = await stat(join(root, entry.to));
    console.log(`${entry.to.padEnd(28)} ${(size / kilobytes).toFixed(1).padStart(8)} kB`);
    if (entry.atStart === true) atStartSize += size;
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

const watchAll = async () => {
  for (const entry of entries) {
    const context = await esbuild.context({
      ...optionsOf(entry),
      plugins: [...optionsOf(entry).plugins, reportTo(entry.to)],
    });
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
  // esbuild has printed its own errors with their places.
  if (!Array.isArray(error?.errors)) console.error(error);
  process.exitCode = 1;
}
