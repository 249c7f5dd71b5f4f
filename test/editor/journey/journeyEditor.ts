import { globSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { openBrowser } from '../../harness/browser.ts';
import { type EditorName, ensureEditor } from '../../harness/editorCache.ts';
import { startEditorServer, workbenchUrl } from '../../harness/editorServer.ts';
import { screenshotsFolder } from '../../harness/extensionHostRun.ts';
import { journeyFolder } from '../../harness/journeySetup.ts';
import { outFolder } from '../../harness/paths.ts';
import { type Person, createPerson } from '../../harness/person.ts';

export interface JourneyOptions {
  /** Workspace settings, as in a repository. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** User settings. */
  readonly userSettings?: Readonly<Record<string, unknown>>;
  /** More files of the workspace, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Opens these folders together, with a workspace file that contains the settings. */
  readonly roots?: readonly string[];
  /** Environment variables for the editor. */
  readonly env?: Readonly<Record<string, string>>;
  /** The answer to the editor's trust question. `before`: already trusted. */
  readonly trust: 'yes' | 'no' | 'before';
}

export interface JourneyEditor {
  readonly page: Page;
  readonly person: Person;
  readonly workspace: string;
  /** The id of the server process: everything the editor runs descends from it. */
  readonly pid: number;
  /** The extension host's log: activations, and errors of extensions. */
  readonly hostLog: () => Promise<string>;
  readonly writeFile: (path: string, text: string) => Promise<void>;
  /** Trusts the open folders, if this was not answered with yes at first. */
  readonly trust: () => Promise<void>;
  readonly reload: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const editorName = (): EditorName => (process.env['MCPL_TEST_JOURNEY_EDITOR'] === 'oldest' ? 'oldest' : 'current');

const readHostLogs = async (folder: string): Promise<string> => {
  const paths = globSync('data/data/logs/**/remoteexthost.log', { cwd: folder });
  const logs = await Promise.all(paths.map((path) => readFile(join(folder, path), 'utf8')));
  return logs.join('\n');
};

const rootsFile = 'roots.code-workspace';

/** Three other stages may run beside a journey. */
const PAGE_MS = 45_000;

const workbench = '.monaco-workbench .activitybar';

/**
 * Waits for the folders, because trust applies to the folders of that moment. The editor sometimes opens a workspace
 * file without its folders if a page of the same browser had another folder open.
 */
const untilFolders = async (page: Page, roots: readonly string[]): Promise<void> => {
  const rows = page.locator('.explorer-folders-view .monaco-list-row');
  for (const root of roots) await rows.filter({ hasText: root }).first().waitFor();
};

const restrictedMode = (page: Page): Locator => page.locator('[id="status.workspaceTrust"]');

const giveTrust = async (page: Page, person: Person): Promise<void> => {
  await restrictedMode(page).click();
  await page.locator('.workspace-trust-editor .monaco-button:text-is("Trust")').first().click();
  await restrictedMode(page).waitFor({ state: 'hidden' });
  await person.command('View: Close All Editors');
  await page.locator('.workspace-trust-editor').waitFor({ state: 'hidden' });
};

/** The oldest editor asks at once. The current one opens in Restricted Mode, and the user starts the question. */
const answerTrust = async (page: Page, person: Person, trust: JourneyOptions['trust']): Promise<void> => {
  if (trust === 'before') return;
  if (editorName() === 'oldest') {
    await person.dialog(trust === 'yes' ? 'Yes, I trust the authors' : "No, I don't trust the authors");
    return;
  }
  await restrictedMode(page).waitFor();
  if (trust === 'yes') await giveTrust(page, person);
};

/**
 * Opens an editor with the installed extension, like a user: without test driver, with real toasts, dialogs and trust.
 */
export const openJourney = async (options: JourneyOptions): Promise<JourneyEditor> => {
  const name = editorName();
  const folder = await mkdtemp(join(tmpdir(), 'mcpl-journey-'));
  const workspace = join(folder, 'workspace');
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  };
  const settings = options.settings ?? {};
  const [settingsFile, content] =
    options.roots === undefined
      ? ['.vscode/settings.json', settings]
      : [rootsFile, { folders: options.roots.map((path) => ({ path })), settings }];
  await write(settingsFile, `${JSON.stringify(content, undefined, 2)}\n`);
  for (const [path, text] of Object.entries(options.files ?? {})) await write(path, text);
  const server = await startEditorServer(await ensureEditor(name), {
    folder,
    extensionsFolder: join(journeyFolder(name), 'extensions'),
    driver: false,
    trusting: options.trust === 'before',
    userSettings: options.userSettings ?? {},
    env: options.env ?? {},
  });
  const { page, close: closeBrowser } = await openBrowser();
  page.setDefaultTimeout(PAGE_MS);
  const person = createPerson(page, screenshotsFolder);
  const close = async (): Promise<void> => {
    await closeBrowser();
    await server.stop();
    await cp(server.logFile, join(outFolder, 'journey-server.log')).catch(() => undefined);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await page.goto(workbenchUrl(server, options.roots === undefined ? workspace : join(workspace, rootsFile)));
    await page.locator(workbench).waitFor();
    await untilFolders(page, options.roots ?? []);
    await answerTrust(page, person, options.trust);
  } catch (error) {
    await person.screenshot('journey did not open').catch(() => undefined);
    await close();
    throw error;
  }
  // Uses the editor's command, because a plain page reload leaves no time to save state.
  const reload = async (): Promise<void> => {
    const loaded = page.waitForEvent('load');
    await person.command('Developer: Reload Window');
    await loaded;
    await page.locator(workbench).waitFor();
  };
  return {
    page,
    person,
    workspace,
    pid: server.pid,
    hostLog: () => readHostLogs(folder),
    writeFile: write,
    trust: () => giveTrust(page, person),
    reload,
    close,
  };
};
