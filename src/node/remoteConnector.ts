import { type ConnectContext, Emitter, type OpenTransport, type RemoteConnection } from '../core/index.ts';
import { AuthService, type AuthServiceOptions } from './auth/authService.ts';
import type { HttpAgents } from './http/httpAgents.ts';
import { openLegacySse } from './http/legacySse.ts';
import { openStreamableHttp } from './http/streamableHttp.ts';
import { openWebSocket } from './http/webSocket.ts';

export interface RemoteOptions {
  readonly signIn: AuthServiceOptions;
  /** How connections are made if the runtime does not handle proxies and certificates. */
  readonly agents?: HttpAgents | undefined;
}

/** Connects to servers with a URL: HTTP, SSE and WebSocket, with sign-in. */
export class Remote {
  readonly auth: AuthService;
  readonly #agents: HttpAgents | undefined;

  constructor({ signIn, agents }: RemoteOptions) {
    this.auth = new AuthService(signIn);
    this.#agents = agents;
  }

  async open(connection: RemoteConnection, context: ConnectContext): Promise<OpenTransport> {
    const waiting = new Emitter<boolean>();
    let waits = 0;
    const authorizer = this.auth.authorizer({
      connection,
      context,
      onWaiting: (isWaiting) => {
        // Several requests may wait, and one may be cancelled.
        waits += isWaiting ? 1 : -1;
        if (waits === (isWaiting ? 1 : 0)) waiting.fire(isWaiting);
      },
    });
    const options = { authorizer, agents: this.#agents };
    const { transport, pid } = await open(connection, context, options);
    transport.onClose(() => {
      authorizer?.dispose();
      waiting.dispose();
    });
    return { transport, pid, onWaiting: waiting.event };
  }
}

type Options = NonNullable<Parameters<typeof openStreamableHttp>[2]>;

async function open(connection: RemoteConnection, context: ConnectContext, options: Options): Promise<OpenTransport> {
  switch (kindOf(connection)) {
    case 'websocket':
      return openWebSocket(connection, context, options);
    case 'sse':
      return openLegacySse(connection, context, options);
    case 'http':
      return openStreamableHttp(connection, context, options);
  }
}

function kindOf({ transport, url }: RemoteConnection): 'http' | 'sse' | 'websocket' {
  if (/^wss?:/i.test(url)) return 'websocket';
  return transport === 'auto' ? 'http' : transport;
}
