import { type Host, HostError, type ServerSnapshot } from '../../core/index.ts';
import type { EntryPlace, NewServer } from './addServerSteps.ts';
import type { EditorServices } from '../shared/services.ts';

/** How long the host may take to see what was written into the settings. */
const SEEN_MS = 10_000;

/** The part of the settings writer that this needs; the place is for those who offer a choice. */
export interface EntryWriter {
  add(server: string, entry: Readonly<Record<string, unknown>>, place?: EntryPlace): Promise<void>;
  setEnabled(server: string, enabled: boolean): Promise<void>;
}

export interface Reveals {
  reveal(server: string): Promise<void>;
}

/**
 * Writes a server that the person just put together, and starts it where asked to. No question follows: the person
 * has seen the whole command line, having written it.
 */
export async function addNewServer(
  { host, settings }: Pick<EditorServices, 'host'> & { readonly settings: EntryWriter },
  tree: Reveals,
  { id, entry, place, start }: NewServer,
): Promise<void> {
  await settings.add(id, entry, place);
  await whenServer(host, id, () => true);
  await tree.reveal(id);
  if (!start) return;
  // Consent first: enabling starts the server, and what is not allowed yet would be asked about.
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
