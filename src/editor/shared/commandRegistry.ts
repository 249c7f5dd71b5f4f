import * as vscode from 'vscode';
import { type AsyncLazy, type Disposable, DisposableStore } from '../../core/index.ts';
import type { CommandId } from './ids.ts';
import type { EditorServices } from './services.ts';
import { targetOf } from './quickPicker.ts';

interface CommandText {
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

/** The commands of a part of the editor that is loaded with the first of them. */
interface LoadedActions<A extends string> {
  readonly actions: Readonly<Record<A, (argument: unknown, selection: unknown) => Promise<unknown>>>;
}

type ActionRow<A> = readonly [id: CommandId, action: A, failed: string, options?: Pick<CommandText, 'retry'>];

/** Registers commands whose actions are loaded on first use. */
export function registerActions<A extends string>(
  services: Pick<EditorServices, 'failures'>,
  part: AsyncLazy<LoadedActions<A>>,
  rows: readonly ActionRow<A>[],
): Disposable {
  const store = new DisposableStore();
  for (const [id, action, failed, options] of rows)
    store.add(
      registerCommand(services, id, { failed, ...options }, async (argument, selection) => {
        await (await part.get()).actions[action](argument, selection);
      }),
    );
  return store;
}
