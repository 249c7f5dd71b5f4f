import type * as vscode from 'vscode';
import {
  canonicalJson,
  cleanText,
  type Host,
  isJsonObject,
  isRunning,
  mapTexts,
  type OfferedTool,
  withoutHidden,
} from '../../core/index.ts';
import { toolNames } from './chatToolNames.ts';
import type { ToolTarget } from '../shared/services.ts';
import { toJson } from '../shared/settingsJson.ts';

/** A tool that the model may call in this turn. */
export type ChatTool = { readonly definition: vscode.LanguageModelChatTool } & (
  | { readonly kind: 'server'; readonly target: ToolTarget; readonly offered: OfferedTool }
  /** A tool of the editor that the user attached. The editor runs it and prompts if necessary. */
  | { readonly kind: 'attached' }
);

export interface ToolChoice {
  readonly tools: ReadonlyMap<string, ChatTool>;
  /** Display names of tools above the limit. */
  readonly left: readonly string[];
  /** Attached tools that no longer exist. */
  readonly missing: readonly string[];
}

/** The limit that all vendors accept. */
export const MAX_TOOLS = 128;
const MAX_DESCRIPTION = 4_000;

/** Attached tools, then server tools in the order of settings. */
export function chooseTools(
  host: Pick<Host, 'servers'>,
  attached: readonly string[],
  ofEditor: readonly vscode.LanguageModelToolInformation[],
): ToolChoice {
  const tools = new Map<string, ChatTool>();
  const missing: string[] = [];
  const ours = offeredTools(host);
  for (const name of new Set(attached)) {
    const found = ofEditor.find((tool) => tool.name === name);
    if (found === undefined) missing.push(name);
    // Even if a server of MCP Live has the same tool, because the editor does not name a tool's server.
    else tools.set(name, { kind: 'attached', definition: attachedDefinition(found) });
  }
  const names = toolNames(
    ours.map(({ target }) => target),
    // Includes attached names that no longer exist and all editor tools, so that server tools cannot replace them.
    new Set([...attached, ...ofEditor.map(({ name }) => name)]),
  );
  const left: string[] = [];
  for (const [index, { target, offered }] of ours.entries()) {
    const name = names[index] ?? '';
    if (tools.size >= MAX_TOOLS) left.push(`${target.server}: ${target.tool}`);
    else tools.set(name, { kind: 'server', target, offered, definition: serverToolDefinition(name, offered) });
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

function serverToolDefinition(name: string, { tool }: OfferedTool): vscode.LanguageModelChatTool {
  const description = cleanText(tool.description ?? tool.title ?? tool.name, MAX_DESCRIPTION);
  const schema = mapTexts(tool.inputSchema, withoutHidden);
  return { name, description, inputSchema: isJsonObject(schema) ? schema : {} };
}

/** Whether the editor's tool is unchanged: another tool may have its name by now. */
export function isAsAnnounced(
  definition: vscode.LanguageModelChatTool,
  now: vscode.LanguageModelToolInformation | undefined,
): now is vscode.LanguageModelToolInformation {
  return now !== undefined && canonicalJson(toJson(attachedDefinition(now))) === canonicalJson(toJson(definition));
}

/** The tool's definition for a model. */
function attachedDefinition({
  name,
  description,
  inputSchema,
}: vscode.LanguageModelToolInformation): vscode.LanguageModelChatTool {
  return { name, description, ...(inputSchema === undefined ? {} : { inputSchema }) };
}
