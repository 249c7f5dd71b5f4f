import { cleanLine, cleanText, type OfferedTool, type ServerSnapshot } from '../../core/index.ts';
import { usableSets } from '../featureSets/featureSetText.ts';
import { type Facet, FACETS } from '../shared/ids.ts';
import { toolHints } from '../shared/toolHints.ts';
import { LEAF, lines, MAX_LABEL, nodeId, nodeWith, rowsOf, type TreeNode, WARNING_ICON } from '../shared/treeNode.ts';

/** The tools of a server as one row. Empty without tools. */
export function toolsNodes(server: ServerSnapshot): readonly TreeNode[] {
  // Duplicate names would give rows the same id, which the editor rejects.
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
  const usable = new Set(usableSets(server).map(({ set }) => set.name));
  return [nodeWith(node, () => rowsOf(node, tools, (tool) => toolNode(server.id, tool, usable)))];
}

/** `usable`: the sets that can be turned on. */
function toolNode(server: string, offeredTool: OfferedTool, usable: ReadonlySet<string>): TreeNode {
  const { tool, offered, autoApproved, change } = offeredTool;
  const name = cleanLine(tool.name, MAX_LABEL);
  const state = toolDescription(offeredTool);
  const description = offeredTool.remark === undefined ? state : `${state} · arguments not checked`;
  const withheld = withheldBy(offeredTool, usable);
  return {
    ...LEAF,
    id: nodeId('tool', server, tool.name),
    kind: 'tool',
    server,
    tool: tool.name,
    label: name,
    description,
    tooltip: toolTooltip(offeredTool, withheld),
    spoken: [name, description, ...(withheld?.step === undefined ? [] : [withheld.step])].join(', '),
    icon: change !== undefined ? WARNING_ICON : autoApproved ? { name: 'pass' } : { name: 'shield' },
    facets: [
      FACETS.tool,
      autoApproved ? FACETS.autoApproved : change === undefined ? FACETS.asks : FACETS.changed,
      // For the menu, because checkboxes have no keyboard shortcut.
      ...(offered ? [FACETS.offered] : withheld === undefined ? [FACETS.hidden] : []),
      ...(withheld?.facet === undefined ? [] : [withheld.facet]),
    ],
    // The editor cannot disable a checkbox, so a tool has none while it cannot be offered.
    checkbox:
      withheld === undefined
        ? {
            checked: offered,
            tooltip: offered
              ? 'Offered to models. Clear to hide it from them.'
              : 'Hidden from models. Check to offer it.',
            spoken: `Offer ${name} to models`,
          }
        : undefined,
  };
}

function toolDescription(offeredTool: OfferedTool): string {
  const { offered, autoApproved, forApps, setOff, needs, lacksUse, change } = offeredTool;
  if (forApps === true) return 'for apps only';
  if (lacksUse === true) return 'off, tools not declared';
  if (setOff !== undefined)
    return needs === undefined ? `off with ${cleanLine(setOff, MAX_LABEL)}` : `off, needs ${needs.length} feature sets`;
  if (!offered) return 'not offered';
  if (change !== undefined) return 'asks first, definition changed';
  return autoApproved ? 'auto-approved' : 'asks first';
}

/** Why models cannot be offered a tool, whatever the user checks. */
interface Withheld {
  readonly reason: string;
  /** The row's action with the name of the set, which the title of a menu item cannot contain. */
  readonly step?: string;
  readonly facet?: Facet;
}

function withheldBy(
  { forApps, setOff, needs, lacksUse }: OfferedTool,
  usable: ReadonlySet<string>,
): Withheld | undefined {
  if (forApps === true) return { reason: 'The server declares it for its own apps only. Models are never offered it.' };
  if (setOff === undefined) return undefined;
  const off = cleanLine(setOff, MAX_LABEL);
  if (lacksUse === true) {
    const undeclared = `Its feature set "${off}" does not declare "tools" in its "uses".`;
    return { reason: `${undeclared} Report this to the author of the server.` };
  }
  if (needs !== undefined) {
    const all = needs.map((name) => cleanLine(name, MAX_LABEL)).join(', ');
    const reason = `It may belong to any of several feature sets: ${all}. It is off because "${off}" is off. Turn on all of them, or name its feature set in the setting "toolFeatureSets".`;
    return needs.every((name) => usable.has(name)) ? { reason, facet: FACETS.setsOff } : { reason };
  }
  if (!usable.has(setOff)) {
    const reason = `Its feature set "${off}" is off and cannot be turned on, because the server does not declare it correctly.`;
    return { reason: `${reason} Report this to the author of the server.` };
  }
  return { reason: `Its feature set "${off}" is off.`, step: `Turn On "${off}"`, facet: FACETS.setOff };
}

function toolTooltip(offeredTool: OfferedTool, withheld: Withheld | undefined): string {
  const { tool, offered, autoApproved, change, remark } = offeredTool;
  const hints = toolHints(tool);
  const changed = change === undefined ? '' : ' Its definition changed since you approved it.';
  const approval = autoApproved
    ? 'Models may call it without asking you.'
    : `Asks you before a model calls it.${changed}`;
  return lines(
    cleanLine(tool.title ?? tool.name, MAX_LABEL),
    // The host's text first, because server text may be longer than the tooltip.
    offered ? `Offered to models. ${approval}` : (withheld?.reason ?? 'Not offered to models.'),
    withheld?.step === undefined ? undefined : 'To offer it to models, choose Turn On Feature Set.',
    remark === undefined ? undefined : `Its arguments are sent unchecked: ${cleanText(remark)}`,
    hints.length === 0 ? undefined : `The server says: ${hints.join(', ')}.`,
    tool.description === undefined ? undefined : `\n${cleanText(tool.description)}`,
  );
}
