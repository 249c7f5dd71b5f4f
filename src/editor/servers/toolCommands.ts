import * as vscode from 'vscode';
import { type Disposable, DisposableStore, type OfferedTool } from '../../core/index.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import { COMMANDS, type CommandId } from '../shared/ids.ts';
import type { EditorServices, SettingsWriter } from '../shared/services.ts';

interface ToolCommand {
  readonly id: CommandId;
  readonly question: string;
  readonly accepts: (tool: OfferedTool) => boolean;
  readonly apply: (settings: SettingsWriter, server: string, tool: string) => Promise<void>;
}

/** The commands that decide what models may do with one tool. */
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
      // A changed definition is reviewed, not approved unseen.
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
