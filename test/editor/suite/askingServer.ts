import * as vscode from 'vscode';
import type { JsonObject } from '../../../src/core/index.ts';
import { mcpLive, setServers, untilServer } from './mcpLive.ts';

/** The server that sends scripted requests, running as `asking`. Another program name makes it another program. */
export const startAsking = async (program = 'program', entry: object = {}): Promise<void> => {
  const extension = vscode.extensions.getExtension('mcp-live.mcp-live');
  if (extension === undefined) throw new Error('MCP Live is not installed in this editor.');
  const path = vscode.Uri.joinPath(extension.extensionUri, 'test', 'node', 'fixtures', 'askingServer.mjs').fsPath;
  // Removes it first, because a restarting server would be taken for the new one.
  await setServers(undefined);
  await untilServer('asking', 'gone', (server) => server === undefined);
  await setServers({ asking: { command: process.execPath, args: [path, program], enabled: true, ...entry } });
  await untilServer(
    'asking',
    'running with all its lists',
    (server) => server?.state.kind === 'running' && server.resources.length === 2 && server.prompts.length === 1,
  );
};

const call = async (tool: string, args: JsonObject): Promise<string> => {
  const { host } = await mcpLive();
  return (await host.callTool({ server: 'asking', tool, args, route: 'api' })).modelText;
};

/** Sends a request of the server. Returns the answer unchanged. */
export const asks = (method: string, params: JsonObject): Promise<string> => call('ask', { method, params });

/** A prompt of one text, with more members of the request. */
export const asksModel = (text: string, more: JsonObject = {}): Promise<string> =>
  asks('sampling/createMessage', {
    messages: [{ role: 'user', content: { type: 'text', text } }],
    maxTokens: 100,
    ...more,
  });

/** Cancels all its requests. */
export const takesBack = async (): Promise<void> => {
  await call('takeBack', {});
};

export const changes = async (): Promise<void> => {
  await call('change', {});
};
