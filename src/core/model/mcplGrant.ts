import { isJsonArray, type Json, parseJson } from '../base/json.ts';
import { type InjectionPosition, INJECTION_POSITIONS, PUSH_POLICIES, type PushPolicy } from './mcpl.ts';

/** The names that a pattern matches, except those that other patterns match. */
export interface FeatureSetRegion {
  readonly pattern: string;
  readonly except: readonly string[];
}

/** One right that workspace settings add to the settings without them. `instead` applies until the user agrees. */
export type McplGrant =
  | { readonly kind: 'featureSets'; readonly region: FeatureSetRegion }
  | { readonly kind: 'readUserMessage' }
  /** MCPL is switched off, so no set can be off or scoped. */
  | { readonly kind: 'withoutMcpl' }
  | { readonly kind: 'position'; readonly position: InjectionPosition }
  | { readonly kind: 'infer'; readonly pattern: string; readonly instead: PushPolicy }
  | { readonly kind: 'tool'; readonly tool: string; readonly featureSet: string; readonly instead: string | undefined }
  /**
   * The patterns that a key of `scopes` adds, for names without a narrower grant of this kind. Empty if a wider key
   * adds patterns and this one none.
   */
  | { readonly kind: 'whitelist'; readonly featureSet: string; readonly patterns: readonly string[] }
  | {
      readonly kind: 'adapter';
      readonly tool: string;
      readonly paths: readonly string[];
      readonly instead: readonly string[] | undefined;
    }
  | { readonly kind: 'model'; readonly model: string; readonly instead: string | undefined }
  | { readonly kind: Budget; readonly most: number; readonly instead: number };

type Budget = 'requestsPerHour' | 'tokensPerDay';

/** A grant as stored with a consent: its kind, and the rest as JSON. */
export function grantLine(grant: McplGrant): string {
  const parts = partsOf(grant);
  return parts.length === 0 ? grant.kind : `${grant.kind} ${JSON.stringify(parts)}`;
}

function partsOf(grant: McplGrant): readonly (string | number | null | readonly string[])[] {
  switch (grant.kind) {
    case 'featureSets':
      return [grant.region.pattern, ...grant.region.except];
    case 'readUserMessage':
    case 'withoutMcpl':
      return [];
    case 'position':
      return [grant.position];
    case 'infer':
      return [grant.pattern, grant.instead];
    case 'tool':
      return [grant.tool, grant.featureSet, orNull(grant.instead)];
    case 'model':
      return [grant.model, orNull(grant.instead)];
    case 'whitelist':
      return [grant.featureSet, ...grant.patterns];
    case 'adapter':
      return [grant.tool, grant.paths, orNull(grant.instead)];
    case 'requestsPerHour':
    case 'tokensPerDay':
      return [grant.most, grant.instead];
  }
}

/** JSON lists cannot contain `undefined`. */
function orNull<T>(value: T | undefined): T | null {
  return value ?? null;
}

type Reader = (parts: readonly Json[]) => McplGrant | undefined;

const READERS: ReadonlyMap<string, Reader> = new Map<McplGrant['kind'], Reader>([
  ['featureSets', readRegion],
  ['readUserMessage', () => ({ kind: 'readUserMessage' })],
  ['withoutMcpl', () => ({ kind: 'withoutMcpl' })],
  ['position', readPosition],
  ['infer', readInfer],
  ['tool', readTool],
  ['model', readModel],
  ['whitelist', readWhitelist],
  ['adapter', readAdapter],
  ['requestsPerHour', (parts) => readBudget('requestsPerHour', parts)],
  ['tokensPerDay', (parts) => readBudget('tokensPerDay', parts)],
]);

/** Returns `undefined` for a line of another version, which allows nothing. */
export function readGrantLine(line: string): McplGrant | undefined {
  const end = line.indexOf(' ');
  const read = READERS.get(end < 0 ? line : line.slice(0, end));
  return read?.(end < 0 ? [] : readParts(line.slice(end + 1)));
}

function readRegion(parts: readonly Json[]): McplGrant | undefined {
  const [pattern, ...except] = parts.filter((part) => typeof part === 'string');
  if (pattern === undefined || except.length + 1 < parts.length) return undefined;
  return { kind: 'featureSets', region: { pattern, except } };
}

function readPosition([first]: readonly Json[]): McplGrant | undefined {
  const position = INJECTION_POSITIONS.find((known) => known === first);
  return position && { kind: 'position', position };
}

function readInfer([pattern, policy]: readonly Json[]): McplGrant | undefined {
  const instead = PUSH_POLICIES.find((known) => known === policy);
  return typeof pattern === 'string' && instead ? { kind: 'infer', pattern, instead } : undefined;
}

function readTool([tool, featureSet, instead]: readonly Json[]): McplGrant | undefined {
  if (typeof tool !== 'string' || typeof featureSet !== 'string') return undefined;
  return { kind: 'tool', tool, featureSet, instead: textIn(instead) };
}

function readModel([model, instead]: readonly Json[]): McplGrant | undefined {
  return typeof model === 'string' ? { kind: 'model', model, instead: textIn(instead) } : undefined;
}

function readWhitelist(parts: readonly Json[]): McplGrant | undefined {
  const [featureSet, ...patterns] = textsIn(parts) ?? [];
  return featureSet === undefined ? undefined : { kind: 'whitelist', featureSet, patterns };
}

function readAdapter([tool, given, instead]: readonly Json[]): McplGrant | undefined {
  const paths = textsIn(given);
  const before = textsIn(instead);
  if (typeof tool !== 'string' || paths === undefined) return undefined;
  // `instead` does not matter here, but a partly unreadable line was not written by this host.
  if (instead !== null && before === undefined) return undefined;
  return { kind: 'adapter', tool, paths, instead: before };
}

function readBudget(kind: Budget, [most, instead]: readonly Json[]): McplGrant | undefined {
  return typeof most === 'number' && typeof instead === 'number' ? { kind, most, instead } : undefined;
}

function textIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function textsIn(value: Json | undefined): readonly string[] | undefined {
  if (!isJsonArray(value)) return undefined;
  const texts = value.filter((item) => typeof item === 'string');
  return texts.length === value.length ? texts : undefined;
}

function readParts(text: string): readonly Json[] {
  try {
    const parts = parseJson(text);
    return isJsonArray(parts) ? parts : [];
  } catch {
    return [];
  }
}
