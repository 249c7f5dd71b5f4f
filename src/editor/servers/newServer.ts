import * as vscode from 'vscode';
import { type Host, HostError, type ServerSnapshot } from '../../core/index.ts';
import { DEMO_COMMAND, DEMO_SERVER } from '../shared/ids.ts';
import type { EditorServices } from '../shared/services.ts';
import { QuickInputWizard } from '../shared/wizard.ts';
import { askForServer, type EntryTarget, type NewServer } from './addServerSteps.ts';
import { uniqueId } from './serverEntry.ts';

export async function addServer(services: Pick<EditorServices, 'host' | 'settings'>, tree: Reveals): Promise<void> {
  const server = await askForServer(new QuickInputWizard(vscode.l10n.t('Add Server')), {
    taken: new Set(services.host.servers().map(({ id }) => id)),
    hasWorkspace: hasWorkspace(),
    style: process.platform === 'win32' ? 'windows' : 'posix',
  });
  if (server !== undefined) await addNewServer(services, tree, server);
}

/** Whether workspace settings can be written. */
function hasWorkspace(): boolean {
  return vscode.workspace.workspaceFile !== undefined || (vscode.workspace.workspaceFolders ?? []).length > 0;
}

/** How long the host may take to notice changed settings. */
const SEEN_MS = 10_000;

/** The part of the settings writer needed here. */
interface EntryWriter {
  add(server: string, entry: Readonly<Record<string, unknown>>, target?: EntryTarget): Promise<void>;
  setEnabled(server: string, enabled: boolean): Promise<void>;
}

export interface Reveals {
  reveal(server: string): Promise<void>;
}

/**
 * Writes a new server and starts it if requested. There is no prompt, because the user has just written the command
 * line.
 */
async function addNewServer(
  { host, settings }: Pick<EditorServices, 'host'> & { readonly settings: EntryWriter },
  tree: Reveals,
  { id, entry, target, start }: NewServer,
): Promise<void> {
  await settings.add(id, entry, target);
  await whenServer(host, id, () => true);
  await tree.reveal(id);
  if (!start) return;
  // Consent first, because enabling starts the server and would otherwise prompt.
  await host.allowStart(id);
  await settings.setEnabled(id, true);
  await whenServer(host, id, (server) => server.enabled);
  await host.start(id);
  await tree.reveal(id);
}

function whenServer(host: Host, id: string, accepts: (server: ServerSnapshot) => boolean): Promise<void> {
  const isThere = (): boolean => {
    const server = host.server(id);
    return server !== undefined && accepts(server);
  };
  if (isThere()) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      listening.dispose();
      reject(
        new HostError('INVALID_SETTINGS', `The new settings of the server "${id}" are not in effect.`, {
          layer: 'settings',
          suggestion: 'Check whether other settings override them, then start the server yourself.',
        }),
      );
    }, SEEN_MS);
    const listening = host.onDidChangeServer(() => {
      if (!isThere()) return;
      clearTimeout(timer);
      listening.dispose();
      resolve();
    });
  });
}

/** The feature set of its note tools. */
const DEMO_TOOLS = 'notes.edit';

/** Adds and starts the bundled demo server with one click. */
export async function tryDemo(services: Pick<EditorServices, 'host' | 'settings'>, tree: Reveals): Promise<void> {
  const { host, settings } = services;
  const there = demoOf(host);
  if (there === undefined) {
    const taken = new Set(host.servers().map(({ id }) => id));
    const target = hasWorkspace() ? 'workspace' : 'user';
    const id = uniqueId(DEMO_SERVER, taken);
    // Enables the set for its tools. The other sets are left for the user.
    const entry = { command: DEMO_COMMAND, featureSets: { enabled: [DEMO_TOOLS] } };
    await addNewServer(services, tree, { id, entry, target, start: true });
  } else {
    await host.allowStart(there);
    await settings.setEnabled(there, true);
    await host.start(there);
    await tree.reveal(there);
  }
  await vscode.commands.executeCommand('mcpl.servers.focus');
}

/** The demo server in settings, under any name. */
function demoOf(host: Host): string | undefined {
  return host.servers().find(({ definition }) => {
    const connection = definition?.connection;
    return connection?.kind === 'stdio' && connection.command === DEMO_COMMAND && connection.args.length === 0;
  })?.id;
}
