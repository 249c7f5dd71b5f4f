import type { CancellationToken } from '../../base/cancellation.ts';
import type { FileNames } from '../../ports.ts';
import type { PatternContext } from './patternMeaning.ts';
import { posixStyle } from './pathStyle.ts';
import { windowsStyle } from './windowsPath.ts';

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
