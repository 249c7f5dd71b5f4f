import type { CancellationToken } from '../base/cancellation.ts';
import type { FileNames } from '../ports.ts';
import type { PatternPlace } from './patternMeaning.ts';

/** Where the open folders and the home really are; `undefined` where that is what they are called. */
export async function realPlaceOf(
  { folders, userHome }: PatternPlace,
  names: FileNames,
  token: CancellationToken,
): Promise<PatternPlace | undefined> {
  const realOf = async (path: string): Promise<string> => {
    const real = await names.real(path, token);
    return real.kind === 'unknown' ? path : real.path;
  };
  const [home, ...paths] = await Promise.all([userHome, ...folders.map(({ path }) => path)].map(realOf));
  const isElsewhere = home !== userHome || folders.some(({ path }, index) => path !== paths[index]);
  if (!isElsewhere) return undefined;
  return {
    userHome: home ?? userHome,
    folders: folders.map(({ name, path }, index) => ({ name, path: paths[index] ?? path })),
  };
}
