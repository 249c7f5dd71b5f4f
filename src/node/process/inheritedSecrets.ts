import { type Secret, variableSecrets } from '../../core/index.ts';

/** Credentials in the environment, which every child process inherits. */
export function inheritedSecrets(environment: Readonly<Record<string, string | undefined>>): readonly Secret[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value === undefined ? [] : variableSecrets(name, value),
  );
}
