import * as vscode from 'vscode';
import type { Host } from '../../core/index.ts';
import { emptyText } from '../lineage/lineageText.ts';
import { COMMANDS, ROLL_BACK_IN_CHAT } from '../shared/ids.ts';
import { escaped, plainText } from '../shared/plainText.ts';
import { findCheckpoints, lineagesNamed, type Listed, listedText, newestOf, planText } from './chatCheckpoints.ts';

const LINEAGE_COMMANDS = ['checkpoints', 'rollback'] as const;
type LineageCommand = (typeof LINEAGE_COMMANDS)[number];

/** Maximum checkpoints in an answer. The view has all. */
const MAX_LISTED = 5;

type Tools = { readonly host: Pick<Host, 'lineages' | 'servers'> };

export function isLineageCommand(command: string | undefined): command is LineageCommand {
  return LINEAGE_COMMANDS.some((each) => each === command);
}

/** `@mcpl /checkpoints` and `@mcpl /rollback`. They use no model. */
export async function answerLineage(
  tools: Tools,
  command: LineageCommand,
  prompt: string,
  response: vscode.ChatResponseStream,
): Promise<void> {
  await tools.host.lineages.loaded();
  if (command === 'checkpoints') await listCheckpoints(tools, prompt.trim(), response);
  else await rollBack(tools, prompt.trim(), response);
}

async function listCheckpoints({ host }: Tools, wanted: string, response: vscode.ChatResponseStream): Promise<void> {
  const all = host.lineages.list();
  const named = lineagesNamed(all, wanted);
  if (named.length === 0) {
    const none = `There are no checkpoints of "${plainText(wanted, 100)}". There are some of these:`;
    response.markdown(escaped(all.length === 0 ? emptyText(host.servers()) : none));
  }
  const now = Date.now();
  for (const summary of named.length === 0 ? all : named) {
    const found = await newestOf(host.lineages, summary, MAX_LISTED);
    response.markdown(listedText(summary, found, now));
    for (const each of found.filter(({ isHead }) => !isHead)) offerRollback(each, response);
    const { server, featureSet } = summary;
    const title = vscode.l10n.t('Show Lineage');
    response.button({ command: COMMANDS.lineageShow, title, arguments: [{ server, featureSet }] });
  }
}

async function rollBack({ host }: Tools, wanted: string, response: vscode.ChatResponseStream): Promise<void> {
  if (wanted === '') {
    response.markdown(
      vscode.l10n.t(
        'Which checkpoint? Enter an ID or name, such as `@mcpl /rollback chk_abc`. `/checkpoints` lists them.',
      ),
    );
    return;
  }
  const found = await findCheckpoints(host.lineages, wanted);
  const [only] = found;
  if (only === undefined) {
    const none = `No checkpoint is called "${plainText(wanted, 100)}".`;
    response.markdown(`${escaped(none)} ${vscode.l10n.t('`/checkpoints` lists all of them.')}`);
    return;
  }
  if (found.length > 1) {
    response.markdown(escaped(`Several checkpoints are called "${plainText(wanted, 100)}". Choose one:`));
    for (const each of found) offerRollback(each, response);
    return;
  }
  response.markdown(planText(await host.lineages.plan(only.place)));
  const outcome: unknown = await vscode.commands.executeCommand(ROLL_BACK_IN_CHAT, only.place);
  response.markdown(
    `\n\n${escaped(typeof outcome === 'string' ? outcome : vscode.l10n.t('Nothing was rolled back.'))}`,
  );
}

function offerRollback({ place, title }: Listed, response: vscode.ChatResponseStream): void {
  const text = vscode.l10n.t('Roll Back to {0}', title);
  response.button({ command: COMMANDS.rollBack, title: text, arguments: [{ place }] });
}
