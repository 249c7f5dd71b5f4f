import { chmod, lstat, mkdir, readdir, realpath, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import { dirname, join } from 'node:path';

/** Where the script of the chat's hooks finds this window, and who it is. */
export interface HookAddress {
  readonly url: string;
  readonly token: string;
  /** The window's folders, by one of which the script may know it. */
  readonly folders: readonly string[];
}

export interface ChatHookFilesOptions {
  readonly home?: string;
  /** The process in which the chat runs the script as well. */
  readonly pid?: number;
}

/** Of a window more than this many folders are not searched for. */
const MOST_FOLDERS = 64;

/**
 * One file for each window, for `media/chatHooks/hooks/hook.sh` and `hook.ps1`: what curl needs to reach it, so that the
 * token stands on no command line, and above that which window it is. Only this user can read it, and it is gone when the
 * window is.
 */
export class ChatHookFile {
  readonly #folder: string;
  readonly #pid: number;
  /** A home may be one for many machines, each with processes of its own. */
  readonly #host = hostname().replace(/[^\w.-]/g, '_');

  constructor({ home = homedir(), pid = process.pid }: ChatHookFilesOptions = {}) {
    this.#folder = join(home, '.mcp-live', 'chat-hooks');
    this.#pid = pid;
  }

  get path(): string {
    return join(this.#folder, `${this.#pid}@${this.#host}`);
  }

  /** Rejects where that folder cannot be had for this user alone. */
  async write(address: HookAddress): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    if (!(await lstat(this.#folder)).isDirectory()) throw new Error(`${this.#folder} is not a folder.`);
    await chmod(this.#folder, 0o700);
    await this.#sweep();
    const marks = (await Promise.all(address.folders.slice(0, MOST_FOLDERS).map(marksOf))).flat();
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
    // The last window leaves nothing behind; while there are others, these are not empty.
    for (const folder of [this.#folder, dirname(this.#folder)]) await rmdir(folder).catch(() => undefined);
  }

  /** Those of windows that died without a word. */
  async #sweep(): Promise<void> {
    const left = (await readdir(this.#folder)).filter((name) => {
      const [, pid, host] = /^(\d{1,10})@(.+?)(\.new)?$/.exec(name) ?? [];
      return host === this.#host && Number(pid) !== this.#pid && !isAlive(Number(pid));
    });
    await Promise.all(left.map((name) => rm(join(this.#folder, name), { force: true })));
  }
}

/**
 * A comment for each form in which the script may see the folder that it runs in. As digits, because a folder's name may
 * hold anything, line breaks too.
 */
async function marksOf(folder: string): Promise<readonly string[]> {
  const real = await realpath(folder).catch(() => folder);
  return [folder, real].map((path) => `# ${Buffer.from(comparable(path), 'utf8').toString('hex')}`);
}

/** Windows has several spellings of one folder. */
function comparable(path: string): string {
  return process.platform === 'win32' ? path.toLowerCase() : path;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process has the number now, or this one's may not be looked at: it is not ours to remove then.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
