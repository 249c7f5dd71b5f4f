import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { readActivationTimes } from './activationTimes.ts';

const PATIENCE_MS = 60_000;

const waitFor = async <T>(what: string, look: () => T | undefined): Promise<T> => {
  const limit = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (Date.now() > limit) throw new Error(`There was no ${what} within ${PATIENCE_MS / 1000} s.`);
    await delay(100);
  }
};

/** Called by the editor in its extension host. It reads what the editor itself wrote down of its activation. */
export const run = async (): Promise<void> => {
  const id = process.env['MCPL_BENCH_EXTENSION'] ?? '';
  await waitFor(`active extension ${id}`, () => vscode.extensions.getExtension(id)?.isActive || undefined);
  // "Developer: Startup Performance", a page of text.
  await vscode.commands.executeCommand('perfview.show');
  const times = await waitFor('page of start-up times', () => {
    const page = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'perf');
    return readActivationTimes(page?.getText() ?? '')[id];
  });
  writeFileSync(process.env['MCPL_BENCH_ACTIVATION'] ?? '', JSON.stringify(times));
};
