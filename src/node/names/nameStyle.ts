import { win32 } from 'node:path';

/** An absolute path in pieces; empty ones and `.` are left out. */
export interface NameParts {
  /** What `..` does not lead out of: `/`, `C:\`, `\\machine\share\`. */
  readonly root: string;
  readonly names: readonly string[];
}

/** How absolute paths are written and read on a kind of system. */
export interface NameStyle {
  readonly name: 'posix' | 'windows';
  /** `undefined` where it is not absolute. */
  split(path: string): NameParts | undefined;
  join(root: string, names: readonly string[]): string;
  /** What the target of a link means, which lies in `folder`; `undefined` where only the system knows. */
  target(folder: NameParts, target: string): NameParts | undefined;
  /** What leads elsewhere for every process, whatever it says of itself. */
  isOwnOfProcess(path: string, isLink: boolean): boolean;
  /** The machine that a look at the path would ask; `undefined` for this one. */
  machine(parts: NameParts): string | undefined;
}

export const posixNames: NameStyle = {
  name: 'posix',
  split: (path) => (path.startsWith('/') ? { root: '/', names: namesOf(path, '/') } : undefined),
  join: (root, names) => `${root}${names.join('/')}`,
  // `..` stays: it is walked when what stands before it is known.
  target: (folder, target) =>
    target.startsWith('/')
      ? { root: '/', names: namesOf(target, '/') }
      : { root: folder.root, names: [...folder.names, ...namesOf(target, '/')] },
  // Links of processes only describe where they lead: into another root, to a deleted file, a pipe.
  isOwnOfProcess: (path, isLink) => (isLink && path.startsWith('/proc/')) || path.toLowerCase() === '/dev/fd',
  machine: () => undefined,
};

/** `\\?\UNC\machine\share` and `\\?\C:` are how links write what is otherwise written without the first four. */
const VERBATIM = /^[\\/][\\/?][?][\\/](?:(UNC)[\\/])?/i;
const SHARE = /^\\\\([^\\]+)\\/;

export const windowsNames: NameStyle = {
  name: 'windows',
  // The system takes `..` as text, before it looks at any name: there is none left to be walked.
  split: (path) => {
    const plain = win32.normalize(withoutVerbatim(path));
    const { root } = win32.parse(plain);
    const isWhole = /^[a-z]:\\$/i.test(root) || SHARE.test(root);
    return isWhole ? { root: rootOf(root), names: namesOf(plain.slice(root.length), '\\') } : undefined;
  },
  join: (root, names) => `${root}${names.join('\\')}`,
  target: (folder, target) => {
    // A volume or a device by its number, and what is relative to the current folder of a drive.
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
