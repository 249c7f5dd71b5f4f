import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { GatewayLimits } from './gatewayLimits.ts';

type LocalLimits = Pick<
  GatewayLimits,
  'headersMs' | 'requestMs' | 'connections' | 'strangers' | 'strangerMs' | 'youngMs'
>;

/**
 * An HTTP server for local programs, not listening yet. Any local user can connect, so connections without a token are
 * limited in number and time. Call `admit` for each request with the right token.
 */
export interface LocalServer {
  readonly server: Server;
  /** Keeps the connection of a request with a valid token. */
  readonly admit: (request: IncomingMessage) => void;
}

export function createLocalServer(limits: LocalLimits): LocalServer {
  const server = createServer({
    // Node checks for timeouts at this interval, which adds to every limit below.
    connectionsCheckingInterval: Math.max(50, Math.min(5_000, limits.headersMs / 2)),
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: 30_000,
    maxHeaderSize: 32 * 1024,
  });
  server.maxConnections = limits.connections;
  // Otherwise Node would answer a malformed or slow request with a 4xx status.
  server.on('clientError', (_error, socket) => socket.destroy());
  const strangers = new Strangers(limits);
  server.on('connection', (socket) => strangers.add(socket));
  return { server, admit: ({ socket }) => strangers.delete(socket) };
}

/**
 * Connections without a token. Above the limit the oldest is closed, unless it is so young that its first request may
 * be on its way: a client may open many at once.
 */
class Strangers {
  readonly #limits: LocalLimits;
  /** In order of arrival. */
  readonly #all = new Map<Socket, { readonly since: number; readonly timer: NodeJS.Timeout }>();

  constructor(limits: LocalLimits) {
    this.#limits = limits;
  }

  add(socket: Socket): void {
    const now = performance.now();
    this.#makeRoom(now);
    const timer = setTimeout(() => this.#end(socket), this.#limits.strangerMs);
    this.#all.set(socket, { since: now, timer });
    socket.once('close', () => this.delete(socket));
  }

  delete(socket: Socket): void {
    clearTimeout(this.#all.get(socket)?.timer);
    this.#all.delete(socket);
  }

  #makeRoom(now: number): void {
    const { connections, strangers, youngMs } = this.#limits;
    const [oldest] = this.#all.size >= strangers ? this.#all : [];
    if (oldest === undefined) return;
    const [socket, { since }] = oldest;
    // Half of all connections are reserved for those with a token.
    if (now - since >= youngMs || this.#all.size >= connections / 2) this.#end(socket);
  }

  #end(socket: Socket): void {
    this.delete(socket);
    socket.destroy();
  }
}

/** Closes all connections. Resolves once the server is closed. */
export async function closeLocalServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/**
 * Rejects every invalid request with 404. Codes 401 and 403 would start a sign-in in editors, and different codes would
 * reveal whether the token or the path is wrong. Dropping the connection would look like a crash and cause retries. The
 * body is not read.
 */
export function refuse(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404, { Connection: 'close' }).end(() => request.destroy());
}
