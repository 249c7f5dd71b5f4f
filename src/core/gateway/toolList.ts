import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { OfferedTool, ServerSnapshot } from '../model/server.ts';
import { wellFormedHints, wellFormedTool } from './wellFormed.ts';

/**
 * The tools that a client sees. A server that is coming back by itself keeps its tools listed: a chat would
 * otherwise lose them in the middle of a turn, and a call in between is answered with what to do.
 */
export function listedTools(snapshot: ServerSnapshot | undefined): readonly JsonObject[] {
  switch (snapshot?.state.kind) {
    case 'running':
    case 'starting':
    case 'restarting':
      return snapshot.tools.filter((tool) => tool.offered).map(describe);
    default:
      return [];
  }
}

/**
 * The definition as the server gave it, unknown members included, but for one hint. An editor runs tools with
 * `readOnlyHint` without asking, so that hint says here what the person decided, never what the server claims.
 */
function describe({ tool, autoApproved }: OfferedTool): JsonObject {
  const { annotations, inputSchema } = tool.raw;
  return {
    ...wellFormedTool(tool.raw, isJsonObject(inputSchema) ? inputSchema : tool.inputSchema),
    name: tool.name,
    annotations: { ...wellFormedHints(annotations), readOnlyHint: autoApproved },
  };
}
