import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as vscode from 'vscode';
import type { AuditLog, CancellationToken } from '../../core/index.ts';
import { auditPages } from './auditText.ts';

/** Writes all records into a file, the newest first, page by page; tells how many they are by now. */
export async function writeAudit(
  audit: Pick<AuditLog, 'list'>,
  server: string | undefined,
  target: vscode.Uri,
  token: CancellationToken,
  onProgress: (count: number) => void = () => undefined,
): Promise<number> {
  let count = 0;
  const pages = auditPages(audit, server, token, (more) => onProgress((count += more)));
  if (target.scheme !== 'file') {
    const chunks: string[] = [];
    for await (const page of pages) chunks.push(page);
    await vscode.workspace.fs.writeFile(target, Buffer.from(chunks.join('')));
    return count;
  }
  // Half an export must not take the place of a whole one.
  const part = `${target.fsPath}.part`;
  try {
    await pipeline(Readable.from(pages), createWriteStream(part));
    await rename(part, target.fsPath);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return count;
}
