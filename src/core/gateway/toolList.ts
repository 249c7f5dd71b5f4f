import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { Icon } from '../model/catalog.ts';
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
 * The definition as the server gave it, unknown members included, but for one hint and its icons. An editor runs tools
 * with `readOnlyHint` without asking, so that hint says here what the person decided, never what the server claims; of
 * the icons only those with harmless addresses go on (MCP 2025-11-25 "Icons").
 */
function describe({ tool, autoApproved }: OfferedTool): JsonObject {
  const { icons: _, ...raw } = tool.raw;
  const { annotations, inputSchema } = raw;
  return {
    ...wellFormedTool(raw, isJsonObject(inputSchema) ? inputSchema : tool.inputSchema),
    name: tool.name,
    ...(tool.icons.length === 0 ? {} : { icons: tool.icons.map(iconJson) }),
    annotations: { ...wellFormedHints(annotations), readOnlyHint: autoApproved },
  };
}

function iconJson({ src, mimeType, sizes, theme }: Icon): JsonObject {
  return { src, mimeType, ...(sizes.length === 0 ? {} : { sizes: [...sizes] }), theme };
}
