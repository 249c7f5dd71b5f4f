import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { GatewayLimits } from './gatewayLimits.ts';

export type LocalLimits = Pick<GatewayLimits, 'headersMs' | 'requestMs' | 'connections' | 'strangers' | 'strangerMs'>;

/**
 * An HTTP server for programs of this machine, not listening yet. Any local user can open connections to it, so those
 * that have not shown the token are few and short: call `admit` for each request with the right token.
 */
export interface LocalServer {
  readonly server: Server;
  /** Keeps the connection of a request that showed the token. */
  readonly admit: (request: IncomingMessage) => void;
}

export function createLocalServer(limits: LocalLimits): LocalServer {
  const server = createServer({
    // Node looks for unfinished requests at this interval, so it adds to every limit below.
    connectionsCheckingInterval: Math.max(50, Math.min(5_000, limits.headersMs / 2)),
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: 30_000,
    maxHeaderSize: 32 * 1024,
  });
  server.maxConnections = limits.connections;
  // Without a listener Node would answer a malformed or slow request with a 4xx status.
  server.on('clientError', (_error, socket) => socket.destroy());
  const strangers = new Strangers(limits);
  server.on('connection', (socket) => strangers.add(socket));
  return { server, admit: ({ socket }) => strangers.delete(socket) };
}

/** The connections that have not shown the token: the oldest makes room for a new one. */
class Strangers {
  readonly #limits: LocalLimits;
  /** In the order in which they arrived, each with its timer. */
  readonly #timers = new Map<Socket, NodeJS.Timeout>();

  constructor(limits: LocalLimits) {
    this.#limits = limits;
  }

  add(socket: Socket): void {
    const { strangers, strangerMs } = this.#limits;
    const [oldest] = this.#timers.size >= strangers ? this.#timers.keys() : [];
    if (oldest !== undefined) this.#end(oldest);
    this.#timers.set(
      socket,
      setTimeout(() => this.#end(socket), strangerMs),
    );
    socket.once('close', () => this.delete(socket));
  }

  delete(socket: Socket): void {
    clearTimeout(this.#timers.get(socket));
    this.#timers.delete(socket);
  }

  #end(socket: Socket): void {
    this.delete(socket);
    socket.destroy();
  }
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
