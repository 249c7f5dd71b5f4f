import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';

/** What a server says of MCPL in its handshake. Version strings lie; shapes are what a host goes by. */
export interface McplAdvert {
  readonly version: string;
  /** The names of the feature sets that it declares. */
  readonly featureSets: readonly string[];
}

/** MCPL §5.1: only `capabilities.experimental.mcpl` makes a server an MCPL server. */
export function decodeAdvert(capabilities: JsonObject): McplAdvert | undefined {
  const { experimental } = capabilities;
  const advert = isJsonObject(experimental) ? experimental['mcpl'] : undefined;
  if (!isJsonObject(advert)) return undefined;
  const { version, featureSets } = advert;
  return { version: typeof version === 'string' ? version : '0.2', featureSets: decodeNames(featureSets) };
}

/** MCPL §6.1 keys sets by name; published servers send a list of `{name, …}` as well. */
export function decodeNames(featureSets: Json | undefined): readonly string[] {
  return namesIn(featureSets).filter((name) => name.length <= LONGEST_NAME);
}

const LONGEST_NAME = 256;

function namesIn(featureSets: Json | undefined): readonly string[] {
  if (isJsonObject(featureSets)) return Object.keys(featureSets);
  if (!isJsonArray(featureSets)) return [];
  const names = featureSets.flatMap((set) => {
    const name = isJsonObject(set) ? set['name'] : set;
    return typeof name === 'string' ? [name] : [];
  });
  return [...new Set(names)];
}

/** MCPL §6.6. Valid only on a connection that negotiated MCPL, in answer to a method of MCPL. */
export const MCPL_ERROR = { notEnabled: -32001, unknownFeatureSet: -32003 } as const;
