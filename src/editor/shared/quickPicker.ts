import * as vscode from 'vscode';
import { cleanLine, type Host, HostError, isObject, type OfferedTool, type ServerSnapshot } from '../../core/index.ts';
import { plainText } from './plainText.ts';
import { stateWords } from './serverStateText.ts';
import type { Picker, Target, ToolTarget } from './services.ts';
import { notify } from './notify.ts';

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
  ): Promise<string | undefined> {
    const given = targetOf(argument);
    if (given !== undefined) return this.#known(given.server).id;
    const items = this.#host
      .servers()
      .filter((server) => accepts(server.id))
      .map((server) => ({
        label: withoutIcons(plainText(server.id, 64)),
        description: summary(server),
        id: server.id,
      }));
    return (await pick(items, placeHolder, vscode.l10n.t('No server can do that now.')))?.id;
  }

  async tool(
    argument: unknown,
    placeHolder: string,
    accepts: (server: string, tool: string) => boolean = () => true,
  ): Promise<ToolTarget | undefined> {
    const given = targetOf(argument);
    if (given?.tool !== undefined) return { server: this.#known(given.server).id, tool: given.tool };
    const servers = given === undefined ? this.#host.servers() : [this.#known(given.server)];
    const items = servers.flatMap((server) =>
      server.tools
        .filter(({ tool }) => accepts(server.id, tool.name))
        .map((offered) => ({ ...toolItem(server, offered), server: server.id, tool: offered.tool.name })),
    );
    const nothing = servers.some((server) => server.tools.length > 0)
      ? vscode.l10n.t('There is no such tool now.')
      : vscode.l10n.t('There is no tool now. Start a server first.');
    return pick(items, placeHolder, nothing);
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

export async function pick<T extends vscode.QuickPickItem>(
  items: readonly T[],
  placeHolder: string,
  nothing: string,
): Promise<T | undefined> {
  if (items.length > 0) return vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true });
  void notify({ severity: 'info', text: nothing });
  return undefined;
}
