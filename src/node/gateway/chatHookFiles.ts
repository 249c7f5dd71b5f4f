import { chmod, lstat, mkdir, readdir, realpath, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import { dirname, join } from 'node:path';

/** The address of this window for the chat hook script. */
interface HookAddress {
  readonly url: string;
  readonly token: string;
  /** The window's folders, by which the script finds its window. */
  readonly folders: readonly string[];
}

export interface ChatHookFilesOptions {
  readonly home?: string;
  /** The process in which the chat runs the script. */
  readonly pid?: number;
}

/** Maximum folders per window. */
const MAX_FOLDERS = 64;

/**
 * One file per window for `media/chatHooks/hooks/hook.sh` and `hook.ps1`. It has curl's arguments, so that the token is
 * on no command line, and comments that identify the window. Only this user can read it. It is deleted with the window.
 */
export class ChatHookFile {
  readonly #folder: string;
  readonly #pid: number;
  /** Several machines may share a home folder, each with its own process ids. */
  readonly #host = hostname().replace(/[^\w.-]/g, '_');

  constructor({ home = homedir(), pid = process.pid }: ChatHookFilesOptions = {}) {
    this.#folder = join(home, '.mcp-live', 'chat-hooks');
    this.#pid = pid;
  }

  get path(): string {
    return join(this.#folder, `${this.#pid}@${this.#host}`);
  }

  /** Rejects if the folder cannot be restricted to this user. */
  async write(address: HookAddress): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    if (!(await lstat(this.#folder)).isDirectory()) throw new Error(`${this.#folder} is not a folder.`);
    await chmod(this.#folder, 0o700);
    await this.#sweep();
    const marks = (await Promise.all(address.folders.slice(0, MAX_FOLDERS).map(marksOf))).flat();
    const lines = [
      ...new Set(marks),
      `url = "${address.url}"`,
      `header = "Authorization: Bearer ${address.token}"`,
      'header = "Content-Type: application/json"',
    ];
    const whole = `${this.path}.new`;
    await rm(whole, { force: true });
    await writeFile(whole, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
    await rename(whole, this.path);
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
    // The last window removes the folders. Until then they are not empty.
    for (const folder of [this.#folder, dirname(this.#folder)]) await rmdir(folder).catch(() => undefined);
  }

  /** Deletes files of crashed windows. */
  async #sweep(): Promise<void> {
    const left = (await readdir(this.#folder)).filter((name) => {
      const [, pid, host] = /^(\d{1,10})@(.+?)(\.new)?$/.exec(name) ?? [];
      return host === this.#host && Number(pid) !== this.#pid && !isAlive(Number(pid));
    });
    await Promise.all(left.map((name) => rm(join(this.#folder, name), { force: true })));
  }
}

/**
 * Comments with each path that the script may have as its working folder. Hex-encoded, because folder names may contain
 * anything, including line breaks.
 */
async function marksOf(folder: string): Promise<readonly string[]> {
  const real = await realpath(folder).catch(() => folder);
  return [folder, real].map((path) => `# ${Buffer.from(comparable(path), 'utf8').toString('hex')}`);
}

/** Windows paths ignore case. */
function comparable(path: string): string {
  return process.platform === 'win32' ? path.toLowerCase() : path;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process has this id now, so keep the file.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
