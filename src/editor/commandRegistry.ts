import * as vscode from 'vscode';
import type { Disposable } from '../core/index.ts';
import type { CommandId } from './ids.ts';
import type { EditorServices } from './services.ts';
import { targetOf } from './quickPicker.ts';

export interface CommandText {
  /** What did not work, as a sentence without its full stop: `The server could not be stopped`. */
  readonly failed: string;
  readonly retry?: boolean;
}

/** Registers a command whose failure is told instead of thrown at the editor, which would show it raw. */
export function registerCommand(
  services: Pick<EditorServices, 'failures'>,
  id: CommandId,
  text: CommandText,
  run: (argument: unknown) => Promise<void>,
): Disposable {
  return vscode.commands.registerCommand(id, async (argument: unknown) => {
    try {
      await run(argument);
    } catch (error) {
      const retry = text.retry === true ? { retry: () => vscode.commands.executeCommand(id, argument) } : {};
      services.failures.show(text.failed, error, { server: targetOf(argument)?.server, ...retry });
    }
  });
}
