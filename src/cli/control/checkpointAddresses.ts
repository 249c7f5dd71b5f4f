import { checkpointName, type Lineages } from '../../core/index.ts';
import { Refused } from './commands.ts';
import type { CheckpointAddress } from './lineageCommands.ts';

/** The host's number of a checkpoint that a driver names, `chk_1` or `chk_1#2`. */
export async function addressed(lineages: Lineages, target: CheckpointAddress): Promise<number> {
  if (target.kind === 'place') return target.place;
  const { key, name } = target;
  // Servers may have the sign in their own names.
  for (const id of new Set([name, name.replace(/#[2-9]\d*$|#1\d+$/, '')])) {
    const found = await lineages.find(key.server, id);
    const meant = found.find((node) => node.featureSet === key.featureSet && checkpointName(node) === name);
    if (meant !== undefined) return meant.place;
  }
  throw unknownCheckpoint(`"${name}" of "${key.server}"`);
}

export function unknownCheckpoint(what: string): Refused {
  return new Refused('UNKNOWN_CHECKPOINT', `There is no checkpoint ${what}.`, 'List them with "checkpoints".');
}
