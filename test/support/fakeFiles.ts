import type { FileNames, RealName } from '../../src/core/ports.ts';

/** The entry at a path. Its parent folders exist implicitly. */
export type FakeEntry =
  | 'file'
  | 'folder'
  /** An unreadable folder. */
  | 'closed'
  | { readonly link: string };

export interface FakeFilesOptions {
  readonly style?: 'posix' | 'windows';
  /** Default: depends on the style. */
  readonly ignoresCase?: boolean;
}

/** File names in memory. */
export interface FakeFiles extends FileNames {
  /** Every requested path, in order. */
  readonly asked: readonly string[];
}

type Node =
  | { readonly kind: 'folder'; readonly closed: boolean; readonly children: Map<string, Child> }
  | { readonly kind: 'file' }
  | { readonly kind: 'link'; readonly to: string };

interface Child {
  /** The name on disk. */
  readonly name: string;
  readonly node: Node;
}

type Folder = Extract<Node, { kind: 'folder' }>;

const MAX_LINKS = 40;
const CLOSED: RealName = { kind: 'unknown', why: 'A folder on the way cannot be looked into.' };
const CIRCLE: RealName = { kind: 'unknown', why: 'It leads through too many links, or in a circle.' };

/**
 * A file system with these entries, by absolute path with `/` (`c:/ws/a` and `//server/share/a` for Windows). Resolves
 * like the system: links before `..` on POSIX, after it on Windows.
 */
export function fakeFiles(entries: Readonly<Record<string, FakeEntry>>, options: FakeFilesOptions = {}): FakeFiles {
  const style = options.style ?? 'posix';
  const ignoresCase = options.ignoresCase ?? style === 'windows';
  const fold = (name: string): string => (ignoresCase ? name.normalize('NFC').toLowerCase() : name);
  const roots = new Map<string, Folder>();
  const asked: string[] = [];

  const rootOf = (root: string): Folder => {
    const found = roots.get(fold(root)) ?? folder();
    roots.set(fold(root), found);
    return found;
  };

  for (const [path, entry] of Object.entries(entries)) {
    const { root, names } = split(path, style);
    let at = rootOf(root);
    names.forEach((name, index) => {
      const known = at.children.get(fold(name))?.node;
      const isLast = index === names.length - 1 && !(entry === 'folder' && known?.kind === 'folder');
      const node = isLast ? nodeOf(entry) : (known ?? folder());
      at.children.set(fold(name), { name: known === undefined ? name : onDisk(at, fold(name), name), node });
      if (node.kind === 'folder') at = node;
    });
  }

  const childOf = (at: Node | undefined, name: string): Child | undefined =>
    at?.kind === 'folder' ? at.children.get(fold(name)) : undefined;

  const walk = (path: string): RealName => {
    const start = split(path, style);
    let root = start.root;
    let rest = style === 'windows' ? withoutDots(start.names) : start.names;
    let done: Walked = [];
    for (let links = 0; rest.length > 0 && links <= MAX_LINKS;) {
      const [name = '', ...others] = rest;
      rest = others;
      const at = done.length === 0 ? rootOf(root) : done.at(-1)?.node;
      const child = childOf(at, name);
      if (child?.node.kind === 'link') {
        links++;
        const target = targetOf(child.node.to, style);
        rest = [...target.names, ...rest];
        root = target.root ?? root;
        done = target.root === undefined ? done : [];
        continue;
      }
      const next = stepped(done, name, at, child);
      if (next === undefined) return CLOSED;
      done = next;
    }
    if (rest.length > 0) return CIRCLE;
    const real = `${root}${done.map((part) => part.name).join('/')}`;
    const exists = done.every((part) => part.node !== undefined);
    return { kind: 'real', path: style === 'windows' ? real.replaceAll('/', '\\') : real, exists };
  };

  return {
    style,
    ignoresCase,
    asked,
    real: (path) => {
      asked.push(path);
      return Promise.resolve(
        isAbsolute(path, style) ? walk(path) : { kind: 'unknown', why: `${path} is not absolute.` },
      );
    },
  };
}

type Walked = readonly { readonly name: string; readonly node: Node | undefined }[];

function stepped(done: Walked, name: string, at: Node | undefined, child: Child | undefined): Walked | undefined {
  if (name === '.') return done;
  if (name === '..') return done.slice(0, -1);
  if (at?.kind === 'folder' && at.closed) return undefined;
  return [...done, { name: child?.name ?? name, node: child?.node }];
}

function folder(closed = false): Folder {
  return { kind: 'folder', closed, children: new Map() };
}

function nodeOf(entry: FakeEntry): Node {
  if (entry === 'file') return { kind: 'file' };
  if (entry === 'folder') return folder();
  return entry === 'closed' ? folder(true) : { kind: 'link', to: entry.link };
}

function targetOf(
  to: string,
  style: 'posix' | 'windows',
): { readonly root?: string; readonly names: readonly string[] } {
  return isAbsolute(to, style) ? split(to, style) : { names: to.split('/').filter((name) => name !== '') };
}

function onDisk(at: Folder, key: string, name: string): string {
  return at.children.get(key)?.name ?? name;
}

function withoutDots(names: readonly string[]): string[] {
  const kept: string[] = [];
  for (const name of names) {
    if (name === '..') kept.pop();
    else if (name !== '.') kept.push(name.replace(/(?<=[^. ])[. ]+$/, ''));
  }
  return kept;
}

const ROOTS = { posix: /^\/+/, windows: /^(?:[A-Za-z]:[\\/]+|[\\/]{2}[^\\/]+[\\/]+[^\\/]+[\\/]*)/ } as const;

function isAbsolute(path: string, style: 'posix' | 'windows'): boolean {
  return ROOTS[style].test(path);
}

function split(path: string, style: 'posix' | 'windows'): { readonly root: string; readonly names: readonly string[] } {
  const root = ROOTS[style].exec(path)?.[0] ?? '';
  const names = path.slice(root.length).split(style === 'windows' ? /[\\/]+/ : /\/+/);
  return { root: plainRoot(root, style), names: names.filter((name) => name !== '') };
}

function plainRoot(root: string, style: 'posix' | 'windows'): string {
  if (style === 'posix') return '/';
  const slashed = root.replace(/[\\/]+/g, '/');
  // Windows reports drive letters in upper case.
  return slashed.startsWith('/') ? `/${slashed.replace(/\/$/, '')}/` : `${slashed.slice(0, 2).toUpperCase()}/`;
}
