import * as vscode from 'vscode';
import { type Host, HostError, isObject, type OfferedTool, type ServerSnapshot } from '../core/index.ts';
import { plainText } from './plainText.ts';
import type { Picker, Target } from './services.ts';

/** What a command was given, as far as it names a server. */
export function targetOf(argument: unknown): Target | undefined {
  if (!isObject(argument) || typeof argument['server'] !== 'string') return undefined;
  const { server, tool } = argument;
  return typeof tool === 'string' ? { server, tool } : { server };
}

export class QuickPicker implements Picker {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  async server(
    argument: unknown,
    placeHolder: string,
    accepts: (id: string) => boolean = () => true,
  ): Promise<string | undefined> {
    const given = targetOf(argument);
    if (given !== undefined) return this.#known(given.server).id;
    const items = this.#host
      .servers()
      .filter((server) => accepts(server.id))
      .map((server) => ({ label: plainText(server.id, 64), description: summary(server), id: server.id }));
    return (await pick(items, placeHolder, vscode.l10n.t('No server can do that now.')))?.id;
  }

  async tool(
    argument: unknown,
    placeHolder: string,
    accepts: (server: string, tool: string) => boolean = () => true,
  ): Promise<Required<Target> | undefined> {
    const given = targetOf(argument);
    if (given?.tool !== undefined) return { server: this.#known(given.server).id, tool: given.tool };
    const servers = given === undefined ? this.#host.servers() : [this.#known(given.server)];
    const items = servers.flatMap((server) =>
      server.tools
        .filter(({ tool }) => accepts(server.id, tool.name))
        .map((offered) => ({ ...toolItem(offered), server: server.id, tool: offered.tool.name })),
    );
    return pick(items, placeHolder, vscode.l10n.t('There is no such tool now. Start a server first.'));
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

function toolItem({ tool }: OfferedTool): { readonly label: string; readonly detail: string } {
  return { label: plainText(tool.name, 100), detail: plainText(tool.description ?? tool.title ?? '', 200) };
}

function summary(server: ServerSnapshot): string {
  const { state } = server;
  switch (state.kind) {
    case 'stopped':
      return vscode.l10n.t('stopped');
    case 'asking':
      return vscode.l10n.t('waits for your answer');
    case 'starting':
      return vscode.l10n.t('starting');
    case 'running':
      return vscode.l10n.t('running, {0} tools', server.tools.length);
    case 'stopping':
      return vscode.l10n.t('stopping');
    case 'restarting':
      return vscode.l10n.t('restarting');
    case 'failed':
      return vscode.l10n.t('failed: {0}', plainText(state.error.message, 100));
  }
}

async function pick<T extends vscode.QuickPickItem>(
  items: readonly T[],
  placeHolder: string,
  nothing: string,
): Promise<T | undefined> {
  if (items.length > 0) return vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true });
  void vscode.window.showInformationMessage(nothing);
  return undefined;
}
