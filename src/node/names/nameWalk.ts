import type { RealName } from '../../core/index.ts';
import type { NameParts, NameStyle } from './nameStyle.ts';

/** File system lookups for one name. They reject with the system's `code`. */
export interface NameLookups {
  isLink(path: string): Promise<boolean>;
  /** The target of a link. Rejects with `NotText` if it is not valid text. */
  targetOf(link: string): Promise<string>;
  /** The real path of an existing file, without links and with its stored case. */
  realOf(path: string): Promise<string>;
}

/** A file name that is not UTF-8 and cannot be represented. */
export class NotText extends Error {}

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
export async function walkName(path: string, lookups: NameLookups, walk: NameWalk): Promise<RealName> {
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

export function unknown(why: string): Extract<RealName, { kind: 'unknown' }> {
  return { kind: 'unknown', why };
}
