import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Tool, ToolHints } from '../model/catalog.ts';
import type { Progress } from '../model/operation.ts';

/** One page of `tools/list`; tools that cannot be used are counted with the reason, the others are kept. */
export interface ToolPage {
  readonly tools: readonly Tool[];
  readonly rejected: readonly string[];
  readonly nextCursor: string | undefined;
}

export function decodeToolPage(result: Json): ToolPage {
  // A bare list comes from servers older than the standard; reading it costs one line.
  const list = isJsonArray(result) ? result : isJsonObject(result) ? result['tools'] : undefined;
  if (!isJsonArray(list)) return { tools: [], rejected: ['the answer holds no list of tools'], nextCursor: undefined };
  const cursor = isJsonObject(result) ? result['nextCursor'] : undefined;
  const tools: Tool[] = [];
  const rejected: string[] = [];
  for (const item of list) {
    const decoded = decodeTool(item);
    if (typeof decoded === 'string') rejected.push(decoded);
    else tools.push(decoded);
  }
  // An empty text is a cursor to no page: taken as "last page" as every client does.
  return { tools, rejected, nextCursor: typeof cursor === 'string' && cursor !== '' ? cursor : undefined };
}

const LONGEST_NAME = 256;

function decodeTool(value: Json): Tool | string {
  if (!isJsonObject(value)) return 'a tool that is not an object';
  const { name, title, description, annotations } = value;
  if (typeof name !== 'string' || name === '') return 'a tool without a name';
  if (name.length > LONGEST_NAME) return `a tool whose name has ${name.length} characters`;
  const schema = value['inputSchema'] ?? value['input_schema'];
  const hints = isJsonObject(annotations) ? annotations : {};
  const hintTitle = typeof hints['title'] === 'string' ? hints['title'] : undefined;
  return {
    name,
    title: typeof title === 'string' ? title : hintTitle,
    description: typeof description === 'string' ? description : undefined,
    inputSchema: isJsonObject(schema) ? schema : { type: 'object' },
    hints: decodeHints(hints),
    raw: value,
  };
}

function decodeHints(annotations: JsonObject): ToolHints {
  const readOnly = annotations['readOnlyHint'] === true;
  return {
    readOnly,
    destructive: !readOnly && annotations['destructiveHint'] !== false,
    idempotent: annotations['idempotentHint'] === true,
    openWorld: annotations['openWorldHint'] !== false,
  };
}

/** The params of `notifications/progress`, or nothing where they cannot be read. */
export function decodeProgress(
  params: JsonObject,
): { readonly token: string | number; readonly progress: Progress } | undefined {
  const { progressToken, progress, total, message } = params;
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return undefined;
  return {
    token: progressToken,
    progress: {
      progress: typeof progress === 'number' ? progress : 0,
      total: typeof total === 'number' ? total : undefined,
      message: typeof message === 'string' ? message : undefined,
    },
  };
}
