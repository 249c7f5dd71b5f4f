import * as vscode from 'vscode';
import type { ControlContext } from './controlTools.ts';
import { CONTROL_TOOLS } from '../shared/ids.ts';

/** Tools for models about the host itself. They are loaded with the first call. */
export function registerControlTools(context: ControlContext): vscode.Disposable {
  const tools = Object.values(CONTROL_TOOLS).map((name) =>
    vscode.lm.registerTool<unknown>(name, {
      prepareInvocation: async ({ input }) => (await import('./controlTools.ts')).prepareTool(context, name, input),
      invoke: async (call, token) => (await import('./controlTools.ts')).invokeTool(context, name, call, token),
    }),
  );
  return vscode.Disposable.from(...tools);
}
