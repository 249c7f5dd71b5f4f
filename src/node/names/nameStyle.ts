import { win32 } from 'node:path';

/** The parts of an absolute path, without empty ones and `.`. */
export interface NameParts {
  /** The part above which `..` cannot lead: `/`, `C:\`, `\\machine\share\`. */
  readonly root: string;
  readonly names: readonly string[];
}

/** Path syntax of one kind of system, for absolute paths. */
export interface NameStyle {
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

export const windowsNames: NameStyle = {
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

export const nameStyleOf = (platform: NodeJS.Platform): NameStyle => (platform === 'win32' ? windowsNames : posixNames);

function namesOf(path: string, separator: string): readonly string[] {
  return path.split(separator).filter((name) => name !== '' && name !== '.');
}

function withoutVerbatim(path: string): string {
  return path.replace(VERBATIM, (_whole, share: string | undefined) => (share === undefined ? '' : '\\\\'));
}

function rootOf(root: string): string {
  return root.endsWith('\\') ? root : `${root}\\`;
}
