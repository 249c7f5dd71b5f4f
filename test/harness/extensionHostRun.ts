import { mkdir, mkdtemp, rm, symlink, cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openBrowser } from './browser.ts';
import type { Editor } from './editorCache.ts';
import { type EditorServer, remotePath, startEditorServer, workbenchUrl } from './editorServer.ts';
import { type Person, createPerson } from './person.ts';
import { openPersonBridge } from './personBridge.ts';
import { outFolder } from './paths.ts';

export interface HostRun {
  /** The module whose `run` the extension host calls. */
  readonly index: string;
  readonly env: Readonly<Record<string, string>>;
  /** Folders with a package.json each, all loaded as under development. */
  readonly extensions: readonly string[];
  /** Opened unchanged. Default: an empty folder that is removed afterwards. */
  readonly workspace?: string;
  readonly timeoutMs: number;
}

export interface HostResult {
  readonly code: number;
  readonly log: string;
}

export const screenshotsFolder = join(outFolder, 'screenshots');

/** Only the last extensionDevelopmentPath counts, but a parent folder loads every extension in it. */
const linkExtensions = async (extensions: readonly string[], folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  for (const [number, path] of extensions.entries()) await symlink(path, join(folder, `${number}-${basename(path)}`));
};

const payload = (server: EditorServer, extensions: string, index: string): readonly (readonly [string, string])[] => [
  ['extensionDevelopmentPath', remotePath(server, extensions)],
  ['extensionTestsPath', remotePath(server, index)],
  ['skipWelcome', 'true'],
];

const describeLog = (args: readonly unknown[]): string =>
  args.map((arg) => (typeof arg === 'string' ? arg : JSON.stringify(arg))).join(' ');

/** Opens the workbench with the tests, and waits until the extension host reports the end. */
const inWorkbench = async (
  server: EditorServer,
  run: HostRun,
  folder: string,
  tell: (person: Person) => void,
): Promise<HostResult> => {
  const workspace = run.workspace ?? join(folder, 'workspace');
  await mkdir(workspace, { recursive: true });
  await linkExtensions(run.extensions, join(folder, 'underDevelopment'));
  const open = await openBrowser();
  const lines: string[] = [];
  try {
    tell(createPerson(open.page, screenshotsFolder));
    await open.page.exposeFunction('codeAutomationLog', (_type: string, args: readonly unknown[]) => {
      lines.push(describeLog(args));
    });
    const ended = new Promise<number>((done) => {
      void open.page
        .exposeFunction('codeAutomationExit', (code: number) => done(code))
        .then(() =>
          open.page.goto(workbenchUrl(server, workspace, payload(server, join(folder, 'underDevelopment'), run.index))),
        );
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<number>((done) => {
      timer = setTimeout(() => {
        lines.push(`The tests did not end within ${run.timeoutMs / 1000} s. See the screenshot "timeout".`);
        done(1);
      }, run.timeoutMs);
    });
    const code = await Promise.race([ended, late, server.ended.then(() => 1)]);
    clearTimeout(timer);
    if (code !== 0)
      await createPerson(open.page, screenshotsFolder)
        .screenshot('at the end')
        .catch(() => undefined);
    return { code, log: lines.join('\n') };
  } finally {
    await open.close();
  }
};

/** Runs tests inside the extension host of the VS Code server, driven by a browser without a screen. */
export const runInServer = async (editor: Editor, run: HostRun): Promise<HostResult> => {
  const folder = await mkdtemp(join(tmpdir(), 'mcpl-editor-'));
  let person: Person | undefined;
  const bridge = await openPersonBridge(async () => {
    if (person === undefined) throw new Error('The browser is not open yet.');
    return person;
  });
  try {
    const env = { ...run.env, MCPL_TEST_PERSON: bridge.url };
    const server = await startEditorServer(editor, { folder, driver: true, env });
    try {
      return await inWorkbench(server, run, folder, (created) => (person = created));
    } finally {
      await server.stop();
      await cp(server.logFile, join(outFolder, 'editor-server.log')).catch(() => undefined);
    }
  } finally {
    await bridge.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
};
