import type { Host, ServerSnapshot } from '../../core/index.ts';
import { Refused } from './commands.ts';

export function knownServer(host: Host, id: string): ServerSnapshot {
  const server = host.server(id);
  if (server !== undefined) return server;
  throw new Refused('UNKNOWN_SERVER', `There is no server "${id}".`, 'List them with "servers".');
}
