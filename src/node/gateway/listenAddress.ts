import { chmod, lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostError, type Ids, ignoreFailure, messageOf } from '../../core/index.ts';

/** A socket that only this user can reach. */
interface GatewaySocket {
  /** A file, or the name of a Windows pipe. */
  readonly path: string;
  /** Call this once the socket exists. */
  protect(): Promise<void>;
  /** Deletes the socket. Can be called repeatedly. */
  remove(): Promise<void>;
}

const PREFIX = 'mcpl-gateway-';
const NAME = 's';
/** `sun_path` has 104 bytes on macOS, 108 on Linux, with a zero at the end. */
const MAX_PATH = 103;
/** Another window may be about to listen in a younger folder without a socket. */
const NEW_MS = 60_000;

async function newGatewaySocket(ids: Pick<Ids, 'uuid'>): Promise<GatewaySocket> {
  if (process.platform === 'win32') {
    // The default rights of a pipe let other users connect, but they do not know the token.
    const path = `\\\\.\\pipe\\${PREFIX}${ids.uuid()}`;
    return { path, protect: () => Promise.resolve(), remove: () => Promise.resolve() };
  }
  const base = shortFolder();
  ignoreFailure(sweep(base));
  // Created with access for this user only.
  const folder = await mkdtemp(join(base, PREFIX));
  const path = join(folder, NAME);
  return {
    path,
    protect: () => chmod(path, 0o600),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The first temporary folder whose path is short enough. */
function shortFolder(): string {
  const runtime = process.env['XDG_RUNTIME_DIR'] ?? '';
  const folders = [...(runtime === '' ? [] : [runtime]), tmpdir()];
  return folders.find((folder) => Buffer.byteLength(join(folder, `${PREFIX}XXXXXX`, NAME)) <= MAX_PATH) ?? '/tmp';
}

/** Deletes the sockets of killed windows. */
async function sweep(base: string): Promise<void> {
  const names = (await readdir(base)).filter((name) => name.startsWith(PREFIX));
  await Promise.all(names.map((name) => sweepOne(join(base, name))));
}

async function sweepOne(folder: string): Promise<void> {
  const found = await lstat(folder);
  // In a shared temporary folder, other users may have created this name.
  if (!found.isDirectory() || found.uid !== process.getuid?.()) return;
  const code = await connectionProblem(join(folder, NAME));
  const isAbandoned = code === 'ECONNREFUSED' || (code === 'ENOENT' && Date.now() - found.mtimeMs > NEW_MS);
  if (isAbandoned) await rm(folder, { recursive: true, force: true });
}

/** Why a connection fails. `undefined` if it succeeds. */
function connectionProblem(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
  });
}

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
