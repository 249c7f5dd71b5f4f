import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as vscode from 'vscode';
import type { ProtocolTrace, TraceFilter } from '../../core/index.ts';

/** Asks for a file and writes what is kept into it, a line of JSON for each message. False: the person turned away. */
export async function exportTrace(trace: ProtocolTrace, filter: TraceFilter, server: string): Promise<boolean> {
  const name = `${server.replace(/[^\w.-]+/g, '-')}-trace.jsonl`;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export Protocol Trace'),
    saveLabel: vscode.l10n.t('Export'),
    filters: { [vscode.l10n.t('JSON lines')]: ['jsonl'] },
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) }),
  });
  if (target === undefined) return false;
  await writeTrace(trace, filter, target);
  return true;
}

export async function writeTrace(trace: ProtocolTrace, filter: TraceFilter, target: vscode.Uri): Promise<void> {
  const lines = withEnds(trace.exportLines(filter));
  // As it is read: a long trace need not be in memory a second time. Only files of this machine take it so.
  if (target.scheme === 'file') return pipeline(Readable.from(lines), createWriteStream(target.fsPath));
  await vscode.workspace.fs.writeFile(target, Buffer.from([...lines].join('')));
}

function* withEnds(lines: Iterable<string>): Iterable<string> {
  for (const line of lines) yield `${line}\n`;
}
