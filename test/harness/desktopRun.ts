import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { downloadAndUnzipVSCode, runTests } from '@vscode/test-electron';
import { chromium } from 'playwright-core';
import { type HostResult, type HostRun, screenshotsFolder } from './extensionHostRun.ts';
import { cacheFolder } from './paths.ts';
import { type Person, createPerson } from './person.ts';
import { openPersonBridge } from './personBridge.ts';
import { freePort } from './processes.ts';

const downloadServer = 'https://update.code.visualstudio.com/api/releases/stable';

/** Why the desktop editor cannot run here. Undefined if it can. */
export const desktopObstacle = async (): Promise<string | undefined> => {
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY'])
    return 'this machine has no screen';
  try {
    const { ok } = await fetch(downloadServer, { signal: AbortSignal.timeout(4_000) });
    return ok ? undefined : 'the download server refuses';
  } catch {
    return 'the network does not let it be downloaded';
  }
};

/** Simulates the user over the debugging port of the editor's own browser. */
const personOver = (port: number): (() => Promise<Person>) => {
  let person: Promise<Person> | undefined;
  const connect = async (): Promise<Person> => {
    const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
    const pages = browser.contexts().flatMap((context) => context.pages());
    const page = pages.find((candidate) => candidate.url().includes('workbench'));
    if (page === undefined) throw new Error('The window of the editor was not found.');
    page.setDefaultTimeout(15_000);
    return createPerson(page, screenshotsFolder);
  };
  return () => (person ??= connect());
};

/** Runs the same tests in the desktop editor that @vscode/test-electron downloads. */
export const runInDesktop = async (run: HostRun): Promise<HostResult> => {
  const folder = await mkdtemp(join(tmpdir(), 'mcpl-desktop-'));
  const workspace = run.workspace ?? join(folder, 'workspace');
  await mkdir(workspace, { recursive: true });
  const port = await freePort();
  const bridge = await openPersonBridge(personOver(port));
  try {
    const vscodeExecutablePath = await downloadAndUnzipVSCode({ cachePath: cacheFolder });
    const code = await runTests({
      vscodeExecutablePath,
      extensionDevelopmentPath: [...run.extensions],
      extensionTestsPath: run.index,
      extensionTestsEnv: { ...run.env, MCPL_TEST_PERSON: bridge.url },
      launchArgs: [
        workspace,
        ...['--user-data-dir', join(folder, 'data'), '--extensions-dir', join(folder, 'extensions')],
        ...['--disable-workspace-trust', '--skip-welcome', '--skip-release-notes', `--remote-debugging-port=${port}`],
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ],
    });
    return { code, log: '' };
  } catch (error) {
    return { code: 1, log: error instanceof Error ? error.message : String(error) };
  } finally {
    await bridge.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
};
