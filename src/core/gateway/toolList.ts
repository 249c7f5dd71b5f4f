import { type Clock, nextTurn } from '../base/clock.ts';
import { HostError } from '../base/errors.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { OfferedTool, ServerSnapshot } from '../model/server.ts';
import { iconsJson, isListed } from './offerLists.ts';
import { cleanDefinition, ShownNames } from './shownText.ts';
import { wellFormedHints, wellFormedTool } from './wellFormed.ts';

/** Described at once: 10,000 take 25 ms, and to write the answer as text takes another 15. */
const PART = 1_000;

/** The tools that a client sees. */
export async function listedTools(
  snapshot: ServerSnapshot | undefined,
  clock: Clock,
  names: ShownNames = new ShownNames(),
): Promise<readonly JsonObject[]> {
  if (!isListed(snapshot)) return [];
  const all = snapshot.tools.filter((tool) => tool.offered);
  const offered = names.distinct(all, ({ tool }) => tool.name);
  const listed: JsonObject[] = [];
  for (let from = 0; from < offered.length; from += PART) {
    if (from > 0) await nextTurn(clock);
    listed.push(...offered.slice(from, from + PART).map((tool) => describe(tool, names)));
  }
  return listed;
}

/**
 * The definition as the server gave it, unknown members included, but for one hint and its icons. An editor runs tools
 * with `readOnlyHint` without asking, so that hint says here what the person decided, never what the server claims.
 */
function describe({ tool, autoApproved }: OfferedTool, names: ShownNames): JsonObject {
  const { icons: _, ...raw } = cleanDefinition(tool.raw);
  const { annotations, inputSchema } = raw;
  return {
    ...wellFormedTool(raw, isJsonObject(inputSchema) ? inputSchema : cleanDefinition(tool.inputSchema)),
    name: names.shown(tool.name),
    ...iconsJson(tool.icons),
    annotations: { ...wellFormedHints(annotations), readOnlyHint: autoApproved },
  };
}

export function approvedNames(snapshot: ServerSnapshot | undefined): ReadonlySet<string> {
  const tools = snapshot?.tools ?? [];
  return new Set(tools.filter(({ autoApproved }) => autoApproved).map(({ tool }) => tool.name));
}

/** A tool that is gone is refused elsewhere. */
export function isStillApproved(snapshot: ServerSnapshot | undefined, name: string): boolean {
  return snapshot?.tools.find(({ tool }) => tool.name === name)?.autoApproved !== false;
}

export function noLongerApproved(tool: string): HostError {
  return new HostError('NOT_APPROVED', `The tool "${tool}" may no longer be called without asking the person.`, {
    layer: 'policy',
    effect: 'none',
    suggestion: 'List the tools again, then call it again.',
  });
}
