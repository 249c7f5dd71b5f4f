import { cleanLine, cleanText, type OfferedTool, type ServerSnapshot } from '../core/index.ts';
import { FACETS } from './ids.ts';
import { toolHints } from './toolHints.ts';
import { LEAF, lines, MAX_LABEL, nodeId, nodeWith, rowsOf, type TreeNode } from './treeNode.ts';

/** The tools of a server as one row; nothing where it has none. */
export function toolsNodes(server: ServerSnapshot): readonly TreeNode[] {
  // A list with the same name twice would give two rows one identity, which the editor refuses to show.
  const byName = new Map([...server.tools].reverse().map((offered) => [offered.tool.name, offered]));
  const tools = [...byName.values()].reverse();
  if (tools.length === 0) return [];
  const offered = tools.filter((tool) => tool.offered).length;
  const count = offered === tools.length ? String(tools.length) : `${offered} of ${tools.length} offered to models`;
  const node = {
    ...LEAF,
    id: nodeId('tools', server.id),
    kind: 'tools' as const,
    server: server.id,
    label: 'Tools',
    description: count,
    tooltip: 'Checked tools are offered to models. A tool with a shield asks before a model may call it.',
    spoken: `Tools, ${count}`,
    icon: { name: 'tools' },
    expansion: 'collapsed' as const,
  };
  return [nodeWith(node, () => rowsOf(node, tools, (tool) => toolNode(server.id, tool)))];
}

function toolNode(server: string, { tool, offered, autoApproved }: OfferedTool): TreeNode {
  const name = cleanLine(tool.name, MAX_LABEL);
  const how = autoApproved ? 'auto-approved' : 'asks first';
  const description = offered ? how : 'not offered';
  return {
    ...LEAF,
    id: nodeId('tool', server, tool.name),
    kind: 'tool',
    server,
    tool: tool.name,
    label: name,
    description,
    tooltip: toolTooltip(tool, offered, autoApproved),
    spoken: `${name}, ${description}`,
    icon: autoApproved ? { name: 'pass' } : { name: 'shield' },
    facets: [
      FACETS.tool,
      autoApproved ? FACETS.autoApproved : FACETS.asks,
      // For the menu: the editor offers no key for a checkbox.
      offered ? FACETS.offered : FACETS.hidden,
    ],
    checkbox: {
      checked: offered,
      tooltip: offered ? 'Offered to models. Clear to hide it from them.' : 'Hidden from models. Check to offer it.',
      spoken: `Offer ${name} to models`,
    },
  };
}

function toolTooltip(tool: OfferedTool['tool'], offered: boolean, autoApproved: boolean): string {
  const hints = toolHints(tool);
  const approval = autoApproved ? 'Models may call it without asking you.' : 'Asks you before a model calls it.';
  return lines(
    cleanLine(tool.title ?? tool.name, MAX_LABEL),
    // Ours first: what the server says may be longer than the tooltip shows.
    offered ? `Offered to models. ${approval}` : 'Not offered to models.',
    hints.length === 0 ? undefined : `The server says: ${hints.join(', ')}.`,
    tool.description === undefined ? undefined : `\n${cleanText(tool.description)}`,
  );
}
