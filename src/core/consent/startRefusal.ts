import { HostError } from '../base/errors.ts';
import type { SettingsEntry } from '../session/settingsEntry.ts';

/** Why a server cannot be started manually. */
export function startRefusal({ id, problems, refusal }: SettingsEntry, isTrusted: boolean): HostError | undefined {
  if (!isTrusted)
    return new HostError('NOT_TRUSTED', `The server "${id}" cannot start: this workspace is not trusted.`, {
      layer: 'policy',
      effect: 'none',
      suggestion: 'Trust the workspace first.',
    });
  if (refusal !== undefined) return notAllowed(id, refusal);
  const problem = problems.find(({ severity }) => severity === 'error');
  if (problem === undefined) return undefined;
  return new HostError('INVALID_SETTINGS', `The settings of "${id}" have an error: ${problem.message}`, {
    layer: 'settings',
    effect: 'none',
    suggestion: 'Correct them, then start it again.',
  });
}

export function notAllowed(id: string, rule: string): HostError {
  return new HostError('NOT_ALLOWED', `The server "${id}" is not allowed by your organisation: ${rule}.`, {
    layer: 'policy',
    effect: 'none',
    suggestion: 'Ask your administrator, or change this setting of the editor if it is your own.',
  });
}

export function hostClosed(id: string): HostError {
  return new HostError('CONNECTION_CLOSED', `The server "${id}" cannot start: the host is closed.`, {
    layer: 'host',
    effect: 'none',
    suggestion: 'Open a new host.',
  });
}

export function unknownServer(id: string): HostError {
  return new HostError('UNKNOWN_SERVER', `There is no server "${id}".`, {
    layer: 'host',
    effect: 'none',
    suggestion: 'Check the setting "mcpl.servers".',
  });
}
