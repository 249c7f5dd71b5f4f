import * as vscode from 'vscode';
import { canStart, canStop, type Disposable, DisposableStore, type ServerSnapshot } from '../../core/index.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import { COMMANDS } from '../shared/ids.ts';
import { plainText } from '../shared/plainText.ts';
import type { EditorServices } from '../shared/services.ts';
import { settingOf } from '../settings/settingsOpener.ts';

/** The commands that act on one server. */
export function registerServerCommands(services: EditorServices): Disposable {
  const owned = new DisposableStore();
  registerRunning(services, owned);
  registerSettings(services, owned);
  return owned;
}

function registerRunning(services: EditorServices, owned: DisposableStore): void {
  const { host, pick, questions, asked } = services;
  const whose = (test: (server: ServerSnapshot) => boolean) => (id: string) => {
    const server = host.server(id);
    return server !== undefined && test(server);
  };
  const waits = (id: string): boolean =>
    questions.waiting.some((question) => question.server === id) ||
    (host.server(id)?.state.kind === 'asking' && asked.waiting.some(({ server }) => server === id));
  const startable = (server: ServerSnapshot): boolean =>
    (server.definition !== undefined && canStart(server.state)) || waits(server.id);

  const usable = whose((server) => server.definition !== undefined);

  const starting = { failed: vscode.l10n.t('The server did not start'), retry: true };
  owned.add(
    registerCommand(services, COMMANDS.serverStart, starting, async (argument) => {
      const id = await pick.server(argument, vscode.l10n.t('Which server do you want to start?'), whose(startable));
      // A toast hides itself: who starts a server that waits for an answer wants to see the question.
      if (id === undefined || questions.showAgain(id) || asked.showAgain(id)) return;
      host.chooseStart(id);
      await host.start(id);
    }),
  );
  const stopping = { failed: vscode.l10n.t('The server did not stop cleanly'), retry: true };
  owned.add(
    registerCommand(services, COMMANDS.serverStop, stopping, async (argument) => {
      const stoppable = whose((server) => canStop(server.state));
      const id = await pick.server(argument, vscode.l10n.t('Which server do you want to stop?'), stoppable);
      if (id !== undefined) await host.stop(id);
    }),
  );
  const restarting = { failed: vscode.l10n.t('The server did not restart'), retry: true };
  owned.add(
    registerCommand(services, COMMANDS.serverRestart, restarting, async (argument) => {
      const id = await pick.server(argument, vscode.l10n.t('Which server do you want to restart?'), usable);
      if (id !== undefined) await host.restart(id);
    }),
  );
  const cancelling = { failed: vscode.l10n.t('The call was not cancelled') };
  owned.add(
    registerCommand(services, COMMANDS.serverCancelCall, cancelling, async (argument) => {
      const busy = whose((server) => server.health?.kind === 'busy');
      const id = await pick.server(argument, vscode.l10n.t("Which server's call do you want to cancel?"), busy);
      if (id !== undefined) host.cancelCalls(id);
    }),
  );
  const forgetting = { failed: vscode.l10n.t('The permission to start was not forgotten') };
  owned.add(
    registerCommand(services, COMMANDS.serverForgetConsent, forgetting, async (argument) => {
      const id = await pick.server(argument, vscode.l10n.t('Which server should ask again before it starts?'));
      if (id === undefined) return;
      await host.forgetConsent(id);
      const text = vscode.l10n.t('The server "{0}" asks again before its next start.', plainText(id, 64));
      void vscode.window.showInformationMessage(text);
    }),
  );
}

function registerSettings(services: EditorServices, owned: DisposableStore): void {
  const { host, pick, settings, logs } = services;
  const failed = vscode.l10n.t('The settings were not changed');
  owned.add(
    registerCommand(services, COMMANDS.serverEnable, { failed }, async (argument) => {
      const isOff = (id: string): boolean => host.server(id)?.enabled === false;
      const id = await pick.server(argument, vscode.l10n.t('Which server should run in this workspace?'), isOff);
      if (id === undefined) return;
      // Before the settings change, which starts it.
      host.chooseStart(id);
      await settings.setEnabled(id, true);
    }),
  );
  owned.add(
    registerCommand(services, COMMANDS.serverDisable, { failed }, async (argument) => {
      const isOn = (id: string): boolean => host.server(id)?.enabled === true;
      const id = await pick.server(argument, vscode.l10n.t('Which server should not run in this workspace?'), isOn);
      if (id !== undefined) await settings.setEnabled(id, false);
    }),
  );
  owned.add(
    registerCommand(services, COMMANDS.serverRemove, { failed }, async (argument) => {
      const id = await pick.server(argument, vscode.l10n.t('Which server do you want to remove?'));
      if (id !== undefined) await settings.remove(id);
    }),
  );
  owned.add(
    registerCommand(
      services,
      COMMANDS.serverShowLog,
      { failed: vscode.l10n.t('The log cannot be shown') },
      async (argument) => {
        const id = await pick.server(argument, vscode.l10n.t("Which server's log do you want to see?"));
        if (id !== undefined) logs.showServer(id);
      },
    ),
  );
  const opening = { failed: vscode.l10n.t('The settings cannot be opened') };
  owned.add(
    registerCommand(services, COMMANDS.serverOpenSettings, opening, async (argument) => {
      const setting = settingOf(argument);
      if (setting !== undefined) return services.openSetting(setting);
      const id = await pick.server(argument, vscode.l10n.t("Which server's settings do you want to see?"));
      if (id !== undefined) await services.openServerSettings(id);
    }),
  );
}
