import type { Server } from 'node:http';
import { HostError, type Ids, messageOf } from '../../core/index.ts';
import { type GatewaySocket, newGatewaySocket } from './gatewaySocket.ts';

/** A loopback port, or a socket that only this user can open. */
export type GatewayTransport = 'loopback' | 'socket';

/** Where a gateway listens. */
export interface ListenAddress {
  /** The base of request URLs. For a socket, the address that its clients use. */
  readonly origin: string;
  /** Valid values of `Host`, in lower case. */
  readonly hosts: readonly string[];
  /** The path of the socket. Absent for a port. */
  readonly socket: string | undefined;
  /** Call this after the server has closed. */
  remove(): Promise<void>;
}

export async function listenAt(server: Server, transport: GatewayTransport, ids: Ids): Promise<ListenAddress> {
  if (transport === 'socket') return listenOnSocket(server, await newGatewaySocket(ids));
  const port = await listenOnPort(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    hosts: [`127.0.0.1:${port}`, `localhost:${port}`],
    socket: undefined,
    remove: () => Promise.resolve(),
  };
}

async function listenOnSocket(server: Server, socket: GatewaySocket): Promise<ListenAddress> {
  try {
    await listening(server, () => server.listen(socket.path));
    await socket.protect();
  } catch (error) {
    server.close();
    await socket.remove();
    throw cannotListen(socket.path, error, 'Set "mcpl.gateway.transport" to "loopback".');
  }
  return { origin: 'http://localhost', hosts: ['localhost'], socket: socket.path, remove: () => socket.remove() };
}

async function listenOnPort(server: Server): Promise<number> {
  await listening(server, () => server.listen({ host: '127.0.0.1', port: 0, exclusive: true })).catch(
    (error: unknown) => {
      throw cannotListen('127.0.0.1', error, 'Allow programs to open loopback ports, then reload the window.');
    },
  );
  const address = server.address();
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error('The gateway has no port.');
}

function cannotListen(where: string, error: unknown, suggestion: string): HostError {
  const message = `The gateway cannot listen on ${where}: ${messageOf(error)}.`;
  return new HostError('INTERNAL', message, { layer: 'host', effect: 'none', cause: error, suggestion });
}

function listening(server: Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
    listen();
  });
}
