import { lstat, readlink, realpath } from 'node:fs/promises';
import { win32 } from 'node:path';
import {
  type CancellationToken,
  type Clock,
  type FileNames,
  type RealName,
  Semaphore,
  waitFor,
} from '../../core/index.ts';
import { nodeClock } from '../nodePorts.ts';

/** The parts of an absolute path, without empty ones and `.`. */
interface NameParts {
  /** The part above which `..` cannot lead: `/`, `C:\`, `\\machine\share\`. */
  readonly root: string;
  readonly names: readonly string[];
}

/** Path syntax of one kind of system, for absolute paths. */
interface NameStyle {
  readonly name: 'posix' | 'windows';
  /** Returns `undefined` if the path is not absolute. */
  split(path: string): NameParts | undefined;
  join(root: string, names: readonly string[]): string;
  /** Resolves the target of a link in `folder`. `undefined` if only the system can resolve it. */
  target(folder: NameParts, target: string): NameParts | undefined;
  /** Whether the path leads somewhere else for each process. */
  isOwnOfProcess(path: string, isLink: boolean): boolean;
  /** The network machine that a lookup would contact. `undefined` for this machine. */
  machine(parts: NameParts): string | undefined;
}

const posixNames: NameStyle = {
  name: 'posix',
  split: (path) => (path.startsWith('/') ? { root: '/', names: namesOf(path, '/') } : undefined),
  join: (root, names) => `${root}${names.join('/')}`,
  // Keeps `..`, which is resolved once the names before it are.
  target: (folder, target) =>
    target.startsWith('/')
      ? { root: '/', names: namesOf(target, '/') }
      : { root: folder.root, names: [...folder.names, ...namesOf(target, '/')] },
  // Links in `/proc` only describe their target: another root, a deleted file, a pipe.
  isOwnOfProcess: (path, isLink) => (isLink && path.startsWith('/proc/')) || path.toLowerCase() === '/dev/fd',
  machine: () => undefined,
};

/** The verbatim prefix in links: `\\?\UNC\machine\share` and `\\?\C:`. */
const VERBATIM = /^[\\/][\\/?][?][\\/](?:(UNC)[\\/])?/i;
const SHARE = /^\\\\([^\\]+)\\/;

const windowsNames: NameStyle = {
  name: 'windows',
  // Windows resolves `..` in the text, before it looks up names.
  split: (path) => {
    const plain = win32.normalize(withoutVerbatim(path));
    const { root } = win32.parse(plain);
    const isWhole = /^[a-z]:\\$/i.test(root) || SHARE.test(root);
    return isWhole ? { root: rootOf(root), names: namesOf(plain.slice(root.length), '\\') } : undefined;
  },
  join: (root, names) => `${root}${names.join('\\')}`,
  target: (folder, target) => {
    // A volume or device by number, or a path relative to the current folder of a drive.
    if (VERBATIM.test(target)) return windowsNames.split(target);
    if (/^[a-z]:(?![\\/])/i.test(target)) return undefined;
    return windowsNames.split(win32.resolve(folder.root, ...folder.names, target));
  },
  isOwnOfProcess: () => false,
  machine: ({ root }) => SHARE.exec(root)?.[1]?.toLowerCase(),
};

const nameStyleOf = (platform: NodeJS.Platform): NameStyle => (platform === 'win32' ? windowsNames : posixNames);

function namesOf(path: string, separator: string): readonly string[] {
  return path.split(separator).filter((name) => name !== '' && name !== '.');
}

function withoutVerbatim(path: string): string {
  return path.replace(VERBATIM, (_whole, share: string | undefined) => (share === undefined ? '' : '\\\\'));
}

function rootOf(root: string): string {
  return root.endsWith('\\') ? root : `${root}\\`;
}

/** File system lookups for one name. They reject with the system's `code`. */
export interface NameLookups {
  isLink(path: string): Promise<boolean>;
  /** The target of a link. Rejects with `NotText` if it is not valid text. */
  targetOf(link: string): Promise<string>;
  /** The real path of an existing file, without links and with its stored case. */
  realOf(path: string): Promise<string>;
}

/** A file name that is not UTF-8 and cannot be represented. */
class NotText extends Error {}

interface NameWalk {
  readonly style: NameStyle;
  readonly ignoresCase: boolean;
  /** Whether a network machine may be contacted. A lookup reveals the user to it. */
  readonly isKnownMachine: (machine: string) => boolean;
}

/** The same limit as on Linux. */
const MAX_LINKS = 40;

const TOO_MANY_LINKS = unknown('It leads through too many links, or in a circle.');
const STRANGE_MACHINE = unknown('It is on a machine that has no open folder.');

/**
 * Resolves a path name by name. Missing names, and names below a file, are kept as written: the system opens neither. A
 * later `..` still leads out of them for programs that resolve paths as text, and may lead to a link.
 */
async function walkName(path: string, lookups: NameLookups, walk: NameWalk): Promise<RealName> {
  // The system would replace lone surrogates, and cut the path at a NUL.
  if (/[\0\p{Cs}]/u.test(path)) return unknown('It is no name that a file could have.');
  const parts = walk.style.split(path);
  if (parts === undefined) return unknown('It is no absolute path.');
  try {
    return (await withoutLinks(parts, lookups, walk)) ?? (await follow(parts, lookups, walk));
  } catch (error) {
    return unknown(reasonOf(error));
  }
}

/** One lookup is enough for most paths: a path that equals its real path has no links. */
async function withoutLinks({ root, names }: NameParts, lookups: NameLookups, { style }: NameWalk) {
  const path = style.join(root, names);
  if (style.name === 'windows' || names[0] === 'dev') return undefined;
  const real = await lookups.realOf(path).catch(() => undefined);
  return real === path ? ({ kind: 'real', path, exists: true } as const) : undefined;
}

/** Progress of a walk: the names that exist, followed by those that do not. */
interface Position {
  readonly root: string;
  readonly there: string[];
  readonly missing: string[];
}

async function follow(parts: NameParts, lookups: NameLookups, walk: NameWalk): Promise<RealName> {
  const { style } = walk;
  let at = beginning(parts);
  const left = [...parts.names].reverse();
  let links = 0;
  if (!mayAsk(parts, walk)) return STRANGE_MACHINE;
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === '..') leave(at);
    else if (at.missing.length > 0) at.missing.push(name);
    else {
      const path = style.join(at.root, [...at.there, name]);
      const kind = await kindOf(path, lookups);
      if (style.isOwnOfProcess(path, kind === 'link')) return unknown('It leads elsewhere for every program.');
      if (kind !== 'link') {
        (kind === 'missing' ? at.missing : at.there).push(name);
        continue;
      }
      if (++links > MAX_LINKS) return TOO_MANY_LINKS;
      const target = style.target({ root: at.root, names: at.there }, await lookups.targetOf(path));
      if (target === undefined) return unknown('A link on the way leads where only the system knows.');
      if (!mayAsk(target, walk)) return STRANGE_MACHINE;
      at = beginning(target);
      left.push(...target.names.toReversed());
    }
  }
  return foundAt(at, lookups, walk);
}

function beginning({ root }: NameParts): Position {
  return { root, there: [], missing: [] };
}

/** `..`, which has no effect at the root. */
function leave(at: Position): void {
  if (at.missing.pop() === undefined) at.there.pop();
}

async function foundAt(
  { root, there, missing }: Position,
  lookups: NameLookups,
  { style, ignoresCase }: NameWalk,
): Promise<RealName> {
  const exists = missing.length === 0;
  if (!ignoresCase) return { kind: 'real', path: style.join(root, [...there, ...missing]), exists };
  const written = await lookups.realOf(style.join(root, there));
  const real = style.split(written) ?? { root, names: there };
  return { kind: 'real', path: style.join(real.root, [...real.names, ...missing]), exists };
}

function mayAsk(parts: NameParts, { style, isKnownMachine }: NameWalk): boolean {
  const machine = style.machine(parts);
  return machine === undefined || isKnownMachine(machine);
}

async function kindOf(path: string, lookups: NameLookups): Promise<'link' | 'other' | 'missing'> {
  try {
    return (await lookups.isLink(path)) ? 'link' : 'other';
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
    throw error;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof NotText) return 'A link on the way leads to a name that is no text.';
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return 'A folder on the way cannot be looked into.';
    case 'ENAMETOOLONG':
      return 'It is longer than a name of a file can be.';
    default:
      return 'The file system cannot say where it leads.';
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function unknown(why: string): Extract<RealName, { kind: 'unknown' }> {
  return { kind: 'unknown', why };
}

/** Node has four threads for file access. A lookup on a dead drive blocks one until it ends. */
const MAX_LOOKUPS = 2;
/** Never reached while drives respond. */
export const MAX_WAITING = 5_000;
/** Longer than a disk needs to spin up. A disconnected network drive never answers. */
const DEADLINE_MS = 5_000;

interface FileNamesOptions {
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  readonly lookups: NameLookups;
  /** The open folders. On Windows, only the network machines of these may be contacted. */
  readonly folders: () => readonly string[];
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const nodeLookups: NameLookups = {
  isLink: async (path) => (await lstat(path)).isSymbolicLink(),
  targetOf: async (link) => textOf(await readlink(link, 'buffer')),
  realOf: async (path) => textOf(await realpath(path, 'buffer')),
};

function textOf(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new NotText();
  }
}

/** Name lookups in the local file system. */
export function createFileNames(options: Partial<FileNamesOptions> = {}): FileNames {
  const { platform = process.platform, clock = nodeClock, lookups = nodeLookups, folders = () => [] } = options;
  const style = nameStyleOf(platform);
  const ignoresCase = platform === 'win32' || platform === 'darwin';
  const isKnownMachine = (machine: string): boolean => folders().some((folder) => machineOf(folder) === machine);
  const lookupSlots = new Semaphore(MAX_LOOKUPS, MAX_WAITING);
  return {
    style: style.name,
    ignoresCase,
    real: async (path, token) => {
      if (token.isCancellationRequested) return CANCELLED;
      const waiting = { isOver: false };
      const answer = walkName(path, limited(lookups, lookupSlots, waiting), { style, ignoresCase, isKnownMachine });
      return inTime(answer, clock, token).finally(() => (waiting.isOver = true));
    },
  };
}

export const nodeFileNames: FileNames = createFileNames();

function machineOf(folder: string): string | undefined {
  const parts = windowsNames.split(folder);
  return parts === undefined ? undefined : windowsNames.machine(parts);
}

/** Limits how many lookups run at once, and skips those whose caller has stopped waiting. */
function limited(lookups: NameLookups, slots: Semaphore, waiting: { readonly isOver: boolean }): NameLookups {
  const run = <T>(lookup: () => Promise<T>): Promise<T> => {
    if (slots.isFull) return Promise.reject(new Error('Too many wait.'));
    return slots.run(() => (waiting.isOver ? Promise.reject(new Error('Too late.')) : lookup()));
  };
  return {
    isLink: (path) => run(() => lookups.isLink(path)),
    targetOf: (link) => run(() => lookups.targetOf(link)),
    realOf: (path) => run(() => lookups.realOf(path)),
  };
}

/** Resolves early on cancellation or timeout, because a hanging lookup cannot be aborted. */
async function inTime(answer: Promise<RealName>, clock: Clock, token: CancellationToken): Promise<RealName> {
  const waited = await waitFor(answer, { clock, ms: DEADLINE_MS, token });
  if (waited.kind === 'done') return waited.value;
  return waited.kind === 'cancelled' ? CANCELLED : unknown('The file system did not answer in time.');
}

const CANCELLED = unknown('Nobody waits for the answer any more.');
