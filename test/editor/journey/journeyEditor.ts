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
  /** Workspace settings: what a repository brings with it. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Settings of the user. */
  readonly userSettings?: Readonly<Record<string, unknown>>;
  /** More files of the workspace, by their path in it. */
  readonly files?: Readonly<Record<string, string>>;
  /** Opens these folders of the workspace together, by a workspace file that has the settings. */
  readonly roots?: readonly string[];
  /** What the editor finds in its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Answer to the editor's question whether the authors of the folder are trusted; or it was given before. */
  readonly trust: 'yes' | 'no' | 'before';
}

export interface JourneyEditor {
  readonly page: Page;
  readonly person: Person;
  readonly workspace: string;
  /** The id of the server process: everything the editor runs descends from it. */
  readonly pid: number;
  /** What the extension host has logged so far: activations, and the errors of extensions. */
  readonly hostLog: () => Promise<string>;
  readonly writeFile: (path: string, text: string) => Promise<void>;
  /** Trusts what the window has open, if that was not answered with yes at first. */
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
 * Trust is given to the folders that the window has at that moment. The editor itself sometimes opens a workspace file
 * without its folders, when a page of the same browser had another folder open before: look before anything is trusted.
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

/** The oldest editor asks at once; the current one opens in Restricted Mode and leaves it to the person to say more. */
const answerTrust = async (page: Page, person: Person, trust: JourneyOptions['trust']): Promise<void> => {
  if (trust === 'before') return;
  if (editorName() === 'oldest') {
    await person.dialog(trust === 'yes' ? 'Yes, I trust the authors' : "No, I don't trust the authors");
    return;
  }
  await restrictedMode(page).waitFor();
  if (trust === 'yes') await giveTrust(page, person);
};

/** The installed extension in an editor as a user has it: no test driver, toasts, dialogs and trust are real. */
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
  // The editor's own command: a page that is only loaded again has no time to keep what it should bring back.
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
