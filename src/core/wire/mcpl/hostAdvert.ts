import type { JsonObject } from '../../base/json.ts';
import type { FeatureSetSettings } from '../../model/mcpl.ts';

/** The lists of the sets that have any (MCPL §7.2), by name. */
export type ToldScopes = Readonly<Record<string, { readonly whitelist: string[]; readonly blacklist: string[] }>>;

/**
 * What the host says of itself under `experimental.mcpl` of `initialize` (MCPL §5.2). Sets are named, never by
 * wildcard. A file of its own because it is sent before anybody knows whether the server speaks MCPL.
 */
export function encodeHostAdvert({ enabled, disabled }: FeatureSetSettings, scopes: ToldScopes = {}): JsonObject {
  return {
    version: '0.2',
    pushEvents: true,
    contextHooks: { beforeInference: true, afterInference: { blocking: true } },
    inferenceRequest: { streaming: true },
    modelInfo: true,
    featureSets: { enabled, disabled },
    ...(Object.keys(scopes).length > 0 && { scopes }),
  };
}
