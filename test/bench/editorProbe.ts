import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { McpLiveExtension } from '../../src/editor/api/api.ts';
import type { EditorJob } from './editorMeasure.ts';
import { waitFor } from './probing.ts';
import { QuietWatch } from './quietWatch.ts';

/** Files that Node has loaded from a folder, with sizes. */
const loadedFrom = (folder: string): readonly string[] =>
  Object.keys(require.cache).filter((path) => path.startsWith(folder));

const kilobytes = (paths: readonly string[]): number =>
  paths.reduce((sum, path) => sum + statSync(path).size, 0) / 1000;

/** Starts all servers from settings, and waits for their tools and for the editor's gateway connections. */
const startServers = async ({ servers: count, isTold }: EditorJob): Promise<void> => {
  if (count === 0) return;
  const extension = vscode.extensions.getExtension<McpLiveExtension>('mcp-live.mcp-live');
  const testing = extension?.exports.testing;
  if (testing === undefined) throw new Error('MCP Live does not know that it is measured.');
  testing.answerConsent(async () => 'start');
  const { host } = testing;
  await waitFor(`${count} servers`, () => host.servers().length === count || undefined);
  await Promise.all(host.servers().map(({ id }) => host.start(id)));
  await waitFor('tools of all servers', () => host.servers().every(({ tools }) => tools.length > 0) || undefined);
  if (!isTold) return;
  const isOffered = (id: string): boolean => vscode.lm.tools.some(({ name }) => name.startsWith(`mcp_${id}`));
  await waitFor('tools in the editor', () => host.servers().some(({ id }) => isOffered(id)) || undefined);
};

/** Opens views, which may repaint. */
const openViews = async (views: EditorJob['views']): Promise<void> => {
  for (const [command, argument] of views) await vscode.commands.executeCommand(command, argument);
};

/** Minimum length of a callback's source that identifies its owner. */
const TELLING = 20;

/** Called by the editor in its extension host. */
export const run = async (): Promise<void> => {
  const job = JSON.parse(process.env['MCPL_BENCH_JOB'] ?? '{}') as EditorJob;
  await waitFor('active extension', () => vscode.extensions.getExtension(job.extension)?.isActive || undefined);
  const start = loadedFrom(job.folder);
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  const sources = loadedFrom(job.folder).map((path) => readFileSync(path, 'utf8'));
  const watch = new QuietWatch({
    settleMs: job.settleMs,
    ms: job.ms,
    isOurs: (text) => {
      const source = text.replace(/^calls /, '');
      return text.includes(job.folder) || (source.length > TELLING && sources.some((all) => all.includes(source)));
    },
  });
  await startServers(job);
  await openViews(job.views);
  writeFileSync(job.ready, '');
  while (!existsSync(job.go)) await delay(100);
  await watch.settle();
  const { metrics, timers } = await watch.measure();
  const all = { ...metrics, start: kilobytes(start), read: kilobytes(loadedFrom(job.folder)) };
  writeFileSync(job.answer, JSON.stringify({ metrics: all, timers }));
};
