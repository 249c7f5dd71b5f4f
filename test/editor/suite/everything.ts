import * as vscode from 'vscode';
import { setServers, untilServer } from './mcpLive.ts';

/** The reference server that has one of everything, running as `everything`. */
export const startEverything = async (): Promise<void> => {
  const extension = vscode.extensions.getExtension('mcp-live.mcp-live');
  if (extension === undefined) throw new Error('MCP Live is not installed in this editor.');
  const path = ['node_modules', '@modelcontextprotocol', 'server-everything', 'dist', 'index.js'];
  const script = vscode.Uri.joinPath(extension.extensionUri, ...path).fsPath;
  await setServers({ everything: { command: process.execPath, args: [script], enabled: true } });
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
