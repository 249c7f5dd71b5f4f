import { spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { options } from './commandLine.ts';
import { copyOnce, ensureEditor } from './editorCache.ts';
import { installVsix, startEditorServer, workbenchUrl } from './editorServer.ts';
import { cacheFolder, findProgram, inProject, projectRoot } from './paths.ts';
import { endEverything, mustRun, onInterrupt, track } from './processes.ts';
import { Problem, main, say, step } from './progress.ts';
import { buildFakeModel } from './testBundles.ts';
import { packageExtension, packageFakeModel } from './vsix.ts';

const home = join(cacheFolder, 'start');

onInterrupt(async () => {
  say('\nStopping.');
  await endEverything();
});

/**
 * In a terminal of a remote editor, `code` only controls that editor, which cannot load an extension under development.
 */
const desktopEditor = (): string | undefined =>
  process.env['VSCODE_IPC_HOOK_CLI'] === undefined ? findProgram(['code']) : undefined;

const openInBrowser = (url: string): void => {
  const opener = process.platform === 'darwin' ? 'open' : findProgram(['xdg-open']);
  const hasScreen =
    process.platform === 'darwin' ||
    process.env['DISPLAY'] !== undefined ||
    process.env['WAYLAND_DISPLAY'] !== undefined;
  if (opener === undefined || !hasScreen) return;
  spawn(opener, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
};

const startDesktop = async (code: string, workspace: string): Promise<number> => {
  await step('build', () =>
    mustRun(process.execPath, [inProject('esbuild.mjs'), '--dev'], {
      cwd: projectRoot,
      next: 'Correct the errors above.',
    }),
  );
  const extensions = [projectRoot, await buildFakeModel()].map((folder) => `--extensionDevelopmentPath=${folder}`);
  // A separate profile starts a separate editor, which ends with this command. --verbose keeps it from detaching.
  const profile = ['--user-data-dir', join(home, 'desktop'), '--extensions-dir', join(home, 'desktop-extensions')];
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const child = track(
    spawn(code, [...extensions, ...profile, ...asRoot, '--verbose', '--new-window', workspace], {
      stdio: 'ignore',
      detached: true,
    }),
  );
  say(`\nDesktop VS Code opens on ${workspace} with MCP Live and the fake model.\nCtrl+C here ends it.`);
  return new Promise<number>((done, fail) => {
    child.once('error', (error) =>
      fail(new Problem(`${code} could not be started: ${error.message}. Use "npm start -- --server".`)),
    );
    child.once('exit', (exitCode) => done(exitCode ?? 0));
  });
};

const startServer = async (workspace: string, port: number | undefined, open: boolean): Promise<number> => {
  const editor = await ensureEditor();
  const { file } = await step('build and package', packageExtension);
  const vsixFiles = [file, await step('fake model', packageFakeModel)];
  await rm(join(home, 'extensions'), { recursive: true, force: true });
  await step('install', () => installVsix(editor, home, vsixFiles));
  const server = await startEditorServer(editor, {
    folder: home,
    driver: false,
    ...(port === undefined ? {} : { port }),
  });
  const url = workbenchUrl(server, workspace);
  say(`\nVS Code ${editor.version} with MCP Live and the fake model runs on:\n\n  ${url}\n`);
  say(`Workspace: ${workspace}\nIts log:   ${server.logFile}\n`);
  say('The folder opens in Restricted Mode: trust it by the button in the MCP Live view, then start a server there.');
  say('Chats need no account. Start "memory", enable its feature sets, and write: @mcpl My name is Ada.');
  say('Ctrl+C ends all of it.');
  if (open) openInBrowser(url);
  await server.ended;
  return 1;
};

const portOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Problem(`"${text}" is not a port. Use a number from 1 to 65535.`);
  return port;
};

await main(async () => {
  const asked = options({ port: 'text', workspace: 'text', server: 'flag', fresh: 'flag', 'no-open': 'flag' });
  const port = portOf(asked.port);
  if (asked.fresh === true) await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  const sample = join(home, 'workspace');
  if (asked.workspace === undefined) await copyOnce(inProject('test/sample/workspace'), sample);
  const workspace = asked.workspace === undefined ? sample : resolve(asked.workspace);
  const desktop = asked.server === true || port !== undefined ? undefined : desktopEditor();
  return desktop === undefined
    ? startServer(workspace, port, asked['no-open'] !== true)
    : startDesktop(desktop, workspace);
});
