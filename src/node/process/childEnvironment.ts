import { delimiter } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment of a server: that of the host, with the settings' over it. Folders of `PATH` are added behind those that
 * there are, as the editor's own client does it: an entry that was written for that finds its programs here too. A `PATH`
 * that names those of the host by itself (`/opt/x:${env:PATH}`) is taken as it is, for whoever wants an order of their own.
 */
export function childEnvironment(
  base: Environment,
  own: Readonly<Record<string, string>>,
  ignoresCase: boolean = process.platform === 'win32',
): Record<string, string | undefined> {
  const env: Record<string, string | undefined> = { ...base };
  for (const [name, value] of Object.entries(own)) {
    // Of two spellings of one name, Windows takes either.
    const known = ignoresCase ? Object.keys(env).find((each) => each.toLowerCase() === name.toLowerCase()) : undefined;
    const key = known ?? name;
    env[key] = isPath(name, ignoresCase) ? joined(base[key], value) : value;
  }
  return env;
}

function isPath(name: string, ignoresCase: boolean): boolean {
  return ignoresCase ? name.toUpperCase() === 'PATH' : name === 'PATH';
}

function joined(before: string | undefined, added: string): string {
  if (before === undefined || before === '' || added.includes(before)) return added;
  return added === '' ? before : `${before}${delimiter}${added}`;
}
