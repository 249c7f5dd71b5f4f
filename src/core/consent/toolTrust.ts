import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Tool } from '../model/catalog.ts';
import type { ToolGrant } from '../model/grant.ts';

/** A tool whose definition changed at this many consecutive starts may be approved permanently. */
export const MANY_CHANGES = 3;

const MEMBERS = ['name', 'title', 'description', 'annotations', 'execution', 'featureSet'];
const WIDTH = 56;
/** Format, unassigned and private characters, and variation selectors, which may hide text. */
const HIDDEN = /[\p{Cf}\p{Cn}\p{Co}\u{34F}\u{FE00}-\u{FE0F}\u{E0000}-\u{E0FFF}]/gu;
/** Relevant members of `_meta`. Others do not affect models or rights. */
const META = ['featureSet', 'mcpl/featureSet', 'ui', 'ui/visibility', 'ui/resourceUri'];

/** The parts of a definition that trust covers: what models read, what bounds its arguments, and what grants rights. */
function trustedParts({ raw, inputSchema, outputSchema }: Tool): JsonObject {
  const { _meta: meta } = raw;
  const metaParts = isJsonObject(meta) ? members(meta, META) : {};
  return {
    ...members(raw, MEMBERS),
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(Object.keys(metaParts).length > 0 && { _meta: metaParts }),
  };
}

/** Canonical text for the digest, independent of member order. */
export function trustedText(tool: Tool): string {
  return canonicalJson(trustedParts(tool));
}

/**
 * Text for comparing definitions. Long texts become lists of lines, so that nothing is beyond the window's edge, and
 * hidden characters are escaped.
 */
export function definitionText(tool: Tool): string {
  const text = JSON.stringify(sorted(trustedParts(tool)), undefined, 2);
  return `${text.replace(HIDDEN, escaped)}\n`;
}

/** Whether models may call the tool without a prompt. */
export function isTrusted({ form, isAny, fingerprint }: ToolGrant, now: string, program: string | undefined): boolean {
  // A permanent approval covers that program only, not another one under the same name.
  return form === now || (isAny && fingerprint === program);
}

/** The record after a start with this definition. Returns the same record if nothing changes. */
export function startedWith(grant: ToolGrant, form: string): ToolGrant {
  if (form !== grant.last) return { ...grant, last: form, changes: grant.changes + 1 };
  return grant.changes === 0 || grant.changes >= MANY_CHANGES ? grant : { ...grant, changes: 0 };
}

/**
 * The record to compare with: that of the same program, else the newest of another program under the server's name. If
 * the user allowed this exact program, only its own counts.
 */
export function baselineOf(
  grants: readonly ToolGrant[],
  program: string | undefined,
  isOwnOnly: boolean,
): ToolGrant | undefined {
  const own = grants.find(({ fingerprint }) => fingerprint === program);
  if (own !== undefined || isOwnOnly) return own;
  return grants.reduce<ToolGrant | undefined>(
    (best, each) => (best === undefined || each.at > best.at ? each : best),
    undefined,
  );
}

function members(from: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]));
}

/** Not by assignment, because a member may be named `__proto__`. */
function sorted(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item: Json) => sorted(item) ?? null);
  if (typeof value === 'string') return value.length > WIDTH || value.includes('\n') ? linesOf(value) : value;
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = [];
    let rest = line;
    while (rest.length > WIDTH) {
      const space = rest.lastIndexOf(' ', WIDTH);
      const end = space > 0 ? space + 1 : WIDTH;
      lines.push(rest.slice(0, end));
      rest = rest.slice(end);
    }
    return [...lines, rest];
  });
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
    .map((code) => `\\u${code.toString(16).padStart(4, '0')}`)
    .join('');
}
