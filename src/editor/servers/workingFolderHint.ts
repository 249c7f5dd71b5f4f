import * as vscode from 'vscode';
import { type Disposable, ignoreFailure, type ServerSnapshot } from '../../core/index.ts';
import { relativeArgumentsOf } from './relativeArguments.ts';
import { notify, wasShown } from '../shared/notify.ts';
import type { EditorServices } from '../shared/services.ts';

const TOLD = 'mcpl.workingFolder.told';

/**
 * Tells the user once that user servers run in the home folder: one with relative arguments and no `cwd` may need
 * another folder.
 */
export function hintAtWorkingFolder(
  { host, openServerSettings }: Pick<EditorServices, 'host' | 'openServerSettings'>,
  state: vscode.Memento,
): Disposable {
  const once = { state, key: TOLD };
  const listening = host.onDidChangeServer(({ server: id, what }) => {
    if (what !== 'state' || wasShown(once)) return;
    const server = host.server(id);
    if (server?.state.kind !== 'starting' || relativeArgumentsOf(server).length === 0) return;
    listening.dispose();
    ignoreFailure(tell(server));
  });
  const tell = async (server: ServerSnapshot): Promise<void> => {
    const { workingFolderText } = await import('./lazy.ts');
    const others = host.servers().filter(({ id, enabled }) => enabled && id !== server.id);
    const text = workingFolderText(server, others);
    const buttons = [{ title: vscode.l10n.t('Open Settings'), run: () => openServerSettings(server.id) }];
    await notify({ severity: 'info', text, buttons, once });
  };
  return listening;
}
