import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { OfferedTool, ServerSnapshot } from '../model/server.ts';
import { iconsJson, isListed } from './offerLists.ts';
import { wellFormedHints, wellFormedTool } from './wellFormed.ts';

/** The tools that a client sees. */
export function listedTools(snapshot: ServerSnapshot | undefined): readonly JsonObject[] {
  return isListed(snapshot) ? snapshot.tools.filter((tool) => tool.offered).map(describe) : [];
}

/**
 * The definition as the server gave it, unknown members included, but for one hint and its icons. An editor runs tools
 * with `readOnlyHint` without asking, so that hint says here what the person decided, never what the server claims.
 */
function describe({ tool, autoApproved }: OfferedTool): JsonObject {
  const { icons: _, ...raw } = tool.raw;
  const { annotations, inputSchema } = raw;
  return {
    ...wellFormedTool(raw, isJsonObject(inputSchema) ? inputSchema : tool.inputSchema),
    name: tool.name,
    ...iconsJson(tool.icons),
    annotations: { ...wellFormedHints(annotations), readOnlyHint: autoApproved },
  };
}
