import * as vscode from 'vscode';
import { type Host, type Logger, messageOf } from '../../core/index.ts';
import type { MadeCheckpoint, ResourceLink } from './chatToolRun.ts';
import { COMMANDS } from '../shared/ids.ts';
import { titleText } from '../lineage/lineageText.ts';
import { plainText } from '../shared/plainText.ts';

const MOST_BUTTONS = 5;
const MOST_LINKS = 10;

/**
 * Buttons that go back to before each call that left a checkpoint, the first one first. Gives back the names of these
 * checkpoints. Before the very first there is nothing to go back to.
 */
export async function offerRollbacks(
  { lineages }: Pick<Host, 'lineages'>,
  made: readonly MadeCheckpoint[],
  stream: vscode.ChatResponseStream,
  log: Logger,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { place, tool } of made) {
    if (names.length >= MOST_BUTTONS) break;
    try {
      const parent = (await lineages.checkpoint(place))?.parent;
      if (parent === undefined || parent.isPruned) continue;
      const title = vscode.l10n.t('Roll Back to Before {0}', plainText(tool, 64));
      const tooltip = vscode.l10n.t('To the checkpoint {0}', titleText(parent));
      stream.button({ command: COMMANDS.rollBack, title, tooltip, arguments: [{ place: parent.place }] });
      names.push(parent.checkpoint);
    } catch (error) {
      log.log('warn', `The checkpoint before a call is not known: ${messageOf(error)}`);
    }
  }
  return [...new Set(names)];
}

/** What tools pointed at. A web address is shown as what it leads to; of a server's own, only the server knows what it is. */
export function showLinks(links: readonly ResourceLink[], stream: vscode.ChatResponseStream): void {
  const shown = new Map(links.map((link) => [`${link.server} ${link.uri}`, link]));
  for (const { server, uri, name } of [...shown.values()].slice(0, MOST_LINKS)) {
    const web = webAddress(uri);
    if (web !== undefined) stream.reference(web);
    else if (/^[a-z][a-z0-9+.-]*:/i.test(uri) && !/^(command|javascript|data|vscode[\w-]*):/i.test(uri)) {
      const title = vscode.l10n.t('Open {0}', plainText(name, 64));
      stream.button({ command: COMMANDS.resourceOpen, title, arguments: [{ server, resource: uri }] });
    }
  }
}

function webAddress(text: string): vscode.Uri | undefined {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) return undefined;
  return vscode.Uri.parse(new URL(text).href);
}
