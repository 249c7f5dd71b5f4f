import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Counts, mochaRun } from './counts.ts';
import { desktopObstacle, runInDesktop } from './desktopRun.ts';
import { ensureEditor } from './editorCache.ts';
import { type HostRun, runInServer } from './extensionHostRun.ts';
import { projectRoot } from './paths.ts';
import { buildContributor, buildFakeModel, bundleSuites } from './testBundles.ts';

export interface EditorTestOptions {
  readonly grep?: string;
  /** Only these of the project's suites. */
  readonly suites?: readonly string[];
  /** One module instead of the project's suites: it may register mocha suites or export `run`. */
  readonly tests?: string;
  readonly workspace?: string;
}

export interface EditorTestResult {
  readonly counts: Counts;
  readonly log: string;
  /** Which editor it was, in words. */
  readonly editor: string;
}

export const projectSuites = (): readonly string[] =>
  globSync('test/editor/suite/**/*.test.ts', { cwd: projectRoot })
    .map((path) => resolve(projectRoot, path))
    .sort();

const prepare = async (options: EditorTestOptions, env: Readonly<Record<string, string>>): Promise<HostRun> => {
  const index = await bundleSuites(
    options.tests === undefined ? (options.suites ?? projectSuites()) : [resolve(options.tests)],
  );
  return {
    index,
    extensions: [projectRoot, await buildFakeModel(), await buildContributor()],
    env: { ...env, MCPL_TEST_GREP: options.grep ?? '' },
    ...(options.workspace === undefined ? {} : { workspace: resolve(options.workspace) }),
    timeoutMs: 900_000,
  };
};

/** Why the server is used and not the desktop editor; undefined for the desktop. MCPL_TEST_EDITOR decides where it is set. */
const whyServer = async (): Promise<string | undefined> => {
  const wanted = process.env['MCPL_TEST_EDITOR'] ?? 'auto';
  if (wanted === 'desktop') return undefined;
  if (wanted === 'server') return 'MCPL_TEST_EDITOR says so';
  return desktopObstacle();
};

/** Runs the suites inside a real editor's extension host: the desktop one where it can be had, else the VS Code server. */
export const runEditorTests = async (options: EditorTestOptions): Promise<EditorTestResult> => {
  const mocha = await mochaRun('editor');
  const run = await prepare(options, mocha.env);
  let reason = await whyServer();
  if (reason === undefined) {
    const { log } = await runInDesktop(run);
    const counts = await mocha.counts();
    const editor = 'desktop VS Code by @vscode/test-electron';
    if (counts !== undefined) return { counts, log: `${await mocha.report()}\n${log}`, editor };
    // A desktop that never got to the tests says nothing about them.
    reason = `the desktop editor did not start here: ${log}`;
  }
  const installed = await ensureEditor();
  const { code, log } = await runInServer(installed, run);
  const counts = await mocha.counts();
  const report = await mocha.report();
  const editor = `VS Code server ${installed.version} in a browser, because ${reason}`;
  if (counts === undefined)
    return { counts: { passed: 0, failed: 1 }, log: `${report}\n${log}\nThe tests did not get to their end.`, editor };
  const silent = code !== 0 && counts.failed === 0 ? 1 : 0;
  return {
    counts: { passed: counts.passed, failed: counts.failed + silent },
    log: silent === 0 ? report : `${report}\n${log}`,
    editor,
  };
};
