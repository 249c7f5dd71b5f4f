import type { ScopeTarget } from '../../model/scope.ts';
import type { ScopeContext } from './computed.ts';
import type { PathStyle } from './pathStyle.ts';
import type { RealNames } from './realNames.ts';

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
