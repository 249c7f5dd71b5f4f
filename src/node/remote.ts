import type { ConnectContext, OpenTransport, RemoteConnection } from '../core/index.ts';
import { AuthService, type AuthServiceOptions } from './auth/authService.ts';
import { openLegacySse } from './legacySse.ts';
import { openStreamableHttp } from './streamableHttp.ts';
import { openWebSocket } from './webSocket.ts';

/**
 * Everything that only servers with a URL need, in a bundle of its own: most windows have none, and what is not loaded
 * costs nothing.
 */
export class Remote {
  readonly auth: AuthService;

  constructor(options: AuthServiceOptions) {
    this.auth = new AuthService(options);
  }

  async open(connection: RemoteConnection, context: ConnectContext): Promise<OpenTransport> {
    const authorizer = connection.auth?.flow === 'off' ? undefined : this.auth.authorizer({ connection, context });
    switch (kindOf(connection)) {
      case 'websocket':
        return openWebSocket(connection, context, { authorizer });
      case 'sse':
        return openLegacySse(connection, context, { authorizer });
      case 'http':
        return openStreamableHttp(connection, context, { authorizer });
    }
  }
}

function kindOf({ transport, url }: RemoteConnection): 'http' | 'sse' | 'websocket' {
  if (/^wss?:/i.test(url)) return 'websocket';
  return transport === 'auto' ? 'http' : transport;
}
