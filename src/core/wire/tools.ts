import { isJsonArray, type Json, type JsonObject } from '../base/json.ts';
import type { TaskSupport, Tool, ToolHints } from '../model/catalog.ts';
import type { Progress } from '../model/operation.ts';
import type { Era } from '../model/server.ts';
import { decodeIcons } from './icons.ts';
import { number, object, text } from './members.ts';
import { decodePage, nameProblem, type Page } from './page.ts';
import { decodeHeaderParams } from './toolHeaders.ts';

/** One page of `tools/list`. Unusable tools are counted with a reason; the others are kept. */
interface ToolPage extends Page<Tool> {
  readonly tools: readonly Tool[];
}

/**
 * MCP 2026-07-28 "Custom headers": drops tools with an invalid `x-mcp-header`. In other revisions the keyword has no
 * meaning.
 */
export function decodeToolPage(result: Json, era: Era = 'legacy'): ToolPage {
  const decode = (item: JsonObject): Tool | string => decodeTool(item, era);
  const page = decodePage(result, { member: 'tools', one: 'a tool', many: 'tools', decode });
  return { ...page, tools: page.items };
}

/** Added and removed tools, if the notification of a changed list names them. */
interface ToolListChange {
  readonly added: readonly Tool[];
  readonly removed: readonly string[];
}

/** Only the short dialect names tools here. */
export function decodeToolChange({ added, removed }: JsonObject): ToolListChange | undefined {
  if (!isJsonArray(added) && !isJsonArray(removed)) return undefined;
  const gone = isJsonArray(removed) ? removed : [];
  return {
    added: decodeToolPage({ tools: isJsonArray(added) ? added : [] }).tools,
    removed: gone.flatMap((item) => text(item) ?? text(object(item)?.['name']) ?? []),
  };
}

function decodeTool(value: JsonObject, era: Era): Tool | string {
  const { title, description, annotations } = value;
  const name = text(value['name']) ?? '';
  const problem = nameProblem(name, 'a tool');
  if (problem !== undefined) return problem;
  const inputSchema = object(value['inputSchema'] ?? value['input_schema']) ?? { type: 'object' };
  const headerParams = era === 'modern' ? decodeHeaderParams(inputSchema) : [];
  if (typeof headerParams === 'string') return `the tool "${name}": ${headerParams}`;
  const hints = object(annotations) ?? {};
  return {
    name,
    title: text(title) ?? text(hints['title']),
    description: text(description),
    inputSchema,
    outputSchema: object(value['outputSchema']),
    icons: decodeIcons(value['icons']),
    taskSupport: decodeTaskSupport(value['execution']),
    headerParams,
    hints: decodeHints(hints),
    raw: value,
  };
}

function decodeTaskSupport(execution: Json | undefined): TaskSupport {
  const support = object(execution)?.['taskSupport'];
  return support === 'optional' || support === 'required' ? support : 'forbidden';
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

/** The params of `notifications/progress`. The peer already ignores those without a numeric `progress`. */
export function decodeProgress({ progress, total, message }: JsonObject): Progress {
  return { progress: number(progress) ?? 0, total: number(total), message: text(message) };
}
