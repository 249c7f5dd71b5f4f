import {
  type Checkpoint,
  type CheckpointDetail,
  checkpointName,
  type JsonObject,
  type KeptState,
  type LineageRow,
  type LineageSummary,
  type LineageWindow,
  type RollbackPlan,
  type RollbackResult,
  type StateTrouble,
} from '../../core/index.ts';

export function checkpointView(node: Checkpoint): JsonObject {
  return { ...node, shownAs: checkpointName(node) };
}

export function lineageView({ head, others, blocked, ...facts }: LineageSummary): JsonObject {
  return {
    ...facts,
    head: head && checkpointView(head),
    others: others.map((other) => ({ ...other })),
    blocked: blocked && checkpointView(blocked),
  };
}

/** For those who only want to know whether to look. */
export function briefLineageView({ server, featureSet, count, head, blocked }: LineageSummary): JsonObject {
  return { server, featureSet, count, head: head?.place, blocked: blocked?.place };
}

export function windowView({ rows, ...facts }: LineageWindow): JsonObject {
  return { ...facts, rows: rows.map(rowView) };
}

function rowView({ node, graph, ...facts }: LineageRow): JsonObject {
  return { ...facts, ...checkpointView(node), graph: graph && { ...graph } };
}

export function detailView({ node, parent, moves, ...facts }: CheckpointDetail): JsonObject {
  return {
    ...facts,
    ...checkpointView(node),
    parentNode: parent && checkpointView(parent),
    moves: moves.map((move) => ({ ...move })),
  };
}

export function planView({ left, head, target, tools, ...facts }: RollbackPlan): JsonObject {
  return {
    ...facts,
    head: head && checkpointView(head),
    target: checkpointView(target),
    left: left.map(checkpointView),
    tools: tools.map((tool) => ({ ...tool })),
  };
}

export function rollbackView(result: RollbackResult): JsonObject {
  switch (result.kind) {
    case 'rolledBack':
      return { kind: result.kind, head: checkpointView(result.head) };
    case 'elsewhere':
      return { kind: result.kind, head: checkpointView(result.head), asked: checkpointView(result.asked) };
    case 'refused':
    case 'unanswered':
    case 'pruned':
      return { ...result };
  }
}

export function keptView(kept: KeptState): JsonObject {
  return { ...kept };
}

export function troubleView(trouble: StateTrouble): JsonObject {
  return { ...trouble };
}
