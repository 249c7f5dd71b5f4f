import { isJsonObject, type JsonObject } from '../base/json.ts';
import { isRunning, type ServerSnapshot } from '../model/server.ts';

/**
 * What a client is told that this server can do: what a running one itself declared, as editors show a place for each.
 * One that does not run may have anything by the time it does, and a client reads this once: it is told of everything,
 * and of what there is by the lists, which say when they change.
 */
export function declaredCapabilities(snapshot: ServerSnapshot | undefined): JsonObject {
  const isKnown = snapshot !== undefined && isRunning(snapshot.state);
  const has = (capability: string): boolean => !isKnown || isJsonObject(snapshot.capabilities[capability]);
  const resources = isKnown ? snapshot.capabilities['resources'] : undefined;
  const tellsChanges = !isKnown || (isJsonObject(resources) && resources['subscribe'] === true);
  return {
    tools: { listChanged: true },
    ...(has('prompts') ? { prompts: { listChanged: true } } : {}),
    ...(has('resources') ? { resources: { listChanged: true, ...(tellsChanges ? { subscribe: true } : {}) } } : {}),
    ...(completes(snapshot, isKnown) ? { completions: {} } : {}),
    logging: {},
  };
}

/** Before MCP 2025-03-26 there was no word for it: the host asks, and learns whether the server knows the request. */
function completes(snapshot: ServerSnapshot | undefined, isKnown: boolean): boolean {
  if (snapshot === undefined || !isKnown) return true;
  const { capabilities, state } = snapshot;
  if (isJsonObject(capabilities['completions'])) return true;
  if (!isRunning(state) || state.protocolVersion >= '2025-03-26') return false;
  return isJsonObject(capabilities['prompts']) || isJsonObject(capabilities['resources']);
}
