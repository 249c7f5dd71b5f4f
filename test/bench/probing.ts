import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { readActivationTimes } from './activationTimes.ts';
import type { Metrics } from './measure.ts';

const PATIENCE_MS = 60_000;

export const waitFor = async <T>(what: string, look: () => T | undefined): Promise<T> => {
  const limit = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (Date.now() > limit) throw new Error(`There was no ${what} within ${PATIENCE_MS / 1000} s.`);
    await delay(100);
  }
};

/** The editor's own record of an activation. */
export const activationTimesOf = async (id: string): Promise<Metrics> => {
  await waitFor(`active extension ${id}`, () => vscode.extensions.getExtension(id)?.isActive || undefined);
  // "Developer: Startup Performance", a page of text.
  await vscode.commands.executeCommand('perfview.show');
  return waitFor('page of start-up times', () => {
    const page = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'perf');
    return readActivationTimes(page?.getText() ?? '')[id];
  });
};
