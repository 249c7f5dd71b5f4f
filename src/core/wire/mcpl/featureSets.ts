import { cleanLine, cleanText } from '../../base/cleanText.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type FeatureSet, MCPL_USES, type McplUse, type McplVersion } from '../../model/mcpl.ts';
import { object } from '../members.ts';
import { nameIn } from './bounds.ts';

/** More than any server has; every change is answered with all of them. */
const MOST_SETS = 256;
const MOST_USES = 64;
const LONGEST_USE = 128;
/** Of the invalid uses of a set, in its problem. */
const MOST_INVALID = 3;

/** MCPL 0.5 §6.2: all that a set may use. The list is closed, and no name stands for what lies below it. */
const USES_05: ReadonlySet<string> = new Set([
  'pushEvents',
  'tools',
  'modelInfo',
  'inferenceRequest',
  'inferenceRequest.streaming',
  'inferenceLifecycle',
  'contextHooks.beforeInference.observe',
  ...['system', 'beforeUser', 'afterUser'].map((place) => `contextHooks.beforeInference.inject.${place}`),
  ...['register', 'lifecycle', 'publish', 'incoming', 'streaming', 'acknowledge', 'typing'].map(
    (part) => `channels.${part}`,
  ),
]);

/**
 * MCPL §6.1 keys sets by name; published servers send a list of `{name, …}` as well. Of two sets with one name the
 * first counts, so that nothing that comes later changes what a person has seen.
 */
export function decodeFeatureSets(value: Json | undefined, version: McplVersion): readonly FeatureSet[] {
  const sets = new Map<string, FeatureSet>();
  for (const [name, declaration] of declarationsIn(value)) {
    if (sets.size === MOST_SETS) break;
    if (!sets.has(name)) sets.set(name, decodeSet(name, object(declaration) ?? {}, version));
  }
  return [...sets.values()];
}

/** How many sets a server declares, by its own counting. */
export function countDeclared(value: Json | undefined): number {
  return isJsonArray(value) || isJsonObject(value) ? Object.keys(value).length : 0;
}

/** The params of `featureSets/changed` (MCPL §6.7). */
export function decodeChange(
  { added, removed }: JsonObject,
  version: McplVersion,
): {
  readonly added: readonly FeatureSet[];
  readonly removed: readonly string[];
} {
  const names = new Set<string>();
  for (const [name] of declarationsIn(removed)) names.add(name);
  return { added: decodeFeatureSets(added, version), removed: [...names] };
}

/** MCPL 0.5 §6.7 `effectiveCapabilities`: what the sets that are on may use, of what this host knows. */
export function capabilitiesOf(enabled: readonly FeatureSet[]): readonly McplUse[] {
  return MCPL_USES.filter((use) => enabled.some(({ uses }) => uses.includes(use)));
}

/** Names that cannot be sent back are left out; everything else is a set, if perhaps one with a problem. */
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

function decodeSet(name: string, declaration: JsonObject, version: McplVersion): FeatureSet {
  const { description, uses, scoped, rollback, hostState } = declaration;
  const said = typeof description === 'string' ? cleanText(description).trim() : '';
  return {
    name,
    description: said,
    uses: decodeUses(uses),
    scoped: scoped === true,
    rollback: rollback === true,
    hostState: hostState === true,
    problem: problemOf(name, said, uses) ?? (version === '0.5' ? invalidUses(uses) : undefined),
  };
}

function decodeUses(uses: Json | undefined): readonly string[] {
  const named = new Set<string>();
  for (const use of isJsonArray(uses) ? uses : []) {
    if (named.size === MOST_USES) break;
    if (typeof use === 'string' && use.length <= LONGEST_USE) named.add(cleanLine(use));
  }
  return [...named];
}

function problemOf(name: string, description: string, uses: Json | undefined): string | undefined {
  // Settings mean many sets by it, and so do the servers that read what is sent to them.
  if (name.includes('*')) return 'Its name holds a "*", which stands for other names.';
  if (cleanLine(name) !== name) return 'Its name holds characters that cannot be seen.';
  if (description === '') return 'Its server does not describe it.';
  if (uses === undefined || uses === null) return 'Its server does not say what it uses.';
  if (!isJsonArray(uses) || !uses.every((use) => typeof use === 'string'))
    return 'What its server says that it uses is not a list of texts.';
  return undefined;
}

/**
 * MCPL 0.5 §6.4 `invalid_uses`: a set without uses, or with one that is not in the list, is never on. It is not reduced to
 * the uses that are known: a set is granted as a whole.
 */
function invalidUses(uses: Json | undefined): string | undefined {
  const all = isJsonArray(uses) ? uses : [];
  if (all.length === 0) return 'It declares no uses, which MCPL 0.5 does not allow (invalid_uses).';
  const invalid = new Set<string>();
  for (const use of all) {
    if (typeof use === 'string' && USES_05.has(use)) continue;
    // The end of a text that is cut might be that of a secret.
    const isShort = typeof use === 'string' && use.length <= LONGEST_USE;
    invalid.add(isShort ? JSON.stringify(cleanLine(use)) : 'with so long a name');
    if (invalid.size > MOST_INVALID) break;
  }
  if (invalid.size === 0) return undefined;
  const named = [...invalid].slice(0, MOST_INVALID).join(', ');
  const more = invalid.size > MOST_INVALID ? ' and more' : '';
  return `MCPL 0.5 has no use ${named}${more} (invalid_uses). Set "protocol.mcpl" to "0.4" to accept it.`;
}
