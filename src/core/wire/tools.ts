import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Tool, ToolHints } from '../model/catalog.ts';
import type { Progress } from '../model/operation.ts';

/** One page of `tools/list`; tools that cannot be used are counted with the reason, the others are kept. */
export interface ToolPage {
  readonly tools: readonly Tool[];
  readonly rejected: readonly string[];
  readonly nextCursor: string | undefined;
  /** Characters of the tools that were kept, written as JSON. */
  readonly size: number;
}

/** Reasons that are told apart: a hostile page has millions of entries that are no tools. */
const MAX_REASONS = 10;

export function decodeToolPage(result: Json): ToolPage {
  // A bare list comes from servers older than the standard; reading it costs one line.
  const list = isJsonArray(result) ? result : isJsonObject(result) ? result['tools'] : undefined;
  if (!isJsonArray(list)) {
    return { tools: [], rejected: ['the answer holds no list of tools'], nextCursor: undefined, size: 0 };
  }
  const cursor = isJsonObject(result) ? result['nextCursor'] : undefined;
  const tools: Tool[] = [];
  const rejected: string[] = [];
  let unnamed = 0;
  let size = 0;
  for (const item of list) {
    const length = isJsonObject(item) ? JSON.stringify(item).length : 0;
    const decoded = length > LONGEST_TOOL ? `a tool of ${length} characters` : decodeTool(item);
    if (typeof decoded !== 'string') {
      tools.push(decoded);
      size += length;
    } else if (rejected.length < MAX_REASONS) rejected.push(decoded);
    else unnamed++;
  }
  if (unnamed > 0) rejected.push(`${unnamed} more`);
  // An empty text is a cursor to no page: taken as "last page" as every client does.
  return { tools, rejected, nextCursor: typeof cursor === 'string' && cursor !== '' ? cursor : undefined, size };
}

const LONGEST_NAME = 256;
/** No model reads more than a part of this, and the editor copies it at every change. */
const LONGEST_TOOL = 1_000_000;

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

/** The params of `notifications/progress`; what cannot be read is taken for no step at all. */
export function decodeProgress({ progress, total, message }: JsonObject): Progress {
  return {
    progress: typeof progress === 'number' ? progress : 0,
    total: typeof total === 'number' ? total : undefined,
    message: typeof message === 'string' ? message : undefined,
  };
}
