import {
  type Account,
  ALL_MESSAGES,
  blockText,
  type Consent,
  type HostError,
  type JsonObject,
  type Listing,
  type OfferedTool,
  type PromptResult,
  type ProtocolTrace,
  type ResourceReading,
  type ResultView,
  type ServerSnapshot,
  type ServerState,
  type SettingsProblem,
  type ToolChange,
} from '../../core/index.ts';
import { scopesView } from './approvalViews.ts';

/** How the host's values look on the wire to a driver. Members that are undefined are left out. */
export function errorView({ code, message, suggestion, effect, layer, rpcCode, data }: HostError): JsonObject {
  return { code, message, suggestion, effect, layer, rpcCode, data };
}

export function serverView(server: ServerSnapshot): JsonObject {
  const { id, definedBy, enabled, state, problems, capabilities, listing, listings, scopes } = server;
  const { tools, resources, templates, prompts } = server;
  return {
    id,
    definedBy,
    enabled,
    state: stateView(state),
    capabilities,
    tools: tools.map(({ tool }) => tool.name),
    resources: resources.map(({ uri }) => uri),
    templates: templates.map(({ uriTemplate }) => uriTemplate),
    prompts: prompts.map(({ name }) => name),
    listings: {
      tools: listingView(listing),
      resources: listingView(listings.resources),
      prompts: listingView(listings.prompts),
    },
    scopes: scopesView(scopes),
    problems: problems.map(problemView),
  };
}

function listingView(listing: Listing): JsonObject {
  return listing.kind === 'failed' ? { kind: 'failed', error: errorView(listing.error) } : { kind: listing.kind };
}

export function stateView(state: ServerState): JsonObject {
  switch (state.kind) {
    case 'running': {
      const { info, protocolVersion, connection, pid, since } = state;
      const { icons: _drawn, ...about } = info;
      return { kind: 'running', info: about, protocolVersion, connection: { ...connection }, pid, since };
    }
    case 'failed':
      return { kind: 'failed', error: errorView(state.error) };
    case 'restarting':
      return { kind: 'restarting', error: errorView(state.error), at: state.at };
    case 'stopped':
      return { kind: 'stopped', reason: state.reason };
    case 'asking':
    case 'starting':
    case 'stopping':
      return { kind: state.kind };
  }
}

export function toolView(
  server: string,
  { tool, offered, autoApproved, change, setOff, needs, lacksUse, forApps }: OfferedTool,
): JsonObject {
  const changed = change && changeView(change);
  // The server's own members come first: none of them may pass for the host's.
  return { ...tool.raw, server, offered, autoApproved, change: changed, setOff, needs, lacksUse, forApps };
}

export function changeView({ form, before, now, isFrequent, isDeclined }: ToolChange): JsonObject {
  return { form, before, now, isFrequent, isDeclined };
}

export function problemView({ path, scope, severity, message }: SettingsProblem): JsonObject {
  return { path, scope, severity, message };
}

export function resultView({ modelText, isError, structured, remarks, raw }: ResultView): JsonObject {
  return { text: modelText, isError, structured, remarks, raw };
}

export function consentView({ server, fingerprint, grants, at }: Consent): JsonObject {
  return { server, fingerprint, grants: { autoApprove: grants.autoApprove, others: grants.others }, at };
}

export function readingView({ contents, raw }: ResourceReading): JsonObject {
  return { contents: contents.map((part) => ({ ...part })), raw };
}

export function promptResultView({ description, messages, raw }: PromptResult): JsonObject {
  return { description, messages: messages.map(({ role, content }) => ({ role, text: blockText(content) })), raw };
}

export function accountView({ server, issuer, resource, scopes, at }: Account): JsonObject {
  return { url: server, issuer, resource, scopes, at };
}

/** The last of what was recorded, the oldest first. */
export function traceView(trace: ProtocolTrace, limit: number): JsonObject {
  const { isOn, size, next } = trace;
  const entries = trace.entries(next - limit, limit, ALL_MESSAGES).map((entry) => ({ ...entry }));
  return { isOn, size, entries };
}
