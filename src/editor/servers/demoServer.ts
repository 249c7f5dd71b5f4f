import * as vscode from 'vscode';
import type { Host } from '../../core/index.ts';
import { hasWorkspace } from './addServer.ts';
import { DEMO_COMMAND, DEMO_SERVER } from '../shared/ids.ts';
import { addNewServer, type Reveals } from './newServer.ts';
import { uniqueId } from './serverEntry.ts';
import type { EditorServices } from '../shared/services.ts';

/** The feature set of its tools for notes. */
const DEMO_TOOLS = 'notes.edit';

/** Sets up the server that comes with the extension, and starts it: one click from nothing to tools in chat. */
export async function tryDemo(services: Pick<EditorServices, 'host' | 'settings'>, tree: Reveals): Promise<void> {
  const { host, settings } = services;
  const there = demoOf(host);
  if (there === undefined) {
    const taken = new Set(host.servers().map(({ id }) => id));
    const place = hasWorkspace() ? 'workspace' : 'user';
    const id = uniqueId(DEMO_SERVER, taken);
    // Whoever wants to try its tools wants them on; what else it can do is left to be chosen.
    const entry = { command: DEMO_COMMAND, featureSets: { enabled: [DEMO_TOOLS] } };
    await addNewServer(services, tree, { id, entry, place, start: true });
  } else {
    await host.allowStart(there);
    await settings.setEnabled(there, true);
    await host.start(there);
    await tree.reveal(there);
  }
  await vscode.commands.executeCommand('mcpl.servers.focus');
}

/** The demo server that the settings have already, by whatever name. */
function demoOf(host: Host): string | undefined {
  return host.servers().find(({ definition }) => {
    const connection = definition?.connection;
    return connection?.kind === 'stdio' && connection.command === DEMO_COMMAND && connection.args.length === 0;
  })?.id;
}
