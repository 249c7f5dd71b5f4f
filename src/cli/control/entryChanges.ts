import {
  type FeatureSetSettings,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type PushPolicy,
  withChoice,
} from '../../core/index.ts';

/** The driver's layers of servers, as named in `configure`. Later ones win. */
export interface ServerLayers {
  readonly servers: Json | undefined;
  readonly workspaceServers: Json | undefined;
}

/** The layer to write to. Everything else in it stays. */
export type LayerChange = Partial<ServerLayers>;

/**
 * Switches sets on or off. Starts from the effective lists of the layer to write, so that workspace values without
 * consent do not become user values.
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

/** The user layer, unless the workspace would override it or alone defines the server. */
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
