import type { StateBase, StateImport, StateRecord } from '../../../core/index.ts';
import {
  type Checkpoint,
  CHECKPOINT_FORMS,
  type CheckpointDetail,
  type HeadMove,
  type LineageHead,
  type LineageKey,
  type LineagePath,
  type LineageRow,
  type LineageSummary,
  type LineageWindow,
  MOVE_KINDS,
  PARENT_LINKS,
  type RowGraph,
  type StateKeeper,
} from '../../../core/model/lineage.ts';
import { type Decoder, integer, list, oneOf, optionalInteger, optionalText, record, text, texts } from '../contract.ts';

/** All columns except the body, which may be long. */
export const CHECKPOINT_COLUMNS =
  'place, checkpoint, copy, parent, link, form, problem, is_pruned, at, tool, args, conversation, size, name, is_pinned';

/** Decodes a row from the file or the other thread. Throws for an invalid one. */
export function checkpointOf(value: unknown): Checkpoint {
  const row = record(value);
  return {
    place: integer(row['place'], 'place'),
    checkpoint: text(row['checkpoint'], 'checkpoint'),
    copy: integer(row['copy'], 'copy'),
    parent: optionalInteger(row['parent'], 'parent'),
    link: oneOf(row['link'], PARENT_LINKS, 'link'),
    form: oneOf(row['form'], CHECKPOINT_FORMS, 'form'),
    problem: optionalText(row['problem'], 'problem'),
    isPruned: row['is_pruned'] === 1,
    at: integer(row['at'], 'at'),
    tool: optionalText(row['tool'], 'tool'),
    args: optionalText(row['args'], 'args'),
    conversation: optionalText(row['conversation'], 'conversation'),
    size: integer(row['size'], 'size'),
    name: optionalText(row['name'], 'name'),
    isPinned: row['is_pinned'] === 1,
  };
}

// Decoders for the answers of the store's thread. Rows cross as they are in the file.

const KEEPERS: readonly StateKeeper[] = ['host', 'server'];

export const callBaseOf: Decoder<StateBase> = (value) => {
  const { keeper, head, state, blocked } = record(value);
  return {
    keeper: oneOf(keeper, KEEPERS, 'keeper'),
    head: optionalCheckpoint(head),
    state: optionalText(state, 'state'),
    blocked: optionalCheckpoint(blocked),
  };
};

export const recordOf: Decoder<StateRecord> = (value) => {
  const { kind, node, written, remarks } = record(value);
  return {
    kind: oneOf(kind, ['kept', 'known', 'broken'], 'kind'),
    node: checkpointOf(node),
    written: integer(written, 'written'),
    remarks: texts(remarks),
  };
};

export const importOf: Decoder<StateImport> = (value) => {
  const { added, known } = record(value);
  return { added: integer(added, 'added'), known: integer(known, 'known') };
};

export const keyOf: Decoder<LineageKey> = (value) => {
  const { server, featureSet } = record(value);
  return { server: text(server, 'server'), featureSet: text(featureSet, 'featureSet') };
};

export const summaryOf: Decoder<LineageSummary> = (value) => {
  const answer = record(value);
  return {
    ...keyOf(answer),
    id: integer(answer['id'], 'id'),
    keeper: oneOf(answer['keeper'], KEEPERS, 'keeper'),
    count: integer(answer['count'], 'count'),
    size: integer(answer['size'], 'size'),
    head: optionalCheckpoint(answer['head']),
    others: list(headOf)(answer['others']),
    blocked: optionalCheckpoint(answer['blocked']),
    changedAt: integer(answer['changedAt'], 'changedAt'),
  };
};

export const windowOf: Decoder<LineageWindow> = (value) => {
  const answer = record(value);
  return {
    version: integer(answer['version'], 'version'),
    total: integer(answer['total'], 'total'),
    all: integer(answer['all'], 'all'),
    head: optionalInteger(answer['head'], 'head'),
    lanes: integer(answer['lanes'], 'lanes'),
    rows: list(rowOf)(answer['rows']),
  };
};

export const detailOf: Decoder<CheckpointDetail> = (value) => {
  const answer = record(value);
  return {
    ...keyOf(answer),
    node: checkpointOf(answer['node']),
    keeper: oneOf(answer['keeper'], KEEPERS, 'keeper'),
    parent: optionalCheckpoint(answer['parent']),
    children: integer(answer['children'], 'children'),
    body: optionalText(answer['body'], 'body'),
    isBodyCut: answer['isBodyCut'] === true,
    isHead: answer['isHead'] === true,
    moves: list(moveOf)(answer['moves']),
  };
};

export const foundOf: Decoder<Checkpoint & LineageKey> = (value) => {
  const answer = record(value);
  return { ...checkpointOf(answer['node']), ...keyOf(answer) };
};

export const pathOf: Decoder<LineagePath> = (value) => {
  const answer = record(value);
  return {
    left: list(checkpointOf)(answer['left']),
    leftCount: integer(answer['leftCount'], 'leftCount'),
    isBack: answer['isBack'] === true,
    head: optionalCheckpoint(answer['head']),
    target: checkpointOf(answer['target']),
    hasState: answer['hasState'] === true,
  };
};

function optionalCheckpoint(value: unknown): Checkpoint | undefined {
  return value === null || value === undefined ? undefined : checkpointOf(value);
}

const headOf: Decoder<LineageHead> = (value) => {
  const { conversation, place } = record(value);
  return { conversation: optionalText(conversation, 'conversation'), place: integer(place, 'place') };
};

const rowOf: Decoder<LineageRow> = (value) => {
  const { position, node, isHead, isOnLine, conversations, rollbacks, graph } = record(value);
  return {
    position: integer(position, 'position'),
    node: checkpointOf(node),
    isHead: isHead === true,
    isOnLine: isOnLine === true,
    conversations: integer(conversations, 'conversations'),
    rollbacks: integer(rollbacks, 'rollbacks'),
    graph: graph === null || graph === undefined ? undefined : graphOf(graph),
  };
};

const lanes = list((lane) => integer(lane, 'lane'));

const graphOf: Decoder<RowGraph> = (value) => {
  const { lane, through, children, hasParent, folded } = record(value);
  return {
    lane: integer(lane, 'lane'),
    through: lanes(through),
    children: lanes(children),
    hasParent: hasParent === true,
    folded: integer(folded, 'folded'),
  };
};

const moveOf: Decoder<HeadMove> = (value) => {
  const { at, kind, origin, target, refusal } = record(value);
  return {
    at: integer(at, 'at'),
    kind: oneOf(kind, MOVE_KINDS, 'kind'),
    from: optionalInteger(origin, 'origin'),
    to: integer(target, 'target'),
    refusal: optionalText(refusal, 'refusal'),
  };
};
