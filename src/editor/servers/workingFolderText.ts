import * as vscode from 'vscode';
import type { ServerSnapshot } from '../../core/index.ts';
import { plainText } from '../shared/plainText.ts';
import { relativeArgumentsOf } from './relativeArguments.ts';

const MAX_NAMED_COUNT = 3;

/** The hint about a server in the home folder, and about similar ones. */
export function workingFolderText(server: ServerSnapshot, others: readonly ServerSnapshot[]): string {
  const alike = others.filter((other) => relativeArgumentsOf(other).length > 0);
  if (alike.length === 0)
    return vscode.l10n.t(
      'MCP Live starts the server {0} in your home folder, because it has no "cwd". Set "cwd" if its relative arguments ({1}) belong to another folder.',
      listed([server.id]),
      listed(relativeArgumentsOf(server)),
    );
  return vscode.l10n.t(
    'MCP Live starts the servers {0} in your home folder, because they have no "cwd". Set "cwd" if their relative arguments belong to another folder.',
    listed([server, ...alike].map(({ id }) => id)),
  );
}

function listed(texts: readonly string[]): string {
  const named = texts.slice(0, MAX_NAMED_COUNT).map((text) => JSON.stringify(plainText(text, 60)));
  const more = texts.length - named.length;
  return [...named, ...(more > 0 ? [vscode.l10n.t('{0} more', more)] : [])].join(', ');
}
