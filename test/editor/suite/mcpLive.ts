import { rename, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Event, ServerSnapshot } from '../../../src/core/index.ts';
import type { McpLiveApi1 } from '../../../media/mcp-live.d.ts';
import type { McpLiveExtension, TestingApi } from '../../../src/editor/api/api.ts';

/** The demo server without MCPL: only five tools. */
export const PLAIN_DEMO = { command: 'mcpl-demo', protocol: { mcpl: 'off' } } as const;

interface Lent extends Pick<TestingApi, 'host' | 'gatewayAddress'> {
  readonly testing: TestingApi;
  /** The API for every extension. */
  readonly api: McpLiveApi1;
}

/** The extension's API and its testing API. */
export const mcpLive = async (): Promise<Lent> => {
  const extension = vscode.extensions.getExtension<McpLiveExtension>('mcp-live.mcp-live');
  if (extension === undefined) throw new Error('MCP Live is not installed in this editor.');
  const { testing, getApi } = await extension.activate();
  if (testing === undefined) throw new Error('MCP Live does not know that it is tested.');
  const { host, gatewayAddress } = testing;
  return { host, gatewayAddress, testing, api: getApi(1) };
};

/** Resolves when `test` is true. Checks it at every event. The error names the condition. */
export const until = async <T>(
  event: Event<T> | vscode.Event<T>,
  what: string,
  test: () => boolean,
  ms = 20_000,
): Promise<void> => {
  if (test()) return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => finish(() => reject(new Error(`Waited ${ms} ms for ${what}.`))), ms);
    const listener = event(() => {
      if (test()) finish(resolve);
    });
    const finish = (then: () => void): void => {
      clearTimeout(timer);
      listener.dispose();
      then();
    };
  });
};

export const untilServer = async (
  id: string,
  what: string,
  test: (server: ServerSnapshot | undefined) => boolean,
  ms?: number,
): Promise<ServerSnapshot | undefined> => {
  const { host } = await mcpLive();
  try {
    await until(host.onDidChangeServer, `${id}: ${what}`, () => test(host.server(id)), ms);
  } catch (error) {
    throw new Error(`${String(error)} It is ${JSON.stringify(host.server(id), undefined, 1)}`);
  }
  return host.server(id);
};

export const untilState = (id: string, kind: ServerSnapshot['state']['kind']): Promise<ServerSnapshot | undefined> =>
  untilServer(id, kind, (server) => server?.state.kind === kind);

/** Waits until the server runs with its tools listed. */
export const untilTools = (id: string): Promise<ServerSnapshot | undefined> =>
  untilServer(id, 'running with tools', (server) => server?.state.kind === 'running' && server.tools.length > 0);

export const settingsUri = (): vscode.Uri => {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder === undefined) throw new Error('These tests need an open folder.');
  return vscode.Uri.joinPath(folder.uri, '.vscode', 'settings.json');
};

/** Writes the workspace's settings.json like a user, atomically, because a file being written is empty. */
export const writeSettings = async (text: string): Promise<void> => {
  const { fsPath } = settingsUri();
  await writeFile(`${fsPath}.next`, text);
  await rename(`${fsPath}.next`, fsPath);
};

export const readSettings = async (): Promise<string> =>
  new TextDecoder().decode(await vscode.workspace.fs.readFile(settingsUri()));

/** A failed save leaves the file dirty, and then the editor writes nothing more. */
const revertSettings = async (): Promise<void> => {
  await vscode.window.showTextDocument(settingsUri());
  await vscode.commands.executeCommand('workbench.action.files.revert');
  await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
};

/** The editor refuses to write before it has noticed a change of the file, for example by MCP Live. */
export const setServers = async (servers: object | undefined): Promise<void> => {
  for (let left = 3; ; left--) {
    try {
      const configuration = vscode.workspace.getConfiguration();
      return await configuration.update('mcpl.servers', servers, vscode.ConfigurationTarget.Workspace);
    } catch (error) {
      if (left === 0) throw error;
      await revertSettings();
    }
  }
};

/** Removes servers, prepared answers and questions. Every test starts from this. */
export const cleanSlate = async (): Promise<void> => {
  const { host, testing } = await mcpLive();
  testing.answerConsent(undefined);
  await vscode.commands.executeCommand('notifications.clearAll');
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  const ids = host.servers().map(({ id }) => id);
  await setServers(undefined);
  await until(host.onDidChangeServer, 'no server', () => host.servers().length === 0);
  for (const id of ids) await host.forgetConsent(id);
  await host.events.clear();
};
