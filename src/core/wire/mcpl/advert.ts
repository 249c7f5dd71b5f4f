import { cleanLine } from '../../base/cleanText.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import {
  type FeatureSet,
  INJECTION_POSITIONS,
  type InjectionPosition,
  type McplDialect,
  type McplRevision,
  type McplTraits,
  type McplVersion,
} from '../../model/mcpl.ts';
import { object } from '../members.ts';
import { countDeclared, decodeFeatureSets } from './featureSetMessages.ts';
import { mcplRevision, NEWEST_REVISION, OLDEST_REVISION } from './revisions.ts';

export { encodeHostAdvert, type SentScopes } from './hostAdvert.ts';

/** A server's MCPL announcement in its handshake. */
export interface McplAdvert {
  readonly dialect: McplDialect;
  readonly sets: readonly FeatureSet[];
  readonly before: HookReach;
}

/**
 * The parts of the hook before an inference that a server requests: individual leaves since MCPL 0.5, everything
 * before.
 */
export interface HookReach {
  readonly userMessage: boolean;
  readonly positions: readonly InjectionPosition[];
}

/** Maximum length of a version string in messages. */
const MAX_CLAIM = 64;
const MAX_NAMED_COUNT = 8;
/** Since MCPL 0.5, announcements are trees with at most four levels. */
const DEEPEST = 8;

/** Members that this host supports, or that announce no feature. */
const FOLLOWED: readonly string[] = [
  'version',
  'revision',
  'pushEvents',
  'contextHooks',
  'inferenceRequest',
  'modelInfo',
  'featureSets',
];

/** MCPL §5.1: only `capabilities.experimental.mcpl` makes a server an MCPL server. */
export function decodeAdvert(capabilities: JsonObject, pin?: McplVersion): McplAdvert | undefined {
  const mcpl = object(object(capabilities['experimental'])?.['mcpl']);
  if (mcpl === undefined) return undefined;
  const claim = decodeVersion(mcpl['version']);
  const pinned = pin === undefined ? undefined : mcplRevision(pin);
  const revision = pinned ?? claim.revision;
  const { version, traits } = revision;
  const hooks = object(mcpl['contextHooks']) ?? {};
  const sets = decodeFeatureSets(mcpl['featureSets'], revision);
  const after = afterOf(hooks['afterInference'], traits);
  const dialect: McplDialect = {
    version,
    traits,
    claimed: claim.text,
    pushEvents: announces(mcpl['pushEvents'], traits),
    before: announces(hooks['beforeInference'], traits),
    after,
    inference: inferenceOf(mcpl['inferenceRequest'], traits),
    modelInfo: announces(mcpl['modelInfo'], traits),
    listsSets: isJsonArray(mcpl['featureSets']),
    remarks: [
      ...(pinned === undefined && claim.remark !== undefined ? [claim.remark] : []),
      ...remarksOn(mcpl, sets.length),
      // The host announced 0.2 to the server, so a hook of 0.2 is meant.
      ...(after !== 'none' && !traits.afterInference
        ? [`It announces "afterInference", which MCPL ${version} no longer has; it is used.`]
        : []),
    ],
  };
  return { dialect, sets, before: reachOf(hooks['beforeInference'], traits) };
}

interface Claim {
  readonly revision: McplRevision;
  readonly text: string;
  readonly remark: string | undefined;
}

function decodeVersion(value: Json | undefined): Claim {
  const text = typeof value === 'string' || typeof value === 'number' ? cleanLine(String(value), MAX_CLAIM) : '';
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(text) ?? [];
  if (major === undefined || minor === undefined) {
    const said = text === '' ? 'It names no version of MCPL' : `It names "${text}" as its version of MCPL`;
    return { revision: OLDEST_REVISION, text, remark: `${said}; ${OLDEST_REVISION.version} is assumed.` };
  }
  const known = mcplRevision(`${Number(major)}.${Number(minor)}`);
  if (known !== undefined) return { revision: known, text, remark: undefined };
  const isOlder = Number(major) === 0 && Number(minor) < 2;
  const revision = isOlder ? OLDEST_REVISION : NEWEST_REVISION;
  const remark = `It claims MCPL ${text}, which this host does not know; ${revision.version} is assumed.`;
  return { revision, text, remark };
}

function announces(value: Json | undefined, { emptyObjectAnnounces }: McplTraits): boolean {
  if (isJsonObject(value) && Object.keys(value).length === 0) return emptyObjectAnnounces;
  return hasLeaf(value, DEEPEST);
}

function hasLeaf(value: Json | undefined, depth: number): boolean {
  if (!isJsonObject(value)) return value === true;
  return depth > 0 && Object.values(value).some((member) => hasLeaf(member, depth - 1));
}

/** `true` means the same as `{}`: notify only. */
function afterOf(value: Json | undefined, traits: McplTraits): McplDialect['after'] {
  if (isJsonObject(value) && value['blocking'] === true) return 'blocking';
  if (isJsonObject(value) && value['blocking'] === false) return 'notify';
  return announces(value, traits) ? 'notify' : 'none';
}

function inferenceOf(value: Json | undefined, traits: McplTraits): McplDialect['inference'] {
  if (!isJsonObject(value)) return value === true ? 'plain' : 'none';
  if (value['streaming'] === true) return 'streaming';
  return value['streaming'] === false || announces(value, traits) ? 'plain' : 'none';
}

function reachOf(value: Json | undefined, traits: McplTraits): HookReach {
  const all: HookReach = { userMessage: true, positions: INJECTION_POSITIONS };
  if (!announces(value, traits)) return { userMessage: false, positions: [] };
  if (!isJsonObject(value) || (value['observe'] === undefined && value['inject'] === undefined)) return all;
  const { observe, inject } = value;
  const positions = object(inject);
  return {
    userMessage: hasLeaf(observe, DEEPEST),
    positions: INJECTION_POSITIONS.filter((position) => inject === true || positions?.[position] === true),
  };
}

function remarksOn(mcpl: JsonObject, kept: number): readonly string[] {
  const remarks: string[] = [];
  const others = Object.keys(mcpl).filter((key) => !FOLLOWED.includes(key) && isSaid(mcpl[key]));
  if (others.length > 0) {
    const named = others.slice(0, MAX_NAMED_COUNT).map((key) => `"${cleanLine(key, MAX_CLAIM)}"`);
    const more = others.length > named.length ? ` and ${others.length - named.length} more` : '';
    remarks.push(`It announces ${named.join(', ')}${more}, in which this host takes no part.`);
  }
  const declared = countDeclared(mcpl['featureSets']);
  if (declared > kept)
    remarks.push(`${declared - kept} of its ${declared} feature sets cannot be used and are left out.`);
  return remarks;
}

function isSaid(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== false;
}
