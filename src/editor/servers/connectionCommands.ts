import * as vscode from 'vscode';
import {
  type Disposable,
  DisposableStore,
  type Host,
  isRunning,
  LOG_LEVELS,
  type LogLevelName,
} from '../../core/index.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import { COMMANDS } from '../shared/ids.ts';
import { plainText } from '../shared/plainText.ts';
import { startFirst, targetOf } from '../shared/quickPicker.ts';
import type { EditorServices } from '../shared/services.ts';
import { notify } from '../shared/notify.ts';

type Needs = Pick<EditorServices, 'host' | 'failures' | 'pick' | 'asked' | 'accounts'>;

/** Registers the commands for running servers and accounts. */
export function registerConnectionCommands(services: Needs): Disposable {
  const store = new DisposableStore();
  const { host, pick, asked, accounts } = services;
  const levels = { failed: vscode.l10n.t('The log level was not changed') };
  store.add(
    registerCommand(services, COMMANDS.serverSetLogLevel, levels, async (argument) => {
      const placeHolder = vscode.l10n.t("Which server's log level do you want to change?");
      const nothing = startFirst(host, vscode.l10n.t('No running server has a log level.'));
      const id = await pick.server(argument, placeHolder, (server) => canLog(host, server), nothing);
      if (id !== undefined) await chooseLevel(host, id);
    }),
  );
  const leaving = { failed: vscode.l10n.t('You were not signed out') };
  store.add(
    registerCommand(services, COMMANDS.serverSignOut, leaving, async (argument) => {
      const placeHolder = vscode.l10n.t('From which server do you want to sign out?');
      const nothing = { text: vscode.l10n.t('No remote server is set up, so you are not signed in to any.') };
      const isRemote = (server: string): boolean => urlOf(host, server) !== undefined;
      const id = await pick.server(argument, placeHolder, isRemote, nothing);
      const url = id === undefined ? undefined : urlOf(host, id);
      if (id !== undefined && url !== undefined) await signOut(host, accounts, id, url);
    }),
  );
  const showing = { failed: vscode.l10n.t('The question cannot be shown') };
  store.add(
    registerCommand(services, COMMANDS.questionShow, showing, async (argument) => {
      if (asked.showAgain(targetOf(argument)?.server)) return;
      void notify({ severity: 'info', text: vscode.l10n.t('No server is waiting for an answer.') });
    }),
  );
  return store;
}

function canLog(host: Host, id: string): boolean {
  const server = host.server(id);
  return server !== undefined && isRunning(server.state) && server.capabilities['logging'] !== undefined;
}

async function chooseLevel(host: Host, id: string): Promise<void> {
  const current = host.logLevel(id);
  const items = LOG_LEVELS.map((level) => ({
    label: level,
    level,
    ...(level === current ? { description: vscode.l10n.t('current') } : {}),
  }));
  const placeHolder = vscode.l10n.t('Lowest level that "{0}" should log', plainText(id, 64));
  const chosen: { readonly level: LogLevelName } | undefined = await vscode.window.showQuickPick(items, {
    placeHolder,
  });
  if (chosen !== undefined) await host.setLogLevel(id, chosen.level);
}

/** Only for a literal address. One with variables is only known while the server runs. */
function urlOf(host: Host, id: string): string | undefined {
  const connection = host.server(id)?.definition?.connection;
  return connection?.kind === 'remote' ? connection.url : undefined;
}

async function signOut(host: Host, accounts: EditorServices['accounts'], id: string, url: string): Promise<void> {
  const server = plainText(id, 64);
  if (!(await accounts.signOut(url))) {
    void notify({ severity: 'info', text: vscode.l10n.t('You are not signed in to "{0}".', server) });
    return;
  }
  const state = host.server(id)?.state;
  // The open connection uses revoked credentials.
  if (state !== undefined && isRunning(state)) await host.stop(id);
  void notify({ severity: 'info', text: vscode.l10n.t('Signed out of "{0}". It asks again when it starts.', server) });
}
