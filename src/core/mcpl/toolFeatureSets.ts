import { isJsonArray, isJsonObject, type Json } from '../base/json.ts';
import type { Tool } from '../model/catalog.ts';
import type { FeatureSet, McplSnapshot, McplTraits } from '../model/mcpl.ts';
import { declaresUse } from './featureSets.ts';
import { namedSets } from './offerSets.ts';

/**
 * The feature sets that must be on for a tool: those that it names, else the one of the settings, else all sets that
 * use tools. A named set also counts if the server does not declare it; it is then never on.
 */
export function featureSetsOfTool(
  tool: Tool,
  sets: readonly FeatureSet[],
  map: Readonly<Record<string, string>>,
): readonly string[] {
  // Without any sets there is nothing to switch on.
  if (sets.length === 0) return [];
  const named = namedSets(tool.raw);
  if (named.length > 0) return named;
  const mapped = Object.hasOwn(map, tool.name) ? map[tool.name] : undefined;
  if (mapped !== undefined) return [mapped];
  return [...new Set(sets.filter((set) => set.uses.includes('tools')).map(({ name }) => name))];
}

/** The only feature set of a tool. Absent if it may belong to several. */
export function featureSetOfTool(
  tool: Tool,
  sets: readonly FeatureSet[],
  map: Readonly<Record<string, string>>,
): string | undefined {
  const names = featureSetsOfTool(tool, sets, map);
  return names.length === 1 ? names[0] : undefined;
}

/** The reason why a tool is off. */
interface ToolSetsOff {
  /** The first set that is off. */
  readonly setOff: string;
  /** All sets that must be on, if there are several. */
  readonly needs?: readonly string[] | undefined;
  /** The set is on, but does not declare `tools`. */
  readonly lacksUse?: true | undefined;
}

/**
 * Tools with a feature set that is off. A withdrawn set counts as off: a server must not free its tools by withdrawing
 * their set. A set that the server names for a tool must also declare `tools`.
 */
export function toolsOff(
  tools: readonly Tool[],
  mcpl: McplSnapshot | undefined,
  map: Readonly<Record<string, string>>,
): ReadonlyMap<string, ToolSetsOff> {
  const off = new Map<string, ToolSetsOff>();
  if (mcpl === undefined) return off;
  const declared = mcpl.sets.map(({ set }) => set);
  const known = [...declared, ...mcpl.withdrawn];
  const on = new Set(mcpl.sets.filter(({ state }) => state === 'enabled').map(({ set }) => set.name));
  for (const tool of tools) {
    const names = featureSetsOfTool(tool, known, map);
    const setOff = names.find((name) => !on.has(name));
    if (setOff !== undefined) off.set(tool.name, { setOff, ...(names.length > 1 && { needs: names }) });
    else {
      const lacking = setWithoutTools(tool, declared, mcpl.dialect.traits);
      if (lacking !== undefined) off.set(tool.name, { setOff: lacking, lacksUse: true });
    }
  }
  return off;
}

/**
 * The set that the server names for a tool without declaring `tools` for the set. A set that the user's settings name
 * needs no declaration.
 */
function setWithoutTools(tool: Tool, declared: readonly FeatureSet[], { toolsUse }: McplTraits): string | undefined {
  if (!toolsUse || declared.length === 0) return undefined;
  const named = namedSets(tool.raw);
  return declared.find((set) => named.includes(set.name) && !declaresUse(set, 'tools'))?.name;
}

/** Whether the tool is only for the server's own apps (MCP Apps, `_meta.ui.visibility`). Models never get it. */
export function isForAppsOnly({ raw: { _meta: meta } }: Tool): boolean {
  if (!isJsonObject(meta)) return false;
  const { ui } = meta;
  return [isJsonObject(ui) ? ui['visibility'] : undefined, meta['ui/visibility']].some(excludesModels);
}

/** Unreadable values exclude models too. */
function excludesModels(visibility: Json | undefined): boolean {
  if (visibility === undefined) return false;
  return !(isJsonArray(visibility) ? visibility : [visibility]).includes('model');
}
