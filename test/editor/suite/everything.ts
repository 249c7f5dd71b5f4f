import * as vscode from 'vscode';
import { setServers, untilServer } from './mcpLive.ts';

/** The entry of a reference server from npm. */
export const referenceServer = (name: string): { readonly command: string; readonly args: readonly string[] } => {
  const extension = vscode.extensions.getExtension('mcp-live.mcp-live');
  if (extension === undefined) throw new Error('MCP Live is not installed in this editor.');
  const path = ['node_modules', '@modelcontextprotocol', name, 'dist', 'index.js'];
  return { command: process.execPath, args: [vscode.Uri.joinPath(extension.extensionUri, ...path).fsPath] };
};

/** The reference server with one of everything, running as `everything`. */
export const startEverything = async (): Promise<void> => {
  await setServers({ everything: { ...referenceServer('server-everything'), enabled: true } });
  await untilServer(
    'everything',
    'running with all its lists',
    (server) =>
      server?.state.kind === 'running' &&
      server.tools.length > 0 &&
      server.templates.length > 0 &&
      server.prompts.length > 0,
  );
};
