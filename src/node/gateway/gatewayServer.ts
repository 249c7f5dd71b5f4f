import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Clock,
  type Disposable,
  errorMessage,
  type GatewayClients,
  GatewayEndpoint,
  type GatewayHost,
  type Ids,
  messageOf,
} from '../../core/index.ts';
import { backgroundClock } from '../backgroundClock.ts';
import { closeLocalServer, createLocalServer, GatewayAccess, type LocalServer, refuse } from './localServer.ts';
import { GatewayExchange } from './gatewayExchange.ts';
import { type ListenAddress, type GatewayTransport, listenAt } from './listenAddress.ts';
import { GATEWAY_LIMITS, type GatewayLimits } from './gatewayLimits.ts';

/** The other listener in this bundle. */
export { startChatHookServer } from './chatHookServer.ts';

export interface GatewayOptions {
  readonly host: GatewayHost;
  readonly ids: Ids;
  /** The registry in which prompts find the connected clients. */
  readonly clients?: GatewayClients | undefined;
  /** Default: a loopback port. */
  readonly transport?: GatewayTransport | undefined;
  readonly clock?: Clock;
  readonly limits?: Partial<GatewayLimits>;
}

/** The address of one server for MCP clients. */
export interface GatewayAddress {
  /** For a socket, the URL of requests on it. */
  readonly url: string;
  /** Required headers. */
  readonly headers: Record<string, string>;
  /** The path of the socket or the name of the pipe. Absent for a port. */
  readonly socket: string | undefined;
}

export interface Gateway {
  address(serverId: string): GatewayAddress;
  /** Ends all sessions and connections. Resolves once the server is closed. Can be called repeatedly. */
  dispose(): Promise<void>;
}

/** Opens a gateway at a new address with a new token. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const limits = { ...GATEWAY_LIMITS, ...options.limits };
  const local = createLocalServer(limits);
  const { server } = local;
  const listenAddress = await listenAt(server, options.transport ?? 'loopback', options.ids);
  const gateway = new LocalGateway(local, listenAddress, options, limits);
  server.on('request', (request, response) => gateway.take(request, response));
  return gateway;
}

class LocalGateway implements Gateway {
  readonly #local: LocalServer;
  readonly #listenAddress: ListenAddress;
  readonly #options: GatewayOptions;
  readonly #limits: GatewayLimits;
  readonly #access: GatewayAccess;
  readonly #exchange: GatewayExchange;
  readonly #endpoints = new Map<string, GatewayEndpoint>();
  readonly #removals: Disposable;
  #closing: Promise<void> | undefined;

  constructor(local: LocalServer, listenAddress: ListenAddress, options: GatewayOptions, limits: GatewayLimits) {
    this.#local = local;
    this.#listenAddress = listenAddress;
    this.#options = options;
    this.#limits = limits;
    this.#access = new GatewayAccess(listenAddress.hosts, options.ids);
    this.#exchange = new GatewayExchange({
      limits,
      clock: options.clock ?? backgroundClock,
      redact: (text) => options.host.redact(text),
    });
    this.#removals = options.host.onDidChangeServer(({ server: id, what }) => {
      if (what !== 'removed') return;
      this.#endpoints.get(id)?.dispose();
      this.#endpoints.delete(id);
    });
  }

  address(serverId: string): GatewayAddress {
    const { origin, socket } = this.#listenAddress;
    return { url: `${origin}${this.#access.path(serverId)}`, headers: this.#access.headers, socket };
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    // Clients may disconnect at any time.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    const server = this.#closing === undefined ? this.#access.admit(request) : undefined;
    if (server === undefined) return refuse(request, response);
    this.#local.admit(request);
    this.#answer(server, request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else this.#exchange.replyJson(response, errorMessage(null, -32603, messageOf(error)));
    });
  }

  dispose(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#removals.dispose();
    for (const endpoint of this.#endpoints.values()) endpoint.dispose();
    this.#endpoints.clear();
    await closeLocalServer(this.#local.server);
    await this.#listenAddress.remove();
  }

  async #answer(server: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const endpoint = this.#endpoint(server);
    switch (request.method) {
      case 'POST':
        return this.#exchange.post(endpoint, request, response);
      case 'GET':
        return this.#exchange.listen(endpoint, request, response);
      case 'DELETE':
        return this.#exchange.end(endpoint, request, response);
      default:
        response.writeHead(405, { Allow: 'POST, GET, DELETE' }).end();
    }
  }

  #endpoint(id: string): GatewayEndpoint | undefined {
    const known = this.#endpoints.get(id);
    if (known !== undefined) return known;
    const { host, ids, clock, clients } = this.#options;
    if (host.server(id) === undefined) return undefined;
    const endpoint = new GatewayEndpoint({
      host,
      server: id,
      ids,
      clock: clock ?? backgroundClock,
      clients,
      maxSessions: this.#limits.sessionsPerServer,
    });
    this.#endpoints.set(id, endpoint);
    return endpoint;
  }
}
