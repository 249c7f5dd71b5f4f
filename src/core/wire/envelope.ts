import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Freshness, LogLevelName, ServerInfo } from '../model/catalog.ts';
import type { InputRequests } from '../model/task.ts';
import { isId, META_PREFIX, metaOf, object, text, texts } from './members.ts';
import { decodeFreshness } from './page.ts';
import { decodeServerInfo } from './serverInfo.ts';
import { decodeInputRequests } from './taskMessages.ts';

interface EnvelopeFacts {
  readonly protocolVersion: string;
  readonly clientInfo: { readonly name: string; readonly version: string; readonly title?: string };
  readonly clientCapabilities: JsonObject;
  /** If absent, the server sends no log messages. */
  readonly logLevel?: LogLevelName | undefined;
}

/** The params of a stateless request, including the client information in `_meta` (MCP 2026-07-28). */
export function envelope(params: JsonObject, facts: EnvelopeFacts): JsonObject {
  const { protocolVersion, clientInfo, clientCapabilities, logLevel } = facts;
  const meta: JsonObject = {
    ...object(params['_meta']),
    [`${META_PREFIX}protocolVersion`]: protocolVersion,
    [`${META_PREFIX}clientInfo`]: { ...clientInfo },
    [`${META_PREFIX}clientCapabilities`]: clientCapabilities,
  };
  return { ...params, _meta: logLevel === undefined ? meta : { ...meta, [`${META_PREFIX}logLevel`]: logLevel } };
}

/** The answer to `server/discover`. */
export interface Discovered {
  /** All versions, including ones that this host does not support. */
  readonly supportedVersions: readonly string[];
  readonly capabilities: JsonObject;
  readonly info: ServerInfo;
  readonly freshness: Freshness | undefined;
}

/** Returns `undefined` if this is not the answer of a stateless server. */
export function decodeDiscover(result: Json): Discovered | undefined {
  if (!isJsonObject(result)) return undefined;
  const supportedVersions = texts(result['supportedVersions']);
  if (supportedVersions.length === 0) return undefined;
  // Servers for drafts of the revision put it next to the versions.
  const info = metaOf(result, 'serverInfo') ?? result['serverInfo'];
  return {
    supportedVersions,
    capabilities: object(result['capabilities']) ?? {},
    info: decodeServerInfo(info, result['instructions']),
    freshness: decodeFreshness(result),
  };
}

/** Input that a server needs before it can answer (MCP 2026-07-28 "Multi round-trip requests"). */
export interface InputRequired {
  readonly inputRequests: InputRequests;
  /** Opaque state to return unchanged in the next request. */
  readonly requestState: string | undefined;
}

/** Returns `undefined` if it cannot be decoded, because no answer is possible then. */
export function decodeInputRequired(result: Json): InputRequired | undefined {
  const { inputRequests, requestState } = object(result) ?? {};
  if (requestState !== undefined && typeof requestState !== 'string') return undefined;
  if (inputRequests === undefined && requestState === undefined) return undefined;
  const requests = decodeInputRequests(inputRequests ?? {});
  return requests.kind === 'ok' ? { inputRequests: requests.value, requestState: text(requestState) } : undefined;
}

const MAX_NAMES = 20;
const MAX_NESTING = 4;

/**
 * Names of the capabilities that the server requires, such as `elicitation.form`. Recognized by the error's data: the
 * code changed between drafts (-32003, -32021), and other servers use those codes differently.
 */
export function requiredCapabilitiesOf(data: Json | undefined): readonly string[] | undefined {
  const required = object(object(data)?.['requiredCapabilities']);
  if (required === undefined) return undefined;
  const names = namesIn(required, MAX_NESTING).slice(0, MAX_NAMES);
  return names.length === 0 ? undefined : names;
}

function namesIn(capabilities: JsonObject, nesting: number): readonly string[] {
  return Object.keys(capabilities).flatMap((name) => {
    const inner = nesting > 0 ? namesIn(object(capabilities[name]) ?? {}, nesting - 1) : [];
    return inner.length === 0 ? [name] : inner.map((rest) => `${name}.${rest}`);
  });
}

/**
 * Whether the error is a mismatch of headers and body. Only call this for stateless requests: other servers use the
 * code of the drafts differently.
 */
export function isHeaderMismatch(code: number | undefined): boolean {
  return code === -32020 || code === -32001;
}

/** The filter of `subscriptions/listen` on a stateless connection. */
export interface ListenFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  /** URIs of the resources to watch. */
  readonly resourceSubscriptions?: readonly string[];
  readonly taskIds?: readonly string[];
}

/** The member `notifications` of the params of `subscriptions/listen`. */
export function encodeFilter(filter: ListenFilter): JsonObject {
  const { resourceSubscriptions = [], taskIds = [] } = filter;
  return {
    ...(filter.toolsListChanged === true && { toolsListChanged: true }),
    ...(filter.promptsListChanged === true && { promptsListChanged: true }),
    ...(filter.resourcesListChanged === true && { resourcesListChanged: true }),
    ...(resourceSubscriptions.length > 0 && { resourceSubscriptions: [...resourceSubscriptions] }),
    ...(taskIds.length > 0 && { taskIds: [...taskIds] }),
  };
}

/**
 * The filter that the server accepted (`notifications/subscriptions/acknowledged`). Missing members are unsupported.
 */
export function decodeAcknowledged(params: JsonObject): Required<ListenFilter> {
  const granted = object(params['notifications']) ?? {};
  return {
    toolsListChanged: granted['toolsListChanged'] === true,
    promptsListChanged: granted['promptsListChanged'] === true,
    resourcesListChanged: granted['resourcesListChanged'] === true,
    resourceSubscriptions: texts(granted['resourceSubscriptions']),
    taskIds: texts(granted['taskIds']),
  };
}

/**
 * The id of the `subscriptions/listen` request that a notification belongs to. Keeps the type: `1` and `"1"` differ.
 */
export function subscriptionIdOf(params: JsonObject): string | number | undefined {
  const id = metaOf(params, 'subscriptionId');
  return isId(id) ? id : undefined;
}
