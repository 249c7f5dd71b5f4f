import { isJsonArray, type Json, parseJson } from '../base/json.ts';
import { type InjectionPosition, INJECTION_POSITIONS, PUSH_POLICIES, type PushPolicy } from './mcpl.ts';

/** The names that a pattern stands for, but for those that the others stand for. */
export interface FeatureSetRegion {
  readonly pattern: string;
  readonly except: readonly string[];
}

/**
 * One thing that settings of a workspace allow beyond what holds without them. `instead` is what holds as long as
 * nobody agreed.
 */
export type McplGrant =
  | { readonly kind: 'featureSets'; readonly region: FeatureSetRegion }
  | { readonly kind: 'readUserMessage' }
  | { readonly kind: 'position'; readonly position: InjectionPosition }
  | { readonly kind: 'failOpen' }
  /** So little time that an answer may pass unchecked. */
  | { readonly kind: 'afterTimeoutMs'; readonly least: number; readonly instead: number }
  | { readonly kind: 'infer'; readonly pattern: string; readonly instead: PushPolicy }
  | { readonly kind: 'tool'; readonly tool: string; readonly featureSet: string; readonly instead: string | undefined }
  | { readonly kind: 'model'; readonly model: string; readonly instead: string | undefined }
  | { readonly kind: Budget; readonly most: number; readonly instead: number };

export type Budget = 'requestsPerHour' | 'tokensPerDay';

/** A grant as it is kept with a consent: its kind, and the rest as JSON. */
export function grantLine(grant: McplGrant): string {
  const parts = partsOf(grant);
  return parts.length === 0 ? grant.kind : `${grant.kind} ${JSON.stringify(parts)}`;
}

function partsOf(grant: McplGrant): readonly (string | number | null)[] {
  switch (grant.kind) {
    case 'featureSets':
      return [grant.region.pattern, ...grant.region.except];
    case 'readUserMessage':
    case 'failOpen':
      return [];
    case 'position':
      return [grant.position];
    case 'afterTimeoutMs':
      return [grant.least, grant.instead];
    case 'infer':
      return [grant.pattern, grant.instead];
    case 'tool':
      return [grant.tool, grant.featureSet, grant.instead ?? null];
    case 'model':
      return [grant.model, grant.instead ?? null];
    case 'requestsPerHour':
    case 'tokensPerDay':
      return [grant.most, grant.instead];
  }
}

type Reader = (parts: readonly Json[]) => McplGrant | undefined;

const READERS: ReadonlyMap<string, Reader> = new Map<McplGrant['kind'], Reader>([
  ['featureSets', readRegion],
  ['readUserMessage', () => ({ kind: 'readUserMessage' })],
  ['failOpen', () => ({ kind: 'failOpen' })],
  ['afterTimeoutMs', readTimeout],
  ['position', readPosition],
  ['infer', readInfer],
  ['tool', readTool],
  ['model', readModel],
  ['requestsPerHour', (parts) => readBudget('requestsPerHour', parts)],
  ['tokensPerDay', (parts) => readBudget('tokensPerDay', parts)],
]);

/** `undefined` for a line of some other version, which then allows nothing. */
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

function readTimeout([least, instead]: readonly Json[]): McplGrant | undefined {
  return typeof least === 'number' && typeof instead === 'number'
    ? { kind: 'afterTimeoutMs', least, instead }
    : undefined;
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

function readBudget(kind: Budget, [most, instead]: readonly Json[]): McplGrant | undefined {
  return typeof most === 'number' && typeof instead === 'number' ? { kind, most, instead } : undefined;
}

function textIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readParts(text: string): readonly Json[] {
  try {
    const parts = parseJson(text);
    return isJsonArray(parts) ? parts : [];
  } catch {
    return [];
  }
}
