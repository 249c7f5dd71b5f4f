import { cleanLine, cleanText, isRunning, type ServerSnapshot, type Tool } from '../core/index.ts';
import { schemaText } from './schemaText.ts';

/** A running server and what it offers, for a person to read. */
export function serverText(server: ServerSnapshot): string {
  const { state, tools, capabilities } = server;
  const lines: string[] = [];
  if (isRunning(state)) {
    const { name, title, version, instructions } = state.info;
    const id = cleanLine(`${name} ${version}`, 200).trim();
    lines.push(title === undefined ? id : `${cleanLine(title, 200)} (${id})`);
    lines.push(`MCP ${cleanLine(state.protocolVersion, 50)}`);
    lines.push(
      `Capabilities: ${
        Object.keys(capabilities)
          .map((each) => cleanLine(each, 100))
          .join(', ') || 'none'
      }`,
    );
    if (instructions !== undefined) lines.push('Instructions:', ...indented(cleanText(instructions), '  '));
  }
  lines.push('', tools.length === 0 ? 'No tools.' : `Tools (${tools.length}):`);
  for (const { tool } of tools) lines.push('', ...toolText(tool));
  return `${lines.join('\n')}\n`;
}

function toolText(tool: Tool): readonly string[] {
  const title = tool.title === undefined ? '' : ` - ${cleanLine(tool.title, 200)}`;
  const lines = [`  ${cleanLine(tool.name, 200)}${title}`];
  if (tool.description !== undefined) lines.push(...indented(cleanText(tool.description), '    '));
  lines.push(`    Hints: ${hintText(tool)}`);
  const members = schemaText(tool.inputSchema, '      ');
  lines.push(...(members.length === 0 ? ['    No arguments.'] : ['    Arguments:', ...members]));
  return lines;
}

function hintText({ hints }: Tool): string {
  const world = hints.openWorld ? 'reaches beyond this machine' : 'stays local';
  if (hints.readOnly) return `only reads, ${world}`;
  const effect = hints.destructive ? 'may destroy' : 'only adds';
  return `${effect}, ${hints.idempotent ? 'repeating changes nothing more, ' : ''}${world}`;
}

function indented(text: string, indent: string): readonly string[] {
  return text
    .trim()
    .split('\n')
    .map((line) => indent + line);
}
