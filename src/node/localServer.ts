import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { GatewayLimits } from './gatewayLimits.ts';

export type LocalLimits = Pick<GatewayLimits, 'headersMs' | 'requestMs' | 'connections'>;

/** A server of HTTP for programs of this machine, which nobody listens to yet. */
export function createLocalServer(limits: LocalLimits): Server {
  const server = createServer({
    // Unfinished requests are looked for this often only: it is part of every limit below.
    connectionsCheckingInterval: Math.max(50, Math.min(5_000, limits.headersMs / 2)),
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: 30_000,
    maxHeaderSize: 16 * 1024,
  });
  server.maxConnections = limits.connections;
  // Without a listener Node would answer what is no HTTP, or comes too slowly, with a status of 4xx.
  server.on('clientError', (_error, socket) => socket.destroy());
  return server;
}

/** Ends every connection; resolves when nobody listens any more. */
export async function closeLocalServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/**
 * A stranger gets 404, whatever is wrong: 401 and 403 would make an editor look for a sign-in, and different
 * answers would tell a wrong token from a wrong path. Dropping the connection instead would look like a crash, after
 * which clients try again and again. The body is not read.
 */
export function refuse(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404, { Connection: 'close' }).end(() => request.destroy());
}
