import type { CancellationToken } from '../../base/cancellation.ts';
import type { ScopeTarget } from '../../model/scope.ts';
import type { FileNames, RealName } from '../../ports.ts';
import type { ScopeContext } from './computed.ts';
import { type PathStyle, posixStyle, windowsStyle } from './pathStyle.ts';
import type { PatternContext } from './patternMeaning.ts';

/** Stops after this many failed lookups, because each may take seconds. */
const MAX_LOST = 32;
/** Maximum parallel lookups. */
const SIDE_BY_SIDE = 16;

/** Caches lookups for one decision, because lists and targets need the same folders. */
export class NamesOnce implements FileNames {
  readonly style: FileNames['style'];
  readonly ignoresCase: boolean;
  readonly #names: FileNames;
  readonly #asked = new Map<string, Promise<RealName>>();

  constructor(names: FileNames) {
    this.style = names.style;
    this.ignoresCase = names.ignoresCase;
    this.#names = names;
  }

  real(path: string, token: CancellationToken): Promise<RealName> {
    let answer = this.#asked.get(path);
    if (answer === undefined) this.#asked.set(path, (answer = this.#names.real(path, token)));
    return answer;
  }
}

/** Real paths for one request, with each path looked up once. */
export class RealNames {
  readonly #names: FileNames;
  readonly #style: PathStyle;
  readonly #token: CancellationToken;
  readonly #known = new Map<string, RealName>();

  constructor(names: FileNames, style: PathStyle, token: CancellationToken) {
    this.#names = names;
    this.#style = style;
    this.#token = token;
  }

  /** Looks up paths for later use. */
  async ask(paths: Iterable<string>): Promise<void> {
    const left = [...new Set(paths)].filter((path) => !this.#known.has(path)).reverse();
    let lost = 0;
    const worker = async (): Promise<void> => {
      for (let path = left.pop(); path !== undefined && lost < MAX_LOST; path = left.pop()) {
        const real = this.#inOneStyle(await this.#names.real(path, this.#token));
        this.#known.set(path, real);
        if (real.kind === 'unknown') lost++;
      }
    };
    await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, left.length) }, worker));
  }

  /** The real path of a path that was looked up. */
  of(path: string): RealName {
    return this.#known.get(path) ?? NOT_ASKED;
  }

  #inOneStyle(real: RealName): RealName {
    if (real.kind === 'unknown') return real;
    const path = this.#style.slashed(real.path);
    if (!this.#style.isAbsolute(path)) return { kind: 'unknown', why: 'The file system cannot say where it leads.' };
    return { ...real, path: this.#style.normal(path).normalize('NFC') };
  }
}

const NOT_ASKED: RealName = { kind: 'unknown', why: 'The file system does not say where it leads.' };

interface OpenFolder {
  readonly name: string;
  readonly names: readonly string[];
}

/** The open folders, by name and by real path. */
export class OpenFolders {
  readonly #folders: readonly OpenFolder[];
  readonly #ignoresCase: boolean;

  /** The paths to look up in `RealNames` first. */
  static paths(folders: ScopeContext['folders'], style: PathStyle): readonly string[] {
    return folders.map(({ path }) => style.slashed(path)).filter((path) => style.isAbsolute(path));
  }

  constructor(folders: ScopeContext['folders'], style: PathStyle, names: RealNames, ignoresCase: boolean) {
    this.#ignoresCase = ignoresCase;
    this.#folders = folders.flatMap(({ name, path }) => {
      const slashed = style.slashed(path);
      if (!style.isAbsolute(slashed)) return [];
      const real = names.of(slashed);
      const paths = [style.normal(slashed).normalize('NFC'), ...(real.kind === 'real' ? [real.path] : [])];
      return [...new Set(paths)].map((at) => ({ name, names: namesOf(at) }));
    });
  }

  /** Finds the innermost open folder that contains a real path. */
  inside(real: string): ScopeTarget['inside'] {
    const names = namesOf(real);
    let found: OpenFolder | undefined;
    for (const folder of this.#folders)
      if (folder.names.length >= (found?.names.length ?? 0) && this.#contains(folder, names)) found = folder;
    if (found === undefined) return undefined;
    return { folder: found.name, path: names.slice(found.names.length).join('/') || '.' };
  }

  #contains(folder: OpenFolder, names: readonly string[]): boolean {
    return folder.names.every((name, index) => {
      const other = names[index];
      if (other === undefined) return false;
      return this.#ignoresCase ? name.toLowerCase() === other.toLowerCase() : name === other;
    });
  }
}

function namesOf(path: string): readonly string[] {
  // Two slashes distinguish a network machine from a folder of a drive.
  return path.split('/').filter((name, index) => name !== '' || (index === 1 && path.startsWith('//')));
}

interface RealLocation {
  /** `undefined` if no path differs from its real path. */
  readonly folders: PatternContext | undefined;
  /** False if the file system cannot resolve a folder now. A pattern may then miss its target. */
  readonly isSure: boolean;
}

/** Resolves the open folders and the home folder. */
export async function realFoldersOf(
  { folders, userHome }: PatternContext,
  names: FileNames,
  token: CancellationToken,
): Promise<RealLocation> {
  const style = names.style === 'windows' ? windowsStyle : posixStyle;
  let isSure = true;
  const realOf = async (path: string): Promise<string> => {
    const real = await names.real(path, token);
    if (real.kind !== 'unknown') return real.path;
    // A path of another platform does not exist here.
    if (style.isAbsolute(style.slashed(path))) isSure = false;
    return path;
  };
  const [home, ...paths] = await Promise.all([userHome, ...folders.map(({ path }) => path)].map(realOf));
  const isElsewhere = home !== userHome || folders.some(({ path }, index) => path !== paths[index]);
  if (!isElsewhere) return { folders: undefined, isSure };
  const real = folders.map(({ name, path }, index) => ({ name, path: paths[index] ?? path }));
  return { folders: { userHome: home ?? userHome, folders: real }, isSure };
}
