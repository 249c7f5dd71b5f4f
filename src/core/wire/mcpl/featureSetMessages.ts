import { cleanLine, cleanText } from '../../base/cleanText.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type FeatureSet, MCPL_USES, type McplRevision, type Capability } from '../../model/mcpl.ts';
import { object } from '../members.ts';
import { nameIn } from './blocks.ts';
import { MCPL_REVISIONS } from './revisions.ts';

/** More sets than any server has. Every change is answered with the full list. */
const MAX_SETS = 256;
const MAX_USES = 64;
const MAX_USE = 128;
/** Maximum invalid uses named in a problem. */
const MAX_INVALID = 3;

/**
 * MCPL §6.1 maps names to sets; published servers also send a list of `{name, …}`. The first of duplicate names wins,
 * so that later entries cannot change what the user saw.
 */
export function decodeFeatureSets(value: Json | undefined, revision: McplRevision): readonly FeatureSet[] {
  const sets = new Map<string, FeatureSet>();
  for (const [name, declaration] of declarationsIn(value)) {
    if (sets.size === MAX_SETS) break;
    if (!sets.has(name)) sets.set(name, decodeSet(name, object(declaration) ?? {}, revision));
  }
  return [...sets.values()];
}

/** Number of declared sets, including unusable ones. */
export function countDeclared(value: Json | undefined): number {
  return isJsonArray(value) || isJsonObject(value) ? Object.keys(value).length : 0;
}

/** The params of `featureSets/changed` (MCPL §6.7). */
export function decodeChange(
  { added, removed }: JsonObject,
  revision: McplRevision,
): {
  readonly added: readonly FeatureSet[];
  readonly removed: readonly string[];
} {
  const names = new Set<string>();
  for (const [name] of declarationsIn(removed)) names.add(name);
  return { added: decodeFeatureSets(added, revision), removed: [...names] };
}

/** MCPL 0.5 §6.7 `effectiveCapabilities`: the known capabilities of all sets that are on. */
export function capabilitiesOf(enabled: readonly FeatureSet[]): readonly Capability[] {
  return MCPL_USES.filter((use) => enabled.some(({ uses }) => uses.includes(use)));
}

/** Skips names that cannot be sent back. All others become sets, some with a problem. */
function* declarationsIn(value: Json | undefined): Generator<readonly [string, Json | undefined]> {
  if (isJsonArray(value)) {
    for (const item of value) {
      const name = nameIn(isJsonObject(item) ? item['name'] : item);
      if (name !== undefined) yield [name, item];
    }
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) if (nameIn(key) !== undefined) yield [key, value[key]];
  }
}

function decodeSet(name: string, declaration: JsonObject, revision: McplRevision): FeatureSet {
  const { description, uses, scoped, rollback, hostState } = declaration;
  const said = typeof description === 'string' ? cleanText(description).trim() : '';
  return {
    name,
    description: said,
    uses: decodeUses(uses),
    scoped: scoped === true,
    rollback: rollback === true,
    hostState: hostState === true,
    problem: problemOf(name, said, uses) ?? invalidUses(uses, revision),
  };
}

function decodeUses(uses: Json | undefined): readonly string[] {
  const named = new Set<string>();
  for (const use of isJsonArray(uses) ? uses : []) {
    if (named.size === MAX_USES) break;
    if (typeof use === 'string' && use.length <= MAX_USE) named.add(cleanLine(use));
  }
  return [...named];
}

function problemOf(name: string, description: string, uses: Json | undefined): string | undefined {
  // In settings and in messages, `*` is a wildcard.
  if (name.includes('*')) return 'Its name holds a "*", which stands for other names.';
  if (cleanLine(name) !== name) return 'Its name holds characters that cannot be seen.';
  if (description === '') return 'Its server does not describe it.';
  if (uses === undefined || uses === null) return 'Its server does not say what it uses.';
  if (!isJsonArray(uses) || !uses.every((use) => typeof use === 'string'))
    return 'What its server says that it uses is not a list of texts.';
  return undefined;
}

/**
 * MCPL 0.5 §6.4 `invalid_uses`: a set without uses, or with an unknown one, is never on. It is not reduced to its known
 * uses, because a set is granted as a whole.
 */
function invalidUses(uses: Json | undefined, { version, traits }: McplRevision): string | undefined {
  const { closedUses } = traits;
  if (closedUses === undefined) return undefined;
  const all = isJsonArray(uses) ? uses : [];
  if (all.length === 0) return `It declares no uses, which MCPL ${version} does not allow (invalid_uses).`;
  const invalid = new Set<string>();
  for (const use of all) {
    if (typeof use === 'string' && closedUses.has(use)) continue;
    // A cut name could end with a part of a secret.
    const isShort = typeof use === 'string' && use.length <= MAX_USE;
    invalid.add(isShort ? JSON.stringify(cleanLine(use)) : 'with so long a name');
    if (invalid.size > MAX_INVALID) break;
  }
  if (invalid.size === 0) return undefined;
  const named = [...invalid].slice(0, MAX_INVALID).join(', ');
  const more = invalid.size > MAX_INVALID ? ' and more' : '';
  const lenient = MCPL_REVISIONS.findLast((revision) => revision.traits.closedUses === undefined)?.version;
  return `MCPL ${version} has no use ${named}${more} (invalid_uses). Set "protocol.mcpl" to "${lenient}" to accept it.`;
}
