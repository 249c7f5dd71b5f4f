import { mcplRevision } from '../../src/core/wire/mcpl/revisions.ts';
import type { McplTraits } from '../../src/core/model/mcpl.ts';
import type { FeatureSetView, McplDialect, McplSnapshot } from '../../src/core/index.ts';

/** A feature set with the given members, and defaults for the rest. */
export function view(name: string, rest: Partial<FeatureSetView & FeatureSetView['set']> = {}): FeatureSetView {
  const { state = 'disabled', push = 'notify', undeclared = [], tools = [], alsoEvents, ...declared } = rest;
  return {
    set: {
      name,
      description: '',
      uses: [],
      scoped: false,
      rollback: false,
      hostState: false,
      problem: undefined,
      ...declared,
    },
    state,
    push,
    undeclared,
    alsoEvents,
    tools,
  };
}

export function mcplTraits(version: string): McplTraits {
  const revision = mcplRevision(version);
  if (revision === undefined) throw new Error(`MCPL ${version} is unknown.`);
  return revision.traits;
}

export function mcpl(sets: readonly FeatureSetView[], dialect: Partial<McplDialect> = {}): McplSnapshot {
  const { version = '0.2' } = dialect;
  return {
    dialect: {
      version,
      traits: mcplTraits(version),
      claimed: '0.2',
      pushEvents: true,
      before: true,
      after: 'none',
      inference: 'none',
      modelInfo: false,
      listsSets: false,
      remarks: [],
      ...dialect,
    },
    sets,
    withdrawn: [],
    isUndecided: false,
  };
}
