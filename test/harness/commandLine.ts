import { parseArgs } from 'node:util';
import { Problem } from './progress.ts';

type Kind = 'text' | 'flag';
type Parsed<K extends Readonly<Record<string, Kind>>> = {
  readonly [Name in keyof K]?: K[Name] extends 'flag' ? boolean : string;
};

/** Parses the options of a command. Unknown options are an error that lists the known ones. */
export const options = <const K extends Readonly<Record<string, Kind>>>(kinds: K): Parsed<K> => {
  const config = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [
      name,
      { type: kind === 'flag' ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  try {
    return parseArgs({ options: config, strict: true }).values as Parsed<K>;
  } catch (error) {
    const known = Object.entries(kinds).map(([name, kind]) => (kind === 'flag' ? `--${name}` : `--${name} <…>`));
    throw new Problem(`${error instanceof Error ? error.message : String(error)}\nOptions: ${known.join(', ')}`);
  }
};
