import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Editor } from './editorCache.ts';
import { endTree, freePort, mustRun, track } from './processes.ts';
import { Problem } from './progress.ts';

export interface ServerOptions {
  /** Contains `data` (settings, logs, caches) and, by default, `extensions`. The caller removes it. */
  readonly folder: string;
  readonly extensionsFolder?: string;
  /**
   * The smoke-test driver loads extensions under development and hides toasts. Without it, the editor behaves as for
   * users.
   */
  readonly driver: boolean;
  /** Trusts every folder, as the driver always does. */
  readonly trusting?: boolean;
  /** User settings, in addition to those that keep the editor quiet. */
  readonly userSettings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly port?: number;
}

export interface EditorServer {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
  readonly logFile: string;
  readonly stop: () => Promise<void>;
  readonly ended: Promise<void>;
}

const dataFolder = (folder: string): string => join(folder, 'data');
const extensionsFolder = (options: Pick<ServerOptions, 'folder' | 'extensionsFolder'>): string =>
  options.extensionsFolder ?? join(options.folder, 'extensions');
const serverProgram = (editor: Editor): string => join(editor.folder, 'out/server-main.js');

/** Removes VS Code's own variables, which this process inherits in a VS Code terminal. */
const cleanEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$)/.test(name)));

/** Older editors do not create these folders when they only install. */
const makeFolders = async (options: Pick<ServerOptions, 'folder' | 'extensionsFolder'>): Promise<void> => {
  await mkdir(join(dataFolder(options.folder), 'data'), { recursive: true });
  await mkdir(extensionsFolder(options), { recursive: true });
};

const manageExtensions = async (editor: Editor, folder: string, args: readonly string[]): Promise<string> => {
  await makeFolders({ folder });
  const places = ['--server-data-dir', dataFolder(folder), '--extensions-dir', extensionsFolder({ folder })];
  return mustRun(editor.node, [serverProgram(editor), '--accept-server-license-terms', ...places, ...args], {
    env: cleanEnvironment(),
    timeoutMs: 120_000,
    next: 'See the lines above; the VSIX may be damaged.',
  });
};

/** Installs like a user: from the file, with the editor's command. */
export const installVsix = async (editor: Editor, folder: string, vsixFiles: readonly string[]): Promise<string> =>
  manageExtensions(editor, folder, [...vsixFiles.flatMap((file) => ['--install-extension', file]), '--force']);

/** The installed extensions that the editor lists, with versions. */
export const installedExtensions = async (editor: Editor, folder: string): Promise<readonly string[]> => {
  const output = await manageExtensions(editor, folder, ['--list-extensions', '--show-versions']);
  return output.split('\n').filter((line) => /^[\w-]+\.[\w-]+@/.test(line));
};

/** Remote machine settings, without prompts and pages that would get in the way of a test. */
const quietSettings = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'telemetry.telemetryLevel': 'off',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'update.mode': 'none',
  'git.enabled': false,
  // It searches all processes of the machine for ports every few seconds, in the extension host.
  'remote.autoForwardPorts': false,
  'remote.autoForwardPortsSource': 'output',
};

const writeSettings = async ({ folder, userSettings }: ServerOptions): Promise<void> => {
  // After a window reload, this editor reads only the settings in `Machine`, not those in `User`.
  const profiles = { User: quietSettings, Machine: { ...quietSettings, ...userSettings } };
  for (const [profile, settings] of Object.entries(profiles)) {
    const path = join(dataFolder(folder), 'data', profile, 'settings.json');
    await mkdir(join(path, '..'), { recursive: true });
    const text = `${JSON.stringify(settings, undefined, 2)}\n`;
    await writeFile(path, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
};

/** Tests never contact the marketplace. */
const noGallery = { EXTENSIONS_GALLERY: '{"serviceUrl":""}' };

const answers = async (url: string): Promise<boolean> => {
  try {
    const response = await fetch(`${url}/version`, { signal: AbortSignal.timeout(2_000) });
    return response.ok;
  } catch {
    return false;
  }
};

const startArguments = (editor: Editor, options: ServerOptions, port: number): readonly string[] => [
  serverProgram(editor),
  ...['--host', '127.0.0.1', '--port', String(port), '--without-connection-token', '--accept-server-license-terms'],
  ...['--server-data-dir', dataFolder(options.folder), '--extensions-dir', extensionsFolder(options)],
  ...['--telemetry-level', 'off', '--disable-experiments'],
  ...(options.driver ? ['--enable-smoke-test-driver'] : []),
  ...(options.driver || options.trusting === true ? ['--disable-workspace-trust'] : []),
];

export const startEditorServer = async (editor: Editor, options: ServerOptions): Promise<EditorServer> => {
  await makeFolders(options);
  await writeSettings(options);
  const port = options.port ?? (await freePort());
  const logFile = join(options.folder, 'server.log');
  const log = createWriteStream(logFile);
  const child = track(
    spawn(editor.node, startArguments(editor, options, port), {
      env: { ...cleanEnvironment(), ...(options.driver ? noGallery : {}), ...options.env },
      // Only this process forwards Ctrl+C, so that the whole tree ends in order.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  let over = false;
  const ended = new Promise<void>((done) => {
    child.once('error', (error) => log.write(`${error.message}\n`));
    child.once('close', () => {
      over = true;
      log.end(() => done());
    });
  });
  const url = `http://127.0.0.1:${port}`;
  const limit = Date.now() + 60_000;
  while (!(await answers(url))) {
    if (over || Date.now() > limit) {
      await endTree(child.pid);
      const why = over ? 'ended at once' : 'did not answer within 60 s';
      throw new Problem(
        `The editor server on port ${port} ${why}. See its log above (${logFile}); is the port free?`,
        await readFile(logFile, 'utf8').catch(() => ''),
      );
    }
    await delay(100);
  }
  const stop = async (): Promise<void> => {
    await endTree(child.pid);
    await ended;
  };
  return { port, url, pid: child.pid ?? 0, logFile, stop, ended };
};

/** The address that opens a folder. With keys, those of VS Code's payload (only under the driver). */
export const workbenchUrl = (
  server: EditorServer,
  workspace: string,
  payload: readonly (readonly [string, string])[] = [],
): string => {
  const keys = payload.length === 0 ? '' : `&payload=${encodeURIComponent(JSON.stringify(payload))}`;
  const kind = workspace.endsWith('.code-workspace') ? 'workspace' : 'folder';
  return `${server.url}/?${kind}=${encodeURIComponent(workspace)}${keys}`;
};

/** A path on the server, as the browser workbench names it. */
export const remotePath = (server: EditorServer, path: string): string =>
  `vscode-remote://127.0.0.1:${server.port}${path}`;
