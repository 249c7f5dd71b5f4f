import {
  type FeatureSetSettings,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type PushPolicy,
  withChoice,
} from '../../core/index.ts';

/** The layers of servers that a driver gives, by their names in `configure`: the later one wins. */
export interface ServerLayers {
  readonly servers: Json | undefined;
  readonly workspaceServers: Json | undefined;
}

/** The one layer that a choice is written to, with everything else in it as it was. */
export type LayerChange = Partial<ServerLayers>;

/**
 * Switches sets on or off. Starts from the lists that are in force where it writes to: what the workspace says and
 * nobody has allowed must not become the user's own word.
 */
export function withFeatureSets(
  layers: ServerLayers,
  server: string,
  declared: readonly string[],
  { names, on }: { readonly names: readonly string[]; readonly on: boolean },
): LayerChange {
  const layer = layerOf(layers, server, ['featureSets']);
  const before = { enabled: inForce(layers, server, 'enabled'), disabled: inForce(layers, server, 'disabled') };
  const { enabled, disabled }: FeatureSetSettings = withChoice(before, declared, names, on);
  // An empty list is written only if it removes something.
  const off = before.disabled.length + disabled.length > 0 ? { disabled } : {};
  const there = object(entryOf(layers[layer], server)?.['featureSets']);
  return withMember(layers, layer, server, 'featureSets', { ...there, enabled, ...off });
}

export function withPushPolicy(
  layers: ServerLayers,
  server: string,
  featureSet: string,
  policy: PushPolicy,
): LayerChange {
  const layer = layerOf(layers, server, ['push', featureSet]);
  const there = object(entryOf(layers[layer], server)?.['push']);
  return withMember(layers, layer, server, 'push', { ...there, [featureSet]: policy });
}

/** The user's own, unless the workspace would overrule it or is the only one that knows the server. */
function layerOf(layers: ServerLayers, server: string, path: readonly string[]): keyof ServerLayers {
  const ofWorkspace = entryOf(layers.workspaceServers, server);
  const isOverruled = valueAt(ofWorkspace, path) !== undefined;
  const isTheirs = ofWorkspace !== undefined && entryOf(layers.servers, server) === undefined;
  return isOverruled || isTheirs ? 'workspaceServers' : 'servers';
}

function inForce(layers: ServerLayers, server: string, list: keyof FeatureSetSettings): readonly string[] {
  const path = ['featureSets', list];
  const ofWorkspace = valueAt(entryOf(layers.workspaceServers, server), path);
  const value = ofWorkspace ?? valueAt(entryOf(layers.servers, server), path);
  return isJsonArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function withMember(
  layers: ServerLayers,
  layer: keyof ServerLayers,
  server: string,
  name: string,
  value: JsonObject,
): LayerChange {
  const entry = entryOf(layers[layer], server);
  return { [layer]: { ...object(layers[layer]), [server]: { ...entry, [name]: value } } };
}

function entryOf(servers: Json | undefined, server: string): JsonObject | undefined {
  return object(valueAt(servers, [server]));
}

function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (at, step) => (isJsonObject(at) && Object.hasOwn(at, step) ? at[step] : undefined),
    value,
  );
}

function object(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}
