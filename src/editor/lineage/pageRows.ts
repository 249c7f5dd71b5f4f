import {
  type Checkpoint,
  type CheckpointDetail,
  cleanText,
  type LineageRow,
  nestsDeeperThan,
  parseJson,
} from '../../core/index.ts';
import type { CheckpointAction, NodeKind, PageDetail, PageRow } from '../../webview/lineage/lineageMessages.ts';
import {
  argsText,
  bodySizeText,
  checkpointTimeText,
  countText,
  idText,
  kindOf,
  lineageText,
  makerText,
  checkpointNameText,
  sizeText,
  titleText,
  wholeTimeText,
} from './lineageText.ts';
import { plainLine, plainText } from '../shared/plainText.ts';

/** Maximum characters of a patch in the detail. The state itself opens in the editor. */
const MAX_BODY = 200_000;
/** Deeper JSON would be mostly indentation. */
const MAX_INDENTED = 32;
const MAX_LONG = 1_000;
const MAX_MOVES = 5;

export function pageRow({ position, node, graph, ...row }: LineageRow, now: number): PageRow {
  const kind = kindOf(node);
  const texts = {
    id: idText(node),
    name: checkpointNameText(node),
    tool: makerText(node),
    args: argsText(node),
    time: checkpointTimeText(node.at, now),
    size: bodySizeText(node),
  };
  const { isHead, isOnLine, conversations, rollbacks } = row;
  return {
    position,
    place: node.place,
    ...texts,
    kind,
    isHead,
    isOnLine,
    isPinned: node.isPinned,
    conversations,
    rollbacks,
    link: node.link === 'assumed' || node.link === 'rollback' ? node.link : 'named',
    graph,
    spoken: [
      texts.id,
      ...(texts.name === '' ? [] : [`named ${texts.name}`]),
      ...(isHead ? ['head'] : []),
      ...(kind === 'good' ? [] : [`${kind}: ${KINDS[kind]}`]),
      kind === 'unknown' ? '' : `made by ${texts.tool}`,
      texts.args,
      texts.time,
      texts.size,
      ...(node.isPinned ? ['pinned'] : []),
      ...(rollbacks === 0 ? [] : [rollbackText(rollbacks)]),
      ...(conversations === 0 ? [] : [`${countText(conversations, 'chat')} here`]),
      ...(isOnLine || kind === 'broken' ? [] : ['on another branch']),
    ]
      .filter((part) => part !== '')
      .join(', ')
      .concat('.'),
  };
}

function rollbackText(count: number): string {
  return count === 1 ? 'rolled back to' : `rolled back to ${count} times`;
}

const KINDS: Readonly<Record<Exclude<NodeKind, 'good'>, string>> = {
  broken: 'it has no state',
  unknown: 'only its name is known',
  pruned: 'its server no longer has it',
};

/** `isBlocked`: the next call is refused until the user chooses where to continue. */
export function pageDetail(detail: CheckpointDetail, isBlocked: boolean, now: number): PageDetail {
  const { node } = detail;
  const body = bodyOf(detail);
  return {
    place: node.place,
    title: titleText(node),
    facts: factsOf(detail, now).map(([label, value]) => ({ label, value })),
    problem: problemText(node),
    bodyLabel:
      body === '' ? '' : `${node.form === 'patch' ? 'Patch' : 'State'}${detail.isBodyCut ? ', its beginning' : ''}`,
    body,
    actions: actionsOf(detail, isBlocked),
  };
}

function problemText(node: Checkpoint): string {
  switch (kindOf(node)) {
    case 'good':
      return '';
    case 'broken':
      return plainText(node.problem ?? '');
    case 'pruned':
      return 'Its server no longer has it, and cannot go back to it.';
    case 'unknown':
      return 'Another checkpoint names it as its parent. Nothing else is known about it.';
  }
}

type Fact = readonly [label: string, value: string];

function factsOf(detail: CheckpointDetail, now: number): readonly Fact[] {
  const { node, children, isHead, keeper } = detail;
  const args = plainLine(node.args ?? '', MAX_LONG);
  return [
    ['Of', lineageText(detail)],
    ...when(isHead, ['Head', 'the next call begins here']),
    ['Made by', makerText(node)],
    ...when(args !== '', ['Arguments', args]),
    ['Time', wholeTimeText(node.at, now)],
    ['Parent', parentText(detail)],
    ...when(children > 0, ['Followed by', countText(children, 'checkpoint')]),
    ...when(node.form === 'data' || node.form === 'patch', ['Came with it', cameText(node)]),
    ...when(node.form === 'same', ['Came with it', 'nothing: the state is that of its parent']),
    ['State kept by', keeper === 'host' ? 'MCP Live' : 'the server'],
    ...when(node.conversation !== undefined, ['Chat', plainLine(node.conversation ?? '', 60)]),
    ...detail.moves.slice(0, MAX_MOVES).map((move): Fact => {
      const what = move.kind === 'rollback' ? 'Rolled back to' : 'Continued from';
      const refusal = move.refusal === undefined ? '' : `, refused: ${plainLine(move.refusal, 200)}`;
      return [what, `${wholeTimeText(move.at, now)}${refusal}`];
    }),
  ];
}

function when(isSo: boolean, fact: Fact): readonly Fact[] {
  return isSo ? [fact] : [];
}

function cameText({ form, size }: Checkpoint): string {
  return `${form === 'patch' ? 'a patch' : 'the whole state'} of ${sizeText(size)}`;
}

function parentText({ node, parent }: CheckpointDetail): string {
  const name = parent === undefined ? '' : titleText(parent);
  switch (node.link) {
    case 'none':
      return 'none: it is a beginning';
    case 'trimmed':
      return 'no longer kept';
    case 'named':
      return name;
    case 'assumed':
      return `${name}, assumed: the server did not say`;
    case 'rollback':
      return `${name}, by a rollback to it`;
  }
}

/** Formatted, if it is complete and not too long. */
function bodyOf({ body, isBodyCut }: CheckpointDetail): string {
  if (body === undefined) return '';
  return cleanText(
    isBodyCut || body.length > MAX_BODY || nestsDeeperThan(body, MAX_INDENTED) ? body : indented(body),
    MAX_BODY,
  );
}

function indented(text: string): string {
  try {
    return JSON.stringify(parseJson(text), undefined, 2);
  } catch {
    return text;
  }
}

/** Whether it has a readable state. */
export function hasState({ node, keeper }: Pick<CheckpointDetail, 'node' | 'keeper'>): boolean {
  return keeper === 'host' && node.problem === undefined && node.form !== 'placeholder' && node.form !== 'opaque';
}

/** Why it has no readable state. */
export function noStateText({ node, keeper }: Pick<CheckpointDetail, 'node' | 'keeper'>): string {
  const title = titleText(node);
  if (keeper === 'server' || node.form === 'opaque') return `The server itself keeps the state at ${title}.`;
  if (node.problem !== undefined) return `There is no state at ${title}: ${plainText(node.problem, 300)}`;
  if (node.form === 'placeholder') return `Of ${title} only its name is known.`;
  return `No state has come for ${title} yet.`;
}

function actionsOf(detail: CheckpointDetail, isBlocked: boolean): readonly CheckpointAction[] {
  const { node, isHead, parent } = detail;
  const readable = hasState(detail);
  return [
    ...(node.isPruned ? [] : (['rollBack'] as const)),
    // If the server keeps the state, only the server can roll back.
    ...(readable && (!isHead || isBlocked) ? (['continue'] as const) : []),
    ...(readable ? (['openState'] as const) : []),
    ...(readable && parent !== undefined ? (['compareWithParent'] as const) : []),
    ...(readable && !isHead ? (['compareWithHead'] as const) : []),
    node.isPinned ? 'unpin' : 'pin',
    'name',
    'copyId',
  ];
}
