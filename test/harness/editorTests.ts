import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Counts, editorRetries, mochaRun } from './counts.ts';
import { desktopObstacle, runInDesktop } from './desktopRun.ts';
import { ensureEditor } from './editorCache.ts';
import { type HostRun, runInServer } from './extensionHostRun.ts';
import { projectRoot } from './paths.ts';
import { buildContributor, buildFakeModel, bundleSuites } from './testBundles.ts';

export interface EditorTestOptions {
  readonly grep?: string;
  /** Runs only these suites of the project. */
  readonly suites?: readonly string[];
  /** A module instead of the project's suites. It may register mocha suites or export `run`. */
  readonly tests?: string;
  readonly workspace?: string;
}

export interface EditorTestResult {
  readonly counts: Counts;
  readonly log: string;
  /** The name of the editor. */
  readonly editor: string;
  readonly retried: readonly string[];
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
    env: { ...env, MCPL_TEST_GREP: options.grep ?? '', MCPL_TEST_RETRIES: String(editorRetries) },
    ...(options.workspace === undefined ? {} : { workspace: resolve(options.workspace) }),
    timeoutMs: 900_000,
  };
};

/**
 * Why the server is used instead of the desktop editor. Undefined for the desktop. MCPL_TEST_EDITOR overrides the
 * choice.
 */
const whyServer = async (): Promise<string | undefined> => {
  const wanted = process.env['MCPL_TEST_EDITOR'] ?? 'auto';
  if (wanted === 'desktop') return undefined;
  if (wanted === 'server') return 'MCPL_TEST_EDITOR says so';
  return desktopObstacle();
};

/**
 * Runs the suites in the extension host of a real editor: the desktop editor if it is available, otherwise the VS Code
 * server.
 */
export const runEditorTests = async (options: EditorTestOptions): Promise<EditorTestResult> => {
  const mocha = await mochaRun('editor');
  const run = await prepare(options, mocha.env);
  let reason = await whyServer();
  if (reason === undefined) {
    const { log } = await runInDesktop(run);
    const counts = await mocha.counts();
    const editor = 'desktop VS Code by @vscode/test-electron';
    if (counts !== undefined)
      return { counts, log: `${await mocha.report()}\n${log}`, editor, retried: counts.retried };
    // A desktop editor that did not start is no test failure.
    reason = `the desktop editor did not start here: ${log}`;
  }
  const installed = await ensureEditor();
  const { code, log } = await runInServer(installed, run);
  const counts = await mocha.counts();
  const report = await mocha.report();
  const editor = `VS Code server ${installed.version} in a browser, because ${reason}`;
  if (counts === undefined)
    return {
      counts: { passed: 0, failed: 1 },
      log: `${report}\n${log}\nThe tests did not get to their end.`,
      editor,
      retried: [],
    };
  const silent = code !== 0 && counts.failed === 0 ? 1 : 0;
  return {
    counts: { passed: counts.passed, failed: counts.failed + silent },
    log: silent === 0 ? report : `${report}\n${log}`,
    editor,
    retried: counts.retried,
  };
};
