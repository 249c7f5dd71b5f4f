import * as vscode from 'vscode';
import type { Disposable } from '../../core/index.ts';
import type { CommandId } from './ids.ts';
import type { EditorServices } from './services.ts';
import { targetOf } from './quickPicker.ts';

export interface CommandText {
  /** What did not work, as a sentence without its full stop: `The server could not be stopped`. */
  readonly failed: string;
  readonly retry?: boolean;
}

/** `selection`: the rows that are selected in a tree, where several can be. */
export type CommandRun = (argument: unknown, selection: unknown) => Promise<void>;

/** Registers a command whose failure is told instead of thrown at the editor, which would show it raw. */
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
