import * as vscode from 'vscode';
import { type Disposable, ignoreFailure, type ServerSnapshot } from '../core/index.ts';
import { plainText } from './plainText.ts';
import { relativeArguments } from './relativeArguments.ts';
import type { EditorServices } from './services.ts';

const TOLD = 'mcpl.workingFolder.told';

/**
 * Tells a user once that servers of user settings run in the home folder: one with relative arguments and no `cwd` may
 * have been written for another folder.
 */
export function hintAtWorkingFolder(
  { host, openServerSettings }: Pick<EditorServices, 'host' | 'openServerSettings'>,
  state: vscode.Memento,
): Disposable {
  const listening = host.onDidChangeServer(({ server: id, what }) => {
    const server = what === 'state' ? host.server(id) : undefined;
    if (server?.state.kind !== 'starting' || state.get(TOLD) === true) return;
    const args = relativeArgumentsOf(server);
    if (args.length === 0) return;
    void state.update(TOLD, true);
    listening.dispose();
    ignoreFailure(tell(id, args));
  });
  const tell = async (id: string, args: readonly string[]): Promise<void> => {
    const open = vscode.l10n.t('Open Settings');
    const text = vscode.l10n.t(
      'Servers of your user settings run in your home folder. "{0}" has relative arguments ({1}) and no "cwd": set "cwd" if they belong to another folder.',
      plainText(id, 64),
      args.map((arg) => JSON.stringify(plainText(arg, 60))).join(', '),
    );
    if ((await vscode.window.showInformationMessage(text, open)) === open) await openServerSettings(id);
  };
  return listening;
}

const MOST_NAMED = 3;

function relativeArgumentsOf({ definition }: ServerSnapshot): readonly string[] {
  if (definition?.definedBy !== 'user' || definition.connection.kind !== 'stdio') return [];
  const { cwd, args } = definition.connection;
  return cwd === undefined ? relativeArguments(args).slice(0, MOST_NAMED) : [];
}
