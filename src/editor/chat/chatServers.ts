import * as vscode from 'vscode';
import { canStart, type Host, type ServerSnapshot } from '../../core/index.ts';
import { escaped } from './chatText.ts';
import type { ChatWriter } from './chatWriter.ts';
import { COMMANDS } from '../shared/ids.ts';
import { plainText } from '../shared/plainText.ts';
import { stateWords } from '../shared/serverStateText.ts';

const MOST_LISTED = 20;

/** `@mcpl /servers`: how each stands, and what can be done. No model takes part. */
export function listServers(host: Pick<Host, 'servers'>, prompt: string, writer: ChatWriter): void {
  const { stream } = writer;
  const all = host.servers();
  if (all.length === 0) {
    stream.markdown(vscode.l10n.t('There is no server in the settings.'));
    writer.links([
      { command: COMMANDS.serverAdd, title: vscode.l10n.t('Add Server') },
      { command: COMMANDS.demoTry, title: vscode.l10n.t('Try the Demo Server') },
    ]);
    return;
  }
  const wanted = prompt.trim().toLowerCase();
  const named = all.filter(({ id }) => wanted === '' || id.toLowerCase() === wanted);
  if (named.length === 0) stream.markdown(`${escaped(plainText(`There is no server "${prompt.trim()}".`, 200))}\n\n`);
  const shown = (named.length === 0 ? all : named).slice(0, MOST_LISTED);
  for (const server of shown) {
    stream.markdown(`\n\n${serverText(server)}\n\n`);
    writer.links(actions(server));
  }
  if (all.length > shown.length && wanted === '')
    stream.markdown(`\n\n${vscode.l10n.t('The Servers view has all {0} of them.', all.length)}`);
}

/** As markdown in which nothing that a server said acts. */
export function serverText(server: ServerSnapshot): string {
  const { id, state, mcpl, tools } = server;
  const offered = tools.filter(({ offered: isOffered, setOff }) => isOffered && setOff === undefined);
  const asking = offered.filter(({ autoApproved }) => !autoApproved).length;
  const sets = mcpl?.sets ?? [];
  const on = sets.filter((set) => set.state === 'enabled').map(({ set }) => plainText(set.name, 100));
  const error = state.kind === 'failed' || state.kind === 'restarting' ? state.error.message : undefined;
  const lines = [
    `**${escaped(plainText(id, 64))}** ${escaped(stateWords(server))}`,
    ...(error === undefined ? [] : [escaped(plainText(error, 300))]),
    ...(state.kind === 'running' ? [escaped(toolsText(offered.length, tools.length, asking))] : []),
    ...(sets.length === 0 || state.kind !== 'running' ? [] : [escaped(setsText(on, sets.length))]),
  ];
  return lines.join('  \n');
}

function toolsText(offered: number, all: number, asking: number): string {
  if (all === 0) return 'No tools';
  const asks = asking === 0 ? 'none asks first' : `${asking === offered ? 'each asks' : `${asking} ask`} first`;
  return `${offered} of ${all} tools for models; ${asks}`;
}

function setsText(on: readonly string[], all: number): string {
  if (on.length === 0) return `None of ${all} feature sets is on`;
  return `Feature sets that are on (${on.length} of ${all}): ${on.join(', ')}`;
}

function actions({ id, state, mcpl, enabled }: ServerSnapshot): readonly vscode.Command[] {
  const given = [{ server: id }];
  return [
    ...(enabled && canStart(state)
      ? [{ command: COMMANDS.serverStart, title: vscode.l10n.t('Start'), arguments: given }]
      : []),
    ...(enabled ? [] : [{ command: COMMANDS.serverEnable, title: vscode.l10n.t('Enable'), arguments: given }]),
    ...((mcpl?.sets.length ?? 0) === 0
      ? []
      : [{ command: COMMANDS.featureSetsChoose, title: vscode.l10n.t('Choose Feature Sets'), arguments: given }]),
    { command: COMMANDS.serverShowLog, title: vscode.l10n.t('Show Log'), arguments: given },
  ];
}
