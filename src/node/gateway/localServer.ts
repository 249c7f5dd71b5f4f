import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Ids } from '../../core/index.ts';
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

const PREFIX = '/mcp/';

/**
 * Access control of the gateway: requests need the token and the right address. Checking `Host` and `Origin` blocks web
 * pages, which can reach loopback ports through DNS names that resolve to 127.0.0.1.
 */
export class GatewayAccess {
  readonly #token: string;
  readonly #digest: Buffer;
  readonly #ids: Ids;
  readonly #hosts: readonly string[];
  readonly #origins: readonly string[];

  /** `hosts` are the valid values of `Host`, in lower case. */
  constructor(hosts: readonly string[], ids: Ids) {
    this.#ids = ids;
    this.#token = `${ids.uuid()}${ids.uuid()}`.replaceAll('-', '');
    this.#digest = this.#digestOf(`Bearer ${this.#token}`);
    this.#hosts = hosts;
    this.#origins = this.#hosts.map((host) => `http://${host}`);
  }

  get token(): string {
    return this.#token;
  }

  get headers(): Record<string, string> {
    return { Authorization: `Bearer ${this.#token}` };
  }

  path(serverId: string): string {
    return `${PREFIX}${encodeURIComponent(serverId)}`;
  }

  /** The server that a valid request addresses. `undefined` for a request to reject. */
  admit(request: IncomingMessage): string | undefined {
    return this.knows(request) ? serverOf(request.url ?? '') : undefined;
  }

  /** Whether the request has the token and does not come from a web page. */
  knows({ headers: { host, origin, authorization = '' } }: IncomingMessage): boolean {
    if (host === undefined || !this.#hosts.includes(host.toLowerCase())) return false;
    if (origin !== undefined && !this.#origins.includes(origin.toLowerCase())) return false;
    // Digests have equal lengths and do not reveal how much of a guess was right.
    return timingSafeEqual(this.#digestOf(authorization), this.#digest);
  }

  #digestOf(text: string): Buffer {
    return Buffer.from(this.#ids.sha256(text), 'hex');
  }
}

function serverOf(url: string): string | undefined {
  const [path = ''] = url.split('?', 1);
  const encoded = path.slice(PREFIX.length);
  if (!path.startsWith(PREFIX) || encoded === '' || encoded.includes('/')) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
