import type { McplRevision } from '../../model/mcpl.ts';
import { mcpl02 } from './revisions/0.2.ts';
import { mcpl03 } from './revisions/0.3.ts';
import { mcpl04 } from './revisions/0.4.ts';
import { mcpl05 } from './revisions/0.5.ts';

/** The versions of MCPL that this host speaks, oldest first. Settings can pin each of them. */
export const MCPL_REVISIONS: readonly [McplRevision, ...McplRevision[]] = [mcpl02, mcpl03, mcpl04, mcpl05];

export const OLDEST_REVISION = MCPL_REVISIONS[0];
export const NEWEST_REVISION = MCPL_REVISIONS.at(-1) ?? OLDEST_REVISION;

export function mcplRevision(version: string): McplRevision | undefined {
  return MCPL_REVISIONS.find((revision) => revision.version === version);
}
