import { rev20241105 } from './mcp/2024-11-05.ts';
import { rev20250326 } from './mcp/2025-03-26.ts';
import { rev20250618 } from './mcp/2025-06-18.ts';
import { rev20251125 } from './mcp/2025-11-25.ts';
import { rev20260728 } from './mcp/2026-07-28.ts';
import type { MethodShape, Revision } from './revision.ts';

/** Oldest first. */
export const REVISIONS: readonly Revision[] = [rev20241105, rev20250326, rev20250618, rev20251125, rev20260728];

/** One method, for the revisions in which it did not change. */
interface MethodSpan extends MethodShape {
  readonly method: string;
  readonly introducedIn: string;
  /** The first revision that removes or changes it. */
  readonly removedIn: string | undefined;
}

/** Every method of all revisions, in order of appearance. */
export const METHODS: readonly MethodSpan[] = REVISIONS.flatMap((revision, index) =>
  [...revision.methods]
    .filter(([method, shape]) => REVISIONS[index - 1]?.methods.get(method) !== shape)
    .map(([method, shape]) => ({
      method,
      ...shape,
      introducedIn: revision.version,
      removedIn: REVISIONS.slice(index).find(({ methods }) => methods.get(method) !== shape)?.version,
    })),
);

const NAMES: ReadonlySet<string> = new Set(METHODS.map(({ method }) => method));

/** Whether any MCP revision has the method. Others belong to extensions and to the feature that implements them. */
export function isMethodOfMcp(method: string): boolean {
  return NAMES.has(method);
}
