import { delimiter } from 'node:path';
import { type Secret, variableSecrets } from '../../core/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment of a server: the host's, overridden by settings. Folders in `PATH` are appended to the host's, as the
 * editor's own client does, so that entries written for it work here. A `PATH` that contains the host's value
 * (`/opt/x:${env:PATH}`) is used as it is, for a custom order.
 */
export function childEnvironment(
  base: Environment,
  own: Readonly<Record<string, string>>,
  ignoresCase: boolean = process.platform === 'win32',
): Record<string, string | undefined> {
  const env: Record<string, string | undefined> = { ...base };
  for (const [name, value] of Object.entries(own)) {
    // Windows ignores the case of variable names.
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

/** Credentials in the environment, which every child process inherits. */
export function inheritedSecrets(environment: Environment): readonly Secret[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value === undefined ? [] : variableSecrets(name, value),
  );
}
