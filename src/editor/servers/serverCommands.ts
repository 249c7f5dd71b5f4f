import * as vscode from 'vscode';
import {
  canStart,
  canStop,
  type Disposable,
  DisposableStore,
  type OfferedTool,
  type ServerSnapshot,
} from '../../core/index.ts';
import { settingOf } from '../settings/settingsOpener.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import { type CommandId, COMMANDS } from '../shared/ids.ts';
import { notify } from '../shared/notify.ts';
import { plainText } from '../shared/plainText.ts';
import type { EditorServices, SettingsWriter } from '../shared/services.ts';

/** Registers the commands for one server. */
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
      // Notifications disappear, so starting a server with an open question shows it again.
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
      void notify({ severity: 'info', text });
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

interface ToolCommand {
  readonly id: CommandId;
  readonly question: string;
  readonly accepts: (tool: OfferedTool) => boolean;
  readonly apply: (settings: SettingsWriter, server: string, tool: string) => Promise<void>;
}

/** Registers the commands that control what models may do with a tool. */
export function registerToolCommands(services: EditorServices): Disposable {
  const owned = new DisposableStore();
  const { host, pick, settings } = services;
  for (const command of toolCommands()) {
    const accepts = (server: string, name: string): boolean => {
      const found = host.server(server)?.tools.find(({ tool }) => tool.name === name);
      return found !== undefined && command.accepts(found);
    };
    const text = { failed: vscode.l10n.t('The settings of the tool were not changed') };
    owned.add(
      registerCommand(services, command.id, text, async (argument) => {
        const target = await pick.tool(argument, command.question, accepts);
        if (target !== undefined) await command.apply(settings, target.server, target.tool);
      }),
    );
  }
  return owned;
}

function toolCommands(): readonly ToolCommand[] {
  return [
    {
      id: COMMANDS.toolAutoApprove,
      question: vscode.l10n.t('Which tool may models call without asking you?'),
      // A changed definition must be reviewed before approval.
      accepts: ({ autoApproved, change }) => !autoApproved && change === undefined,
      apply: (settings, server, tool) => settings.setToolAutoApproved(server, tool, true),
    },
    {
      id: COMMANDS.toolAskFirst,
      question: vscode.l10n.t('Before which tool do you want to be asked?'),
      accepts: ({ autoApproved, change }) => autoApproved || change !== undefined,
      apply: (settings, server, tool) => settings.setToolAutoApproved(server, tool, false),
    },
    {
      id: COMMANDS.toolOffer,
      question: vscode.l10n.t('Which tool should models be offered?'),
      accepts: ({ offered, forApps, setOff }) => !offered && forApps === undefined && setOff === undefined,
      apply: (settings, server, tool) => settings.setToolOffered(server, tool, true),
    },
    {
      id: COMMANDS.toolHide,
      question: vscode.l10n.t('Which tool should be hidden from models?'),
      accepts: (tool) => tool.offered,
      apply: (settings, server, tool) => settings.setToolOffered(server, tool, false),
    },
  ];
}
