import * as vscode from 'vscode';
import {
  canStart,
  cleanLine,
  type Host,
  HostError,
  isObject,
  type OfferedTool,
  type ServerSnapshot,
} from '../../core/index.ts';
import { type CommandId, COMMANDS } from './ids.ts';
import { plainText } from './plainText.ts';
import { stateWords } from './serverStateText.ts';
import type { EmptyList, Picker, Target, ToolTarget } from './services.ts';
import { notify, type NotificationButton } from './notify.ts';

/** The target in a command's argument. */
export function targetOf(argument: unknown): Target | undefined {
  if (!isObject(argument) || typeof argument['server'] !== 'string') return undefined;
  const text = (key: Exclude<keyof Target, 'server'>): Partial<Target> => {
    const value = argument[key];
    return typeof value === 'string' ? { [key]: value } : {};
  };
  const { server } = argument;
  const offer = { ...text('tool'), ...text('resource'), ...text('template'), ...text('prompt') };
  return { server, ...offer, ...text('featureSet'), ...text('event') };
}

type Texts = Pick<vscode.QuickPickItem, 'label' | 'description' | 'detail'>;

export class QuickPicker implements Picker {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  async server(
    argument: unknown,
    placeHolder: string,
    accepts: (id: string) => boolean = () => true,
    nothing?: EmptyList,
  ): Promise<string | undefined> {
    const given = targetOf(argument);
    if (given !== undefined) return this.#known(given.server).id;
    const servers = this.#host.servers();
    const items = servers
      .filter((server) => accepts(server.id))
      .map((server) => ({
        label: withoutIcons(plainText(server.id, 64)),
        description: summary(server),
        id: server.id,
      }));
    return (await pick(items, placeHolder, servers.length > 0 && nothing !== undefined ? nothing : noServer()))?.id;
  }

  async tool(
    argument: unknown,
    placeHolder: string,
    accepts: (server: string, tool: string) => boolean = () => true,
    nothing?: EmptyList,
  ): Promise<ToolTarget | undefined> {
    const given = targetOf(argument);
    if (given?.tool !== undefined) return { server: this.#known(given.server).id, tool: given.tool };
    const servers = given === undefined ? this.#host.servers() : [this.#known(given.server)];
    const items = servers.flatMap((server) =>
      server.tools
        .filter(({ tool }) => accepts(server.id, tool.name))
        .map((offered) => ({ ...toolItem(server, offered), server: server.id, tool: offered.tool.name })),
    );
    const hasTools = servers.some((server) => server.tools.length > 0);
    const noTool = startFirst(this.#host, vscode.l10n.t('No running server offers tools.'));
    return pick(items, placeHolder, hasTools && nothing !== undefined ? nothing : noTool);
  }

  #known(id: string): ServerSnapshot {
    const server = this.#host.server(id);
    if (server !== undefined) return server;
    throw new HostError('UNKNOWN_SERVER', vscode.l10n.t('There is no server "{0}".', id), {
      layer: 'settings',
      suggestion: vscode.l10n.t('Add it to the setting "mcpl.servers".'),
    });
  }
}

function toolItem({ id }: ServerSnapshot, { tool }: OfferedTool): Required<Texts> {
  return {
    label: withoutIcons(plainText(tool.name, 100)),
    description: withoutIcons(plainText(id, 64)),
    // Descriptions may have several lines.
    detail: withoutIcons(plainText(cleanLine(tool.description ?? tool.title ?? '', 200))),
  };
}

/** Breaks up `$(…)`, which a quick pick renders as an icon. */
export function withoutIcons(text: string): string {
  return text.replaceAll('$(', '$ (');
}

function summary(server: ServerSnapshot): string {
  const { state } = server;
  return state.kind === 'failed'
    ? vscode.l10n.t('failed: {0}', withoutIcons(plainText(cleanLine(state.error.message, 100))))
    : stateWords(server);
}

/**
 * For a list of what running servers offer: says that one must be started first, if one can be. `text` says what is
 * missing, as a sentence.
 */
export function startFirst(host: Pick<Host, 'servers'>, text: string): EmptyList {
  if (!vscode.workspace.isTrusted) return inRestrictedMode(text);
  const servers = host.servers();
  if (servers.length === 0) return noServer();
  if (!servers.some(({ definition, state }) => definition !== undefined && canStart(state))) return { text };
  return {
    text: `${text} ${vscode.l10n.t('Start one first.')}`,
    action: commandButton(vscode.l10n.t('Start Server…'), COMMANDS.serverStart),
  };
}

function noServer(): EmptyList {
  const text = vscode.l10n.t('No server is set up yet.');
  if (!vscode.workspace.isTrusted) return inRestrictedMode(text);
  return {
    text: `${text} ${vscode.l10n.t('Add one first.')}`,
    action: commandButton(vscode.l10n.t('Add Server…'), COMMANDS.serverAdd),
  };
}

/** The entries of the servers that could be chosen have errors. */
export function invalidEntries(): EmptyList {
  return {
    text: vscode.l10n.t('Only servers with errors in their settings are left. Correct the errors first.'),
    action: commandButton(vscode.l10n.t('Open Server Settings…'), COMMANDS.serverOpenSettings),
  };
}

function inRestrictedMode(text: string): EmptyList {
  return {
    text: `${text} ${vscode.l10n.t('This workspace is in Restricted Mode: trust it to use its servers.')}`,
    action: commandButton(vscode.l10n.t('Manage Workspace Trust'), 'workbench.trust.manage'),
  };
}

/** A button that runs a command without an argument. */
export function commandButton(title: string, command: CommandId | 'workbench.trust.manage'): NotificationButton {
  return { title, run: () => vscode.commands.executeCommand(command) };
}

/** Shows a quick pick, or `nothing` if the list is empty. A text alone has no next step. */
export async function pick<T extends vscode.QuickPickItem>(
  items: readonly T[],
  placeHolder: string,
  nothing: EmptyList | string,
): Promise<T | undefined> {
  if (items.length > 0) return vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true });
  const { text, action } = typeof nothing === 'string' ? { text: nothing, action: undefined } : nothing;
  void notify({ severity: 'info', text, buttons: action === undefined ? [] : [action] });
  return undefined;
}
