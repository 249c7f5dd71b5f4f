import type { RollbackPlan } from '../hostTypes.ts';
import type { Checkpoint, CheckpointDetail, LineagePath, StateKeeper } from '../model/lineage.ts';
import { checkpointName } from '../model/lineage.ts';
import { toolNamed } from '../calls/calledTool.ts';
import type { StateUnit } from './stateUnit.ts';

/** Why a rollback to a checkpoint cannot be requested: a sentence with the next step. */
export function hindranceOf(detail: CheckpointDetail, unit: StateUnit | undefined): string | undefined {
  const { server, featureSet, node } = detail;
  if (node.form === 'placeholder')
    return `Nothing but its name is known of ${checkpointName(node)}. Choose a checkpoint that was recorded.`;
  if (featureSet === '')
    return 'The feature set of this state is unknown. Name the feature set of its tool in "toolFeatureSets".';
  if (unit?.session === undefined) return `The server "${server}" is not running. Start it, then try again.`;
  const view = unit.snapshot.mcpl?.sets.find(({ set }) => set.name === featureSet);
  if (view === undefined) return `The server "${server}" does not declare the feature set "${featureSet}" any more.`;
  // MCPL §8.1; docs/decisions/rollback-outcomes.md.
  if (!view.set.rollback) return `The feature set "${featureSet}" does not offer to roll back.`;
  if (view.state !== 'enabled') return `The feature set "${featureSet}" is off. Switch it on, then try again.`;
  return undefined;
}

/** The host can continue from a state that it stores. If the server keeps it, only the server can roll back. */
export function canContinueFrom({ hasState }: Pick<LineagePath, 'hasState'>, keeper: StateKeeper): boolean {
  return keeper === 'host' && hasState;
}

export function toolsOf(left: readonly Checkpoint[], unit: StateUnit | undefined): RollbackPlan['tools'] {
  const counts = new Map<string, number>();
  for (const { tool } of left) if (tool !== undefined) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  return [...counts].map(([tool, count]) => ({ tool, count, reachesOut: reachesOut(tool, unit) }));
}

/** According to the server's hints. An unknown tool may have done anything. */
function reachesOut(name: string, unit: StateUnit | undefined): boolean {
  const hints = unit === undefined ? undefined : toolNamed(unit.snapshot, name)?.tool.hints;
  return hints === undefined || (!hints.readOnly && (hints.destructive || hints.openWorld));
}
