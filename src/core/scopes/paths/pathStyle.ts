/** Path syntax of one kind of system, text only. All methods take and return `/` separators. */
export interface PathStyle {
  readonly name: 'posix' | 'windows';
  /** Replaces the system's other separators by `/`. */
  slashed(text: string): string;
  /** Whether the meaning of a path does not depend on a base. */
  isAbsolute(text: string): boolean;
  /** Joins a path to an absolute base and keeps its dots. */
  from(base: string, text: string): string;
  /** Removes `.`, `..` and empty names. Keeps a leading `..` of a relative path. */
  normal(text: string): string;
  /** Why an absolute path cannot be judged as text. The path must still contain its dots. */
  trouble(path: string): string | undefined;
}

/** Removes dots from a list of names. `..` at a root has no effect. */
function withoutDots(names: readonly string[], isRooted: boolean): readonly string[] {
  const kept: string[] = [];
  for (const name of names) {
    if (name === '' || name === '.') continue;
    if (name !== '..') kept.push(name);
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (!isRooted) kept.push(name);
  }
  return kept;
}

export const posixStyle: PathStyle = {
  name: 'posix',
  slashed: (text) => text,
  isAbsolute: (text) => text.startsWith('/'),
  from: (base, text) => (text.startsWith('/') ? text : `${base}/${text}`),
  normal: (text) => {
    const isRooted = text.startsWith('/');
    return `${isRooted ? '/' : ''}${withoutDots(text.split('/'), isRooted).join('/')}`;
  },
  trouble: () => undefined,
};

const DRIVE = /^[a-z]:(?=\/)/i;
/** A machine and its share. `//?/` and `//./` look similar; `trouble` reports them. */
const SHARE = /^\/\/[^/]+\/+[^/]+/;

/** Windows paths as text: drives, shares, and names that are not files, such as devices. */
export const windowsStyle: PathStyle = {
  name: 'windows',
  slashed: (text) => text.replaceAll('\\', '/'),
  isAbsolute: (text) => rootOf(plain(text)) !== undefined,
  from: (base, text) => {
    const path = plain(text);
    if (rootOf(path) !== undefined || isOfDrive(path) || path.startsWith('//')) return path;
    // `/x` is relative to the drive or share of the base.
    return path.startsWith('/') ? `${rootOf(base) ?? base}${path}` : `${base}/${path}`;
  },
  normal: (text) => {
    const path = plain(text);
    const root = rootOf(path);
    const isRooted = root !== undefined || path.startsWith('/');
    const names = withoutDots(path.slice(root?.length ?? 0).split('/'), isRooted);
    if (root === undefined) return `${isRooted ? '/' : ''}${names.join('/')}`;
    if (isOfDrive(root)) return `${root.toLowerCase()}/${names.join('/')}`;
    return `//${[...namesIn(root), ...names].join('/')}`;
  },
  trouble: (path) => {
    if (/^\/(?:\/[?.]|\?\?)/.test(path)) return DEVICE;
    const root = rootOf(path);
    if (root === undefined)
      return isOfDrive(path) ? 'It is relative to a folder of a drive that is not known.' : NO_SHARE;
    const [, share] = namesIn(root);
    if (share !== undefined && /^\.{1,2}$/.test(share)) return NO_SHARE;
    if (share !== undefined && /^(?:pipe|mailslot|ipc\$)$/i.test(share)) return DEVICE;
    const names = isOfDrive(root) ? path.slice(root.length).split('/') : path.split('/');
    return names.map(troubleOfName).find((why) => why !== undefined);
  },
};

const DEVICE = 'It is the path of a device.';
const NO_SHARE = 'It names no share.';

/** Removes trailing dots and spaces of names, as Windows does. */
export function withoutTails(path: string): string {
  return path
    .split('/')
    .map((name) => (/^\.{1,2}$/.test(name) ? name : name.replace(/(?<![. ])[. ]+$/, '')))
    .join('/');
}

const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d\u00B9\u00B2\u00B3]) *(?:[.:]|$)/i;

function troubleOfName(name: string): string | undefined {
  if (RESERVED.test(name)) return DEVICE;
  if (name.includes(':')) return 'It names a stream within a file.';
  // Windows treats some of these as wildcards, and allows none of them in names.
  if (/[<>"|?*]/.test(name)) return 'It has characters that no name of a file has.';
  if (/^[. ]+$/.test(name) && !/^\.{1,2}$/.test(name)) return 'It has a name of dots and spaces alone.';
  return undefined;
}

/** Removes the slash before a drive, as in the paths of file URIs: `/C:/x`. */
function plain(text: string): string {
  return text.replace(/^\/+(?=[a-z]:)/i, '');
}

function rootOf(path: string): string | undefined {
  return DRIVE.exec(path)?.[0] ?? SHARE.exec(path)?.[0];
}

function namesIn(root: string): readonly string[] {
  return root.split('/').filter((name) => name !== '');
}

function isOfDrive(path: string): boolean {
  return /^[a-z]:/i.test(path);
}

/** Whether an apparent URI scheme is a device name, which may be followed by a colon. */
export function isDevice(text: string): boolean {
  return RESERVED.test(text);
}
