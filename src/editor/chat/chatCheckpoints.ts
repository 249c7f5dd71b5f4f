import {
  type Checkpoint,
  checkpointName,
  type LineageKey,
  type Lineages,
  type LineageSummary,
  type RollbackPlan,
} from '../../core/index.ts';
import { checkpointLine, countText, lineageText, titleText } from '../lineage/lineageText.ts';
import { escaped, plainText } from '../shared/plainText.ts';

/** Several checkpoints may share a name. A chat shows only some. */
const MAX_FOUND = 8;

/** A checkpoint to show in an answer. */
export interface Listed {
  readonly place: number;
  readonly title: string;
  readonly node: Checkpoint;
  readonly isHead: boolean;
}

/** The lineages of a server or of one of its sets. All if no name is given. */
export function lineagesNamed(all: readonly LineageSummary[], wanted: string): readonly LineageSummary[] {
  const name = wanted.toLowerCase();
  if (name === '') return all;
  return all.filter((each) =>
    [each.server, each.featureSet, lineageText(each)].some((text) => text.toLowerCase() === name),
  );
}

export async function newestOf(
  lineages: Pick<Lineages, 'window'>,
  { server, featureSet }: LineageKey,
  count: number,
): Promise<readonly Listed[]> {
  const filter = { text: '', only: 'all' } as const;
  const { rows } = await lineages.window({ server, featureSet, filter, from: 0, count });
  return rows.map(({ node, isHead }) => ({ place: node.place, title: titleText(node), node, isHead }));
}

/** Finds checkpoints by the server's name, including `chk_abc#2`, or by the user's name. */
export async function findCheckpoints(
  lineages: Pick<Lineages, 'list' | 'find' | 'window'>,
  wanted: string,
): Promise<readonly Listed[]> {
  const all = lineages.list();
  const found = new Map<number, Listed>();
  const add = (node: Checkpoint, of: LineageKey): void => {
    const title = all.length === 1 ? titleText(node) : `${titleText(node)} of ${lineageText(of)}`;
    const isHead = all.some(({ head }) => head?.place === node.place);
    if (found.size < MAX_FOUND) found.set(node.place, { place: node.place, title, node, isHead });
  };
  const id = wanted.replace(/#\d+$/, '');
  for (const server of new Set(all.map((each) => each.server)))
    for (const text of new Set([wanted, id]))
      for (const node of await lineages.find(server, text))
        if (node.checkpoint === wanted || checkpointName(node) === wanted) add(node, node);
  for (const { server, featureSet } of all) {
    const filter = { text: wanted, only: 'marked' } as const;
    const { rows } = await lineages.window({ server, featureSet, filter, from: 0, count: 50 });
    for (const { node } of rows)
      if (node.name?.toLowerCase() === wanted.toLowerCase()) add(node, { server, featureSet });
  }
  return [...found.values()];
}

/** A lineage with its newest checkpoints as Markdown, with server text escaped. */
export function listedText(summary: LineageSummary, newest: readonly Listed[], now: number): string {
  const title = `**${escaped(lineageText(summary))}**, ${countText(summary.count, 'checkpoint')}`;
  const { blocked } = summary;
  const hindered =
    blocked === undefined ? [] : [`  \n${escaped(`The state of ${titleText(blocked)} could not be made.`)}`];
  const rows = newest.map(
    (each) => `- ${escaped(checkpointLine([each.title, each.isHead ? 'head' : ''], each.node, now))}`,
  );
  return `\n\n${[title, ...hindered].join('')}\n\n${rows.join('\n')}\n\n`;
}

/** A summary of a rollback. The following dialog has the details. */
export function planText({ target, leftCount, tools, hindrance, ...key }: RollbackPlan): string {
  const left =
    leftCount === 0
      ? 'Nothing is left behind.'
      : `${countText(leftCount, 'checkpoint is', 'checkpoints are')} left as a branch.`;
  const out = tools.filter(({ reachesOut }) => reachesOut).map(({ tool }) => plainText(tool, 64));
  const beyond = out.length === 0 ? '' : ` What ${out.join(', ')} may have done elsewhere stays done.`;
  const why = hindrance === undefined ? '' : ` ${plainText(hindrance, 300)}`;
  return escaped(`Going back to ${titleText(target)} of ${lineageText(key)}: ${left}${beyond}${why}`);
}
