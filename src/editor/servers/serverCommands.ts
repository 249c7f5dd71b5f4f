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
import { invalidEntries } from '../shared/quickPicker.ts';
import type { EditorServices, EmptyList, SettingsWriter } from '../shared/services.ts';
import { isRow } from '../shared/treeNode.ts';
import { DoubleClicks } from './doubleClick.ts';

/** Registers the commands for one server. */
export function registerServerCommands(services: EditorServices): Disposable {
  const owned = new DisposableStore();
  registerRunning(services, owned);
  registerSettings(services, owned);
  return owned;
}

function registerRunning(services: EditorServices, owned: DisposableStore): void {
  const { host, pick, questions, asked, clock } = services;
  const clicks = new DoubleClicks(clock);
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
      const placeHolder = vscode.l10n.t('Which server do you want to start?');
      const id = await pick.server(argument, placeHolder, whose(startable), nothingToStart(host.servers()));
      // Notifications disappear, so starting a server with an open question shows it again.
      if (id === undefined || (isRow(argument) && clicks.isSecond(id))) return;
      if (questions.showAgain(id) || asked.showAgain(id)) return;
      host.chooseStart(id);
      await host.start(id);
    }),
  );
  const stopping = { failed: vscode.l10n.t('The server did not stop cleanly'), retry: true };
  owned.add(
    registerCommand(services, COMMANDS.serverStop, stopping, async (argument) => {
      const stoppable = whose((server) => canStop(server.state));
      const nothing = { text: vscode.l10n.t('No server is running, so there is nothing to stop.') };
      const id = await pick.server(argument, vscode.l10n.t('Which server do you want to stop?'), stoppable, nothing);
      // After a click on Start, the row has Stop at the same place.
      if (id === undefined || (isRow(argument) && clicks.isSecond(id))) return;
      await host.stop(id);
    }),
  );
  const restarting = { failed: vscode.l10n.t('The server did not restart'), retry: true };
  owned.add(
    registerCommand(services, COMMANDS.serverRestart, restarting, async (argument) => {
      const placeHolder = vscode.l10n.t('Which server do you want to restart?');
      const id = await pick.server(argument, placeHolder, usable, invalidEntries());
      if (id === undefined || (isRow(argument) && clicks.isSecond(id))) return;
      await host.restart(id);
    }),
  );
  const cancelling = { failed: vscode.l10n.t('The call was not cancelled') };
  owned.add(
    registerCommand(services, COMMANDS.serverCancelCall, cancelling, async (argument) => {
      const busy = whose((server) => server.health?.kind === 'busy');
      const placeHolder = vscode.l10n.t("Which server's call do you want to cancel?");
      const nothing = { text: vscode.l10n.t('No server is busy with a call, so there is nothing to cancel.') };
      const id = await pick.server(argument, placeHolder, busy, nothing);
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

/** Why no server can be started. */
function nothingToStart(servers: readonly ServerSnapshot[]): EmptyList {
  if (servers.some(({ definition }) => definition === undefined)) return invalidEntries();
  return { text: vscode.l10n.t('All servers are running already.') };
}

function registerSettings(services: EditorServices, owned: DisposableStore): void {
  const { host, pick, settings, logs } = services;
  const failed = vscode.l10n.t('The settings were not changed');
  owned.add(
    registerCommand(services, COMMANDS.serverEnable, { failed }, async (argument) => {
      const isOff = (id: string): boolean => host.server(id)?.enabled === false;
      const nothing = { text: vscode.l10n.t('All servers are enabled in this workspace.') };
      const placeHolder = vscode.l10n.t('Which server do you want to enable in this workspace?');
      const id = await pick.server(argument, placeHolder, isOff, nothing);
      if (id === undefined) return;
      // Before the settings change, which starts it.
      host.chooseStart(id);
      await settings.setEnabled(id, true);
    }),
  );
  owned.add(
    registerCommand(services, COMMANDS.serverDisable, { failed }, async (argument) => {
      const isOn = (id: string): boolean => host.server(id)?.enabled === true;
      const nothing = { text: vscode.l10n.t('All servers are disabled in this workspace.') };
      const placeHolder = vscode.l10n.t('Which server do you want to disable in this workspace?');
      const id = await pick.server(argument, placeHolder, isOn, nothing);
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
  /** Shown if no tool is left to choose. */
  readonly none: string;
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
        const target = await pick.tool(argument, command.question, accepts, { text: command.none });
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
      none: vscode.l10n.t('Models may call all reviewed tools without asking you already.'),
      // A changed definition must be reviewed before approval.
      accepts: ({ autoApproved, change }) => !autoApproved && change === undefined,
      apply: (settings, server, tool) => settings.setToolAutoApproved(server, tool, true),
    },
    {
      id: COMMANDS.toolAskFirst,
      question: vscode.l10n.t('Which tool should ask you before each call?'),
      none: vscode.l10n.t('All tools already ask you before each call.'),
      accepts: ({ autoApproved, change }) => autoApproved || change !== undefined,
      apply: (settings, server, tool) => settings.setToolAutoApproved(server, tool, false),
    },
    {
      id: COMMANDS.toolOffer,
      question: vscode.l10n.t('Which tool do you want to offer to models?'),
      none: vscode.l10n.t(
        'No tool is hidden. A tool of a feature set that is off is offered once you turn the set on.',
      ),
      accepts: ({ offered, forApps, setOff }) => !offered && forApps === undefined && setOff === undefined,
      apply: (settings, server, tool) => settings.setToolOffered(server, tool, true),
    },
    {
      id: COMMANDS.toolHide,
      question: vscode.l10n.t('Which tool do you want to hide from models?'),
      none: vscode.l10n.t('No tool is offered to models, so there is nothing to hide.'),
      accepts: (tool) => tool.offered,
      apply: (settings, server, tool) => settings.setToolOffered(server, tool, false),
    },
  ];
}
