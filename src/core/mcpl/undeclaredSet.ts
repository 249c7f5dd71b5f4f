import type { FeatureSet, McplDialect, McplUse } from '../model/mcpl.ts';

/** The name of what stands for a server that declares no sets; it never goes on the wire. */
export const UNDECLARED = '(undeclared)';

/** A server that takes part in inference and declares no sets has one for all of it, off like any other. */
export function undeclaredSet(dialect: McplDialect): readonly FeatureSet[] {
  const uses: McplUse[] = [];
  if (dialect.before) uses.push('contextHooks.beforeInference');
  if (dialect.after !== 'none') uses.push('contextHooks.afterInference');
  if (uses.length === 0) return [];
  const description = 'Actions of this server without a declared feature set.';
  return [
    { name: UNDECLARED, description, uses, scoped: false, rollback: false, hostState: false, problem: undefined },
  ];
}
