import type { FeatureSetView, McplDialect, McplSnapshot } from '../../src/core/index.ts';

/** A feature set that a test describes by what matters to it. */
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

export function mcpl(sets: readonly FeatureSetView[], dialect: Partial<McplDialect> = {}): McplSnapshot {
  return {
    dialect: {
      version: '0.2',
      claimed: '0.2',
      pushEvents: true,
      before: true,
      after: 'none',
      inference: 'none',
      modelInfo: false,
      policy: 'notification',
      scopes: false,
      blocks: '0.2',
      listsSets: false,
      remarks: [],
      ...dialect,
    },
    sets,
    withdrawn: [],
    isUndecided: false,
  };
}
