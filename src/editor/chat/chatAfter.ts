import * as vscode from 'vscode';
import { type Host, type Logger, messageOf } from '../../core/index.ts';
import { titleText } from '../lineage/lineageText.ts';
import { COMMANDS } from '../shared/ids.ts';
import { escaped, plainText } from '../shared/plainText.ts';
import { MAX_ROUNDS } from './chatLoop.ts';
import type { RoundResult } from './chatRound.ts';
import type { MadeCheckpoint, ResourceLink } from './chatToolRun.ts';
import { MAX_TOOLS, type ToolChoice } from './chatTools.ts';

/** Maximum names listed before the rest is counted. */
const MAX_NAMED_COUNT = 5;

interface NoteFacts {
  readonly results: readonly RoundResult[];
  readonly choice: Pick<ToolChoice, 'left' | 'missing'>;
  readonly remarks: readonly string[];
  readonly end: 'done' | 'unfinished';
}

/** A note on the answer: which servers affected it, and what was dropped. */
export function noteOn({ results, choice, remarks, end }: NoteFacts): string | undefined {
  const injected = results.flatMap(({ injectedBy }) => injectedBy.map(({ server }) => server));
  const modified = results.flatMap(({ modifiedBy }) => modifiedBy);
  const unshown = results.flatMap((result) => result.unshown);
  const said = [...new Set([...remarks, ...results.flatMap((result) => result.remarks)])];
  const lines = [
    ...(injected.length === 0 ? [] : [vscode.l10n.t('Context from {0}.', names(injected))]),
    ...(modified.length === 0 ? [] : [vscode.l10n.t('Changed by {0}.', names(modified))]),
    // A remark may quote server text.
    ...said.map((remark) => escaped(plainText(remark, 300))),
    ...leftText(results.at(-1)),
    ...(unshown.length === 0
      ? []
      : [
          vscode.l10n.t(
            'The model also returned content that cannot be shown here: {0}.',
            escaped(plainText(unshown.join(', '), 200)),
          ),
        ]),
    ...(choice.missing.length === 0
      ? []
      : [vscode.l10n.t('Attached tools that are not available: {0}.', some(choice.missing))]),
    ...(choice.left.length === 0
      ? []
      : [
          vscode.l10n.t(
            'A model takes {0} tools; these were left out: {1}. Hide tools that you do not need.',
            MAX_TOOLS,
            some(choice.left),
          ),
        ]),
    ...(end === 'done' ? [] : [vscode.l10n.t('The model did not finish within {0} rounds.', MAX_ROUNDS)]),
  ];
  return lines.length === 0 ? undefined : `\n\n---\n${lines.map((line) => `*${line}*`).join('  \n')}`;
}

/** Server names come from settings. */
function names(servers: readonly string[]): string {
  return [...new Set(servers)].map((name) => `\`${name}\``).join(', ');
}

function some(all: readonly string[]): string {
  const shown = all.slice(0, MAX_NAMED_COUNT).map((name) => escaped(plainText(name, 100)));
  const more = all.length - shown.length;
  return more === 0 ? shown.join(', ') : vscode.l10n.t('{0} and {1} more', shown.join(', '), more);
}

function leftText(result: RoundResult | undefined): readonly string[] {
  const { turn = 0, reference = 0, result: results = 0 } = result?.left ?? {};
  return [
    ...(turn === 0 ? [] : [vscode.l10n.t('Earlier turns left out because of the limit of the model: {0}.', turn)]),
    ...(reference === 0
      ? []
      : [vscode.l10n.t('Attachments left out because of the limit of the model: {0}.', reference)]),
    ...(results === 0 ? [] : [vscode.l10n.t('Tool results left out because of the limit of the model: {0}.', results)]),
  ];
}

const MAX_BUTTONS = 5;
const MAX_LINKS = 10;

/**
 * Shows buttons that roll back to the state before each call, first call first. Returns the checkpoint names. The very
 * first call has no earlier state.
 */
export async function offerRollbacks(
  { lineages }: Pick<Host, 'lineages'>,
  made: readonly MadeCheckpoint[],
  stream: vscode.ChatResponseStream,
  log: Logger,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { place, tool } of made) {
    if (names.length >= MAX_BUTTONS) break;
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

/** Shows resource links of tools. Web addresses become links; other URIs are opened through the server. */
export function showLinks(links: readonly ResourceLink[], stream: vscode.ChatResponseStream): void {
  const shown = new Map(links.map((link) => [`${link.server} ${link.uri}`, link]));
  for (const { server, uri, name } of [...shown.values()].slice(0, MAX_LINKS)) {
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
