import type { CancellationToken } from '../../base/cancellation.ts';
import type { FileNames } from '../../ports.ts';
import type { PatternPlace } from './patternMeaning.ts';
import { posixStyle } from './pathStyle.ts';
import { windowsStyle } from './windowsPath.ts';

export interface RealPlace {
  /** `undefined` if the real path is the name. */
  readonly place: PatternPlace | undefined;
  /** False where the file system cannot say it of one of them now: a pattern may then miss what it is about. */
  readonly isSure: boolean;
}

/** Where the open folders and the home really are. */
export async function realPlaceOf(
  { folders, userHome }: PatternPlace,
  names: FileNames,
  token: CancellationToken,
): Promise<RealPlace> {
  const style = names.style === 'windows' ? windowsStyle : posixStyle;
  let isSure = true;
  const realOf = async (path: string): Promise<string> => {
    const real = await names.real(path, token);
    if (real.kind !== 'unknown') return real.path;
    // A path of another kind of machine leads nowhere.
    if (style.isAbsolute(style.slashed(path))) isSure = false;
    return path;
  };
  const [home, ...paths] = await Promise.all([userHome, ...folders.map(({ path }) => path)].map(realOf));
  const isElsewhere = home !== userHome || folders.some(({ path }, index) => path !== paths[index]);
  if (!isElsewhere) return { place: undefined, isSure };
  const real = folders.map(({ name, path }, index) => ({ name, path: paths[index] ?? path }));
  return { place: { userHome: home ?? userHome, folders: real }, isSure };
}
