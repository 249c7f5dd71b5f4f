import { isJsonObject, type Json } from '../base/json.ts';
import type { Tool } from '../model/catalog.ts';
import type { FeatureSet } from '../model/mcpl.ts';

/**
 * The feature set that a tool belongs to: the one that it names, or else the settings, or else the only one that uses
 * tools. One that was named and is not declared is an answer all the same: nothing of it is on.
 */
export function featureSetOfTool(
  tool: Tool,
  sets: readonly FeatureSet[],
  map: Readonly<Record<string, string>>,
): string | undefined {
  // Of a server without any sets there is nothing that a person could switch on.
  if (sets.length === 0) return undefined;
  const { _meta: meta, featureSet } = tool.raw;
  const named = nameIn(isJsonObject(meta) ? meta['featureSet'] : undefined) ?? nameIn(featureSet);
  if (named !== undefined) return named;
  if (Object.hasOwn(map, tool.name)) return map[tool.name];
  const using = sets.filter((set) => set.uses.includes('tools'));
  return using.length === 1 ? using[0]?.name : undefined;
}

function nameIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
