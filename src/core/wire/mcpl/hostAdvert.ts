import type { JsonObject } from '../../base/json.ts';
import type { FeatureSetSettings } from '../../model/mcpl.ts';
import { mcpl02 } from './revisions/0.2.ts';

/** The scope lists of each set that has any (MCPL §7.2), by name. */
export type SentScopes = Readonly<Record<string, { readonly whitelist: string[]; readonly blacklist: string[] }>>;

/**
 * The host's announcement under `experimental.mcpl` of `initialize` (MCPL §5.2). Names sets individually, never by
 * wildcard. A separate file because it is sent to every server, before MCPL is negotiated.
 */
export function encodeHostAdvert({ enabled, disabled }: FeatureSetSettings, scopes: SentScopes = {}): JsonObject {
  return {
    version: mcpl02.version,
    pushEvents: true,
    contextHooks: { beforeInference: true, afterInference: { blocking: true } },
    inferenceRequest: { streaming: true },
    modelInfo: true,
    featureSets: { enabled, disabled },
    ...(Object.keys(scopes).length > 0 && { scopes }),
  };
}
