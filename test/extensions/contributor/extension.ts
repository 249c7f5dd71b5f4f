import * as vscode from 'vscode';
import type {
  Disposable,
  McpLiveApi1,
  McpLiveExports,
  ModelRunner,
  ServerProvider,
} from '../../../media/mcp-live.d.ts';

/** The actions for tests. */
export interface Contributor {
  readonly id: string;
  readonly mcpLive: McpLiveApi1;
  contribute(provider: Omit<ServerProvider, 'extensionId'>): Disposable;
  addModel(id: string, runner: Omit<ModelRunner, 'extensionId'>): Disposable;
}

/** Finds MCP Live as documented. */
export const activate = async (context: vscode.ExtensionContext): Promise<Contributor> => {
  const extension = vscode.extensions.getExtension<McpLiveExports>('mcp-live.mcp-live');
  const mcpLive = (await extension?.activate())?.getApi(1);
  if (mcpLive === undefined) throw new Error('MCP Live is not installed.');
  const extensionId = context.extension.id;
  return {
    id: extensionId,
    mcpLive,
    contribute: (provider) => mcpLive.registerServers({ ...provider, extensionId }),
    addModel: (id, runner) => mcpLive.registerModelRunner(id, { ...runner, extensionId }),
  };
};
