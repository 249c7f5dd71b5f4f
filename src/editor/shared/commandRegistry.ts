import * as vscode from 'vscode';
import type { Disposable } from '../../core/index.ts';
import type { CommandId } from './ids.ts';
import type { EditorServices } from './services.ts';
import { targetOf } from './quickPicker.ts';

export interface CommandText {
  /** What failed, as a sentence without its full stop: `The server could not be stopped`. */
  readonly failed: string;
  readonly retry?: boolean;
}

/** `selection`: the selected rows of a tree with multiple selection. */
type CommandRun = (argument: unknown, selection: unknown) => Promise<void>;

/** Registers a command and reports its failures, which the editor would show raw. */
export function registerCommand(
  services: Pick<EditorServices, 'failures'>,
  id: CommandId,
  text: CommandText,
  run: CommandRun,
): Disposable {
  return vscode.commands.registerCommand(id, async (argument: unknown, selection: unknown) => {
    try {
      await run(argument, selection);
    } catch (error) {
      const retry = text.retry === true ? { retry: () => vscode.commands.executeCommand(id, argument, selection) } : {};
      services.failures.show(text.failed, error, { server: targetOf(argument)?.server, ...retry });
    }
  });
}
