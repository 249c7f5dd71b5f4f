import {
  type Checkpoint,
  checkpointName,
  cleanLine,
  type KeptState,
  type LineageRow,
  type LineageSummary,
  type LineageWindow,
} from '../core/index.ts';
import { graphLines } from './lineageGraph.ts';

const LONGEST_NAME = 100;
const LONGEST_ARGS = 80;
const LONGEST_PROBLEM = 200;

/** A lineage for a person to read: the newest checkpoints, and how they came from each other. */
export function lineageText(summary: LineageSummary, { rows, total }: LineageWindow): readonly string[] {
  const { server, featureSet, keeper, count, blocked } = summary;
  const older = total - rows.length;
  return [
    `${cleanLine(server, LONGEST_NAME)} ${setText(featureSet)}: ${counted(count)}, kept by the ${keeper}`,
    ...(blocked === undefined
      ? []
      : [`! Calls are refused until a rollback: there is no state at ${nameOf(blocked)}.`]),
    ...rows.flatMap(rowLines),
    ...(older > 0 ? [`… and ${older} older. Show more with --limit.`] : []),
  ];
}

/** What became of the state that came with a result, in a line for standard error. */
export function keptText(kept: KeptState, featureSet: string | undefined, isStored: boolean): string {
  const where = featureSet === undefined || featureSet === '' ? '' : ` (${cleanLine(featureSet, LONGEST_NAME)})`;
  const name = kept.checkpoint === undefined ? '' : cleanLine(kept.checkpoint, LONGEST_NAME);
  switch (kept.kind) {
    case 'kept':
      return isStored
        ? `checkpoint ${name} kept${where}`
        : `checkpoint ${name} kept until this command ends${where}; --store <file> keeps it longer`;
    case 'known':
      return `checkpoint ${name} was known already${where}`;
    case 'broken':
      return `! checkpoint ${name} has no state${where}: ${cleanLine(kept.problem, LONGEST_PROBLEM)}`;
    case 'lost':
      return `! The state was not kept${where}: ${cleanLine(kept.problem, LONGEST_PROBLEM)}`;
  }
}

function rowLines({ node, isHead, conversations, rollbacks, graph }: LineageRow): readonly string[] {
  const { above, row } = graph === undefined ? { above: undefined, row: '*' } : graphLines(graph);
  const marks = [
    ...(isHead ? ['head'] : []),
    ...rollbackMark(rollbacks),
    ...(conversations === 0 ? [] : [conversations === 1 ? '1 conversation' : `${conversations} conversations`]),
    ...(node.isPinned ? ['pinned'] : []),
    ...(node.isPruned ? ['no longer at the server'] : []),
    ...(node.form === 'placeholder' ? ['only its name is known'] : []),
    ...(node.link === 'assumed' ? ['parent assumed'] : []),
  ];
  const words = [
    row,
    nameOf(node),
    ...(node.name === undefined ? [] : [`"${cleanLine(node.name, LONGEST_NAME)}"`]),
    ...(marks.length === 0 ? [] : [`(${marks.join(', ')})`]),
    new Date(node.at).toISOString().replace(/\.\d+Z$/, 'Z'),
    ...(node.tool === undefined ? [] : [cleanLine(node.tool, LONGEST_NAME)]),
    ...(node.args === undefined ? [] : [cleanLine(node.args, LONGEST_ARGS)]),
    ...(node.problem === undefined ? [] : [`! ${cleanLine(node.problem, LONGEST_PROBLEM)}`]),
  ];
  return [...(above === undefined ? [] : [above]), words.join(' ')];
}

function rollbackMark(count: number): readonly string[] {
  if (count === 0) return [];
  return [count === 1 ? 'rolled back to' : `rolled back to ${count} times`];
}

function nameOf(node: Checkpoint): string {
  return cleanLine(checkpointName(node), LONGEST_NAME);
}

function setText(featureSet: string): string {
  return featureSet === '' ? '(of no feature set)' : cleanLine(featureSet, LONGEST_NAME);
}

function counted(count: number): string {
  return count === 1 ? '1 checkpoint' : `${count} checkpoints`;
}
