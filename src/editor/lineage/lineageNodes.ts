import { type Checkpoint, checkpointName, type LineageSummary } from '../../core/index.ts';
import { COMMANDS, FACETS } from '../shared/ids.ts';
import { plainText } from '../shared/plainText.ts';
import { LEAF, lines, MAX_LABEL, nodeId, type TreeNode, WARNING_ICON } from '../shared/treeNode.ts';

/**
 * The lineage of a feature set as a row below it. If the set has no row, it goes below the server with the set's name.
 */
export function checkpointsNode(summary: LineageSummary, isBelowSet = true): TreeNode {
  const { server, featureSet, keeper, head, count, blocked } = summary;
  const set = isBelowSet ? '' : plainText(featureSet, 60);
  const facts = [
    ...(blocked === undefined ? [] : ['needs you']),
    ...(set === '' ? [] : [set]),
    // Before the name, which may be long.
    count.toLocaleString('en'),
    ...(head === undefined ? [] : [nameOf(head)]),
  ];
  return {
    ...LEAF,
    id: nodeId('checkpoints', server, featureSet),
    kind: 'checkpoints',
    server,
    featureSet,
    label: 'Checkpoints',
    description: facts.join(' · '),
    tooltip: lines(
      head === undefined ? 'No checkpoint has a state yet.' : `The next call begins at ${nameOf(head)}.`,
      blocked === undefined ? undefined : `The state of ${nameOf(blocked)} could not be made: calls are refused.`,
      blocked === undefined ? undefined : 'Continue from the last good checkpoint, or roll back.',
      keeper === 'host' ? 'MCP Live keeps the states.' : 'The server itself keeps the states.',
      'Select to see the lineage.',
    ),
    spoken: `Checkpoints, ${facts.join(', ')}`,
    icon: blocked === undefined ? { name: 'git-commit' } : WARNING_ICON,
    facets: [FACETS.checkpoints, ...(blocked === undefined ? [] : [FACETS.blocked])],
    command: { id: COMMANDS.lineageShow, title: 'Show Lineage' },
  };
}

function nameOf(node: Checkpoint): string {
  return plainText(node.name ?? checkpointName(node), MAX_LABEL);
}

/** Lineages of sets without a row: the server is stopped, or no longer declares them. */
export function strayCheckpointsNodes(
  lineages: readonly LineageSummary[],
  sets: readonly { readonly set: { readonly name: string } }[],
): readonly TreeNode[] {
  const stray = lineages.filter(({ featureSet }) => !sets.some(({ set }) => set.name === featureSet));
  return stray.map((summary) => checkpointsNode(summary, false));
}
