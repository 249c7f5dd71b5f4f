import { chmod, lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ignoreFailure, type Ids } from '../../core/index.ts';

/** Where a gateway may listen, so that nobody but this user gets there. */
export interface GatewaySocket {
  /** A file, or the name of a pipe of Windows. */
  readonly path: string;
  /** To be called when it is there. */
  protect(): Promise<void>;
  /** Takes it away. Calling twice is harmless. */
  remove(): Promise<void>;
}

const PREFIX = 'mcpl-gateway-';
const NAME = 's';
/** `sun_path` has 104 bytes on macOS, 108 on Linux, with a zero at the end. */
const LONGEST_PATH = 103;
/** A folder without a socket may be one in which another window is just about to listen. */
const NEW_MS = 60_000;

export async function newGatewaySocket(ids: Pick<Ids, 'uuid'>): Promise<GatewaySocket> {
  if (process.platform === 'win32') {
    // The default rights of a pipe let others read what is sent, but not without the token that they do not know.
    const path = `\\\\.\\pipe\\${PREFIX}${ids.uuid()}`;
    return { path, protect: () => Promise.resolve(), remove: () => Promise.resolve() };
  }
  const base = shortFolder();
  ignoreFailure(sweep(base));
  // Made with rights for this user alone.
  const folder = await mkdtemp(join(base, PREFIX));
  const path = join(folder, NAME);
  return {
    path,
    protect: () => chmod(path, 0o600),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Of the folders for such things the first whose name leaves room for ours. */
function shortFolder(): string {
  const runtime = process.env['XDG_RUNTIME_DIR'] ?? '';
  const folders = [...(runtime === '' ? [] : [runtime]), tmpdir()];
  return folders.find((folder) => Buffer.byteLength(join(folder, `${PREFIX}XXXXXX`, NAME)) <= LONGEST_PATH) ?? '/tmp';
}

/** Takes away what killed windows left behind. */
async function sweep(base: string): Promise<void> {
  const names = (await readdir(base)).filter((name) => name.startsWith(PREFIX));
  await Promise.all(names.map((name) => sweepOne(join(base, name))));
}

async function sweepOne(folder: string): Promise<void> {
  const found = await lstat(folder);
  // In a folder that all users share, others may have put anything under such a name.
  if (!found.isDirectory() || found.uid !== process.getuid?.()) return;
  const code = await connectionProblem(join(folder, NAME));
  const isAbandoned = code === 'ECONNREFUSED' || (code === 'ENOENT' && Date.now() - found.mtimeMs > NEW_MS);
  if (isAbandoned) await rm(folder, { recursive: true, force: true });
}

/** Why nobody can be reached there; `undefined` where somebody listens. */
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
