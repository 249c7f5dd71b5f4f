import {
  type Checkpoint,
  checkpointName,
  type CheckpointDetail,
  type JsonObject,
  type LineageRow,
  type Lineages,
  type LineageSummary,
  type RollbackPlan,
} from '../../core/index.ts';
import { findCheckpoints } from '../chat/chatCheckpoints.ts';
import { type CheckpointsRequest, InputProblem, type RollbackRequest } from './controlInputs.ts';
import { type ControlResult, controlNote, tagged } from './controlResult.ts';
import { checkpointLine, countText, kindOf, lineageText, titleText } from '../lineage/lineageText.ts';
import { rollbackQuestion, type RollbackQuestion } from '../lineage/rollbackText.ts';
import { plainLine } from '../shared/plainText.ts';

/** Maximum lineages in one answer. A model can ask for one by name. */
const MAX_LINEAGES = 8;
const MAX_NAME = 200;

type Reader = Pick<Lineages, 'list' | 'loaded' | 'window'>;

/** The newest checkpoints of the requested lineages. */
export async function listCheckpoints(
  lineages: Reader,
  wanted: CheckpointsRequest,
  now: number,
): Promise<ControlResult> {
  await lineages.loaded();
  const found = lineages.list().filter((each) => isOf(each, wanted));
  if (found.length === 0)
    throw new InputProblem(
      wanted.server === undefined && wanted.featureSet === undefined
        ? 'There are no checkpoints: no server has made one yet.'
        : 'There are no checkpoints of this server and feature set. Ask again without them to see all checkpoints.',
    );
  const texts: string[] = [];
  const data: JsonObject[] = [];
  for (const summary of found.slice(0, MAX_LINEAGES)) {
    const listed = await listOne(lineages, summary, wanted, now);
    texts.push(listed.text);
    data.push(listed.data);
  }
  const rest = found.length - texts.length;
  const more = rest > 0 ? [`${countText(rest, 'other lineage')} left out: ask with "server" and "featureSet".`] : [];
  const head = `Checkpoints, the newest first; mcpl_rollback takes the number that is called place. ${controlNote('context')}`;
  return { text: [head, ...texts, ...more].join('\n\n'), data: { lineages: data, left: rest } };
}

function isOf(
  { server, featureSet }: { readonly server: string; readonly featureSet: string },
  wanted: Named,
): boolean {
  if (wanted.server !== undefined && wanted.server !== server) return false;
  return wanted.featureSet === undefined || wanted.featureSet === featureSet;
}

interface Named {
  readonly server: string | undefined;
  readonly featureSet: string | undefined;
}

async function listOne(
  lineages: Reader,
  summary: LineageSummary,
  { text, limit, from }: CheckpointsRequest,
  now: number,
): Promise<ControlResult> {
  const { server, featureSet, keeper, count, head, blocked } = summary;
  const query = { server, featureSet, filter: { text, only: 'all' }, from, count: limit } as const;
  const { rows, total } = await lineages.window(query);
  const next = from + rows.length < total && rows.length > 0 ? from + rows.length : undefined;
  const lines = [
    `${lineageText(summary)}: ${countText(count, 'checkpoint')}${total === count ? '' : `, ${total} of them found`}`,
    ...(blocked === undefined ? [] : [`The state of ${titleText(blocked)} could not be made: calls are refused.`]),
    ...rows.map((row) => `- ${rowText(row, now)}`),
    ...(next === undefined ? [] : [`There are older ones: ask again with "from": ${next}.`]),
  ];
  return {
    text: tagged('context', { server, featureSet }, lines.join('\n')),
    data: {
      server,
      featureSet,
      keeper,
      count,
      ...(head === undefined ? {} : { current: head.place }),
      isBlocked: blocked !== undefined,
      checkpoints: rows.map(({ node, isHead }) => nodeData(node, isHead)),
      ...(next === undefined ? {} : { next }),
    },
  };
}

function rowText({ node, isHead }: LineageRow, now: number): string {
  return checkpointLine([`${titleText(node)} [place ${node.place}]`, isHead ? 'current' : ''], node, now);
}

function nodeData(node: Checkpoint, isCurrent: boolean): JsonObject {
  return {
    place: node.place,
    checkpoint: plainLine(checkpointName(node), MAX_NAME),
    ...(node.name === undefined ? {} : { name: plainLine(node.name, MAX_NAME) }),
    ...(node.tool === undefined ? {} : { tool: plainLine(node.tool, MAX_NAME) }),
    at: new Date(node.at).toISOString(),
    isCurrent,
    kind: kindOf(node),
  };
}

/** A rollback with its confirmation, or the reason why it is impossible. */
export type PlannedRollback =
  | { readonly kind: 'ask'; readonly plan: RollbackPlan; readonly question: RollbackQuestion }
  | { readonly kind: 'cannot'; readonly why: string };

export async function planRollback(
  lineages: Pick<Lineages, 'list' | 'loaded' | 'find' | 'window' | 'checkpoint' | 'plan'>,
  wanted: RollbackRequest,
  now: number,
): Promise<PlannedRollback> {
  await lineages.loaded();
  const rowId = await rowIdOf(lineages, wanted);
  const plan = await lineages.plan(rowId);
  const summary = lineages.list().find((each) => each.server === plan.server && each.featureSet === plan.featureSet);
  const question = rollbackQuestion(plan, { keeper: summary?.keeper ?? 'host', now });
  if (question.choices.includes('rollBack')) return { kind: 'ask', plan, question };
  const instead = question.choices.includes('continue')
    ? 'The user can continue from it in the Lineage view instead.'
    : '';
  return { kind: 'cannot', why: `${question.message} ${plan.hindrance ?? ''} ${instead}`.replace(/\s+/g, ' ').trim() };
}

async function rowIdOf(
  lineages: Pick<Lineages, 'list' | 'find' | 'window' | 'checkpoint'>,
  wanted: RollbackRequest,
): Promise<number> {
  const { target } = wanted;
  if (target.kind === 'place') {
    const detail: CheckpointDetail | undefined = await lineages.checkpoint(target.place);
    if (detail !== undefined && isOf(detail, wanted)) return target.place;
    throw new InputProblem(`There is no checkpoint with the place ${target.place}. mcpl_list_checkpoints lists them.`);
  }
  const found = [];
  for (const each of await findCheckpoints(lineages, target.name)) {
    const detail = await lineages.checkpoint(each.place);
    if (detail !== undefined && isOf(detail, wanted)) found.push({ ...each, detail });
  }
  const [only] = found;
  const name = JSON.stringify(plainLine(target.name, MAX_NAME));
  if (only === undefined)
    throw new InputProblem(`No checkpoint is called ${name}. mcpl_list_checkpoints lists all of them.`);
  if (found.length === 1) return only.place;
  const candidates = found.map(({ place, detail }) => `${place} of ${lineageText(detail)}`).join(', ');
  throw new InputProblem(`Several checkpoints are called ${name}. Say which by "place": ${candidates}.`);
}
