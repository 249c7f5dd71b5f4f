import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Freshness, LogLevelName, ServerInfo } from '../model/catalog.ts';
import type { InputRequests } from '../model/task.ts';
import { isId, META_PREFIX, metaOf, object, text, texts } from './members.ts';
import { decodeFreshness } from './page.ts';
import { decodeServerInfo } from './serverInfo.ts';
import { decodeInputRequests } from './tasks.ts';

export interface EnvelopeFacts {
  readonly protocolVersion: string;
  readonly clientInfo: { readonly name: string; readonly version: string; readonly title?: string };
  readonly clientCapabilities: JsonObject;
  /** Without it the server logs nothing. */
  readonly logLevel?: LogLevelName | undefined;
}

/** The params of a stateless request, with all that its server may know of who asks (MCP 2026-07-28 "_meta"). */
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

/** What a server says of itself in answer to `server/discover`. */
export interface Discovered {
  /** As it came, whether this host speaks them or not. */
  readonly supportedVersions: readonly string[];
  readonly capabilities: JsonObject;
  readonly info: ServerInfo;
  readonly freshness: Freshness | undefined;
}

/** Absent where it is not the answer of a stateless server. */
export function decodeDiscover(result: Json): Discovered | undefined {
  if (!isJsonObject(result)) return undefined;
  const supportedVersions = texts(result['supportedVersions']);
  if (supportedVersions.length === 0) return undefined;
  // Servers written to drafts of the revision have it beside the versions.
  const info = metaOf(result, 'serverInfo') ?? result['serverInfo'];
  return {
    supportedVersions,
    capabilities: object(result['capabilities']) ?? {},
    info: decodeServerInfo(info, result['instructions']),
    freshness: decodeFreshness(result),
  };
}

/** What a server has to know before it can answer (MCP 2026-07-28 "Multi round-trip requests"). */
export interface InputRequired {
  readonly inputRequests: InputRequests;
  /** Repeated to the letter in the next request, where there is one. */
  readonly requestState: string | undefined;
}

/** Absent where it cannot be read: what is asked could then not be answered. */
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
 * The names of the capabilities without which a server cannot answer, such as `elicitation.form`. Told by the data of
 * the error: its code changed between drafts (-32003, -32021), and other servers use those for other things.
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
 * Whether the headers of a request did not match its body. Drafts had another number, which other servers use for
 * other things: to be asked of stateless requests only.
 */
export function isHeaderMismatch(code: number | undefined): boolean {
  return code === -32020 || code === -32001;
}

/** What a host wants to hear of on a stateless connection, in the words of `subscriptions/listen`. */
export interface ListenFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  /** The resources of whose changes it wants to hear. */
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

/** What a server agreed to tell (`notifications/subscriptions/acknowledged`); what is missing it does not support. */
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

/** The id of the `subscriptions/listen` on whose behalf something is told, of the same type: `1` and `"1"` are two. */
export function subscriptionIdOf(params: JsonObject): string | number | undefined {
  const id = metaOf(params, 'subscriptionId');
  return isId(id) ? id : undefined;
}
