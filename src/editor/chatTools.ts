import * as vscode from 'vscode';
import { cleanText, type Host, isRunning, type OfferedTool } from '../core/index.ts';
import { toolNames } from './chatToolNames.ts';
import type { ToolTarget } from './services.ts';
import { toJson } from './settingsJson.ts';

/** A tool that the model may call in this turn. */
export type ChatTool = { readonly told: vscode.LanguageModelChatTool } & (
  | { readonly kind: 'server'; readonly target: ToolTarget; readonly offered: OfferedTool }
  /** One of the editor's, which the person attached: the editor runs it, and asks where it has to. */
  | { readonly kind: 'attached' }
);

export interface ToolChoice {
  readonly tools: ReadonlyMap<string, ChatTool>;
  /** Names of those that are too many for a model, as a person knows them. */
  readonly left: readonly string[];
  /** What was attached and is not there. */
  readonly missing: readonly string[];
}

/** What models of all vendors take. */
export const MOST_TOOLS = 128;
const LONGEST_DESCRIPTION = 4_000;

/** What the person attached, then what the servers offer, in the order of the settings. */
export function chooseTools(host: Pick<Host, 'servers'>, attached: readonly string[]): ToolChoice {
  const tools = new Map<string, ChatTool>();
  const missing: string[] = [];
  const ours = offeredTools(host);
  for (const name of new Set(attached)) {
    const found = vscode.lm.tools.find((tool) => tool.name === name);
    if (found === undefined) missing.push(name);
    // The way over the gateway leads to the same tool: a model that had it twice would have to choose.
    else if (!ours.some(({ target, offered }) => isSameTool(found, target, offered)))
      tools.set(name, { kind: 'attached', told: toldAttached(found) });
  }
  const names = toolNames(
    ours.map(({ target }) => target),
    new Set(tools.keys()),
  );
  const left: string[] = [];
  for (const [index, { target, offered }] of ours.entries()) {
    const name = names[index] ?? '';
    if (tools.size >= MOST_TOOLS) left.push(`${target.server}: ${target.tool}`);
    else tools.set(name, { kind: 'server', target, offered, told: toldOf(name, offered) });
  }
  return { tools, left, missing };
}

function offeredTools(host: Pick<Host, 'servers'>): readonly {
  readonly target: ToolTarget;
  readonly offered: OfferedTool;
}[] {
  return host
    .servers()
    .filter(({ state }) => isRunning(state))
    .flatMap(({ id, tools }) =>
      tools
        .filter(({ offered, setOff }) => offered && setOff === undefined)
        .map((offered) => ({ target: { server: id, tool: offered.tool.name }, offered })),
    );
}

function toldOf(name: string, { tool }: OfferedTool): vscode.LanguageModelChatTool {
  const description = cleanText(tool.description ?? tool.title ?? tool.name, LONGEST_DESCRIPTION);
  return { name, description, inputSchema: tool.inputSchema };
}

function toldAttached({
  name,
  description,
  inputSchema,
}: vscode.LanguageModelToolInformation): vscode.LanguageModelChatTool {
  return { name, description, ...(inputSchema === undefined ? {} : { inputSchema }) };
}

/** Under the editor's name for tools of MCP, `mcp_<some of the server's name>_<tool>`, and with the very same schema. */
function isSameTool(
  { name, inputSchema }: vscode.LanguageModelToolInformation,
  { tool }: ToolTarget,
  { tool: { inputSchema: own } }: OfferedTool,
): boolean {
  const ending = `_${tool.toLowerCase().replace(/[^a-z0-9_-]/g, '_')}`;
  if (!name.startsWith('mcp_') || !name.endsWith(ending)) return false;
  return JSON.stringify(toJson(inputSchema)) === JSON.stringify(own);
}
