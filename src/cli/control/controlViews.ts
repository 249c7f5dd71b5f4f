import {
  type SignInAccount,
  ALL_MESSAGES,
  annotationTexts,
  type ApprovalGrant,
  type ApprovalOutcome,
  type AuditEntry,
  blockText,
  type Checkpoint,
  type CheckpointDetail,
  checkpointName,
  type Consent,
  type HostError,
  type InboundEvent,
  isJsonObject,
  type JsonObject,
  type KeptState,
  type LineageRow,
  type LineageSummary,
  type LineageWindow,
  type Listing,
  type McplSnapshot,
  type OfferedTool,
  parseJson,
  type PendingApproval,
  type PromptResult,
  type ProtocolTrace,
  type ResourceReading,
  type ResultView,
  type RollbackPlan,
  type RollbackResult,
  type ScopeSettings,
  type ServerSnapshot,
  type ServerState,
  type SettingsProblem,
  type SettledApproval,
  type StateTrouble,
  type ToolChange,
  type TurnResult,
} from '../../core/index.ts';

/** The host's values in the control protocol. Undefined members are omitted. */
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
  // The server's members come first, so that they cannot replace the host's.
  return { ...tool.raw, server, offered, autoApproved, change: changed, setOff, needs, lacksUse, forApps };
}

export function changeView({ form, before, now, isFrequent, isDeclined }: ToolChange): JsonObject {
  return { form, before, now, isFrequent, isDeclined };
}

export function problemView({ path, scope, severity, message }: SettingsProblem): JsonObject {
  return { path, scope, severity, message };
}

export function resultView(result: ResultView): JsonObject {
  const { modelText, isError, structured, raw } = result;
  const notes = annotationTexts(result, 'user');
  return { text: modelText, isError, structured, remarks: notes.length === 0 ? undefined : notes, raw };
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

export function accountView({ server, issuer, resource, scopes, at }: SignInAccount): JsonObject {
  return { url: server, issuer, resource, scopes, at };
}

/** The newest entries, oldest first. */
export function traceView(trace: ProtocolTrace, limit: number): JsonObject {
  const { isOn, size, next } = trace;
  const entries = trace.entries(next - limit, limit, ALL_MESSAGES).map((entry) => ({ ...entry }));
  return { isOn, size, entries };
}

/** A pending request, without the key that only the host uses. */
export function pendingView(approval: PendingApproval): JsonObject {
  const { id, server, featureSet, subject, askedAt, expiresAt, waiting, calls } = approval;
  const { kind: _, ...rest } = subject;
  const facts = parseJson(JSON.stringify(rest));
  return {
    id,
    server,
    featureSet,
    ...(isJsonObject(facts) && facts),
    askedAt,
    expiresAt,
    waiting,
    calls: calls.map(({ tool, route, conversationId }) => ({ tool, route, conversationId })),
  };
}

export function grantView(grant: ApprovalGrant): JsonObject {
  const { id, server, fingerprint, featureSet, action, label, targets, lifetime, by, at, until } = grant;
  return { id, server, fingerprint, featureSet, action, label, targets, lifetime, by, at, until };
}

export function settledView({ approval, outcome }: SettledApproval): JsonObject {
  return { approval: approval.id, server: approval.server, featureSet: approval.featureSet, ...outcomeView(outcome) };
}

function outcomeView(outcome: ApprovalOutcome): JsonObject {
  return outcome.kind === 'approved'
    ? { outcome: 'approved', choice: outcome.choice }
    : { outcome: 'denied', why: outcome.why };
}

function scopesView({ lists, adapters }: ScopeSettings): JsonObject {
  const copies = Object.entries(lists).map(([name, list]): [string, JsonObject] => [name, { ...list }]);
  return { lists: Object.fromEntries(copies), adapters: { ...adapters } };
}

function checkpointView(node: Checkpoint): JsonObject {
  return { ...node, shownAs: checkpointName(node) };
}

export function lineageView({ head, others, blocked, ...facts }: LineageSummary): JsonObject {
  return {
    ...facts,
    head: head && checkpointView(head),
    others: others.map((other) => ({ ...other })),
    blocked: blocked && checkpointView(blocked),
  };
}

/** Just enough to decide whether to look closer. */
export function briefLineageView({ server, featureSet, count, head, blocked }: LineageSummary): JsonObject {
  return { server, featureSet, count, head: head?.place, blocked: blocked?.place };
}

export function windowView({ rows, ...facts }: LineageWindow): JsonObject {
  return { ...facts, rows: rows.map(rowView) };
}

function rowView({ node, graph, ...facts }: LineageRow): JsonObject {
  return { ...facts, ...checkpointView(node), graph: graph && { ...graph } };
}

export function detailView({ node, parent, moves, ...facts }: CheckpointDetail): JsonObject {
  return {
    ...facts,
    ...checkpointView(node),
    parentNode: parent && checkpointView(parent),
    moves: moves.map((move) => ({ ...move })),
  };
}

export function planView({ left, head, target, tools, ...facts }: RollbackPlan): JsonObject {
  return {
    ...facts,
    head: head && checkpointView(head),
    target: checkpointView(target),
    left: left.map(checkpointView),
    tools: tools.map((tool) => ({ ...tool })),
  };
}

export function rollbackView(result: RollbackResult): JsonObject {
  switch (result.kind) {
    case 'rolledBack':
      return { kind: result.kind, head: checkpointView(result.head) };
    case 'elsewhere':
      return { kind: result.kind, head: checkpointView(result.head), asked: checkpointView(result.asked) };
    case 'refused':
    case 'unanswered':
    case 'pruned':
      return { ...result };
  }
}

export function keptView(kept: KeptState): JsonObject {
  return { ...kept };
}

export function troubleView(trouble: StateTrouble): JsonObject {
  return { ...trouble };
}

export function mcplView({ dialect, sets, isUndecided }: McplSnapshot): JsonObject {
  const { traits, ...announced } = dialect;
  return {
    dialect: { ...announced, policy: traits.policy, scopes: traits.scopes !== 'none', blocks: traits.blocks },
    isUndecided,
    sets: sets.map(({ set, state, push, undeclared, alsoEvents, tools }) => {
      return { ...set, state, push, undeclared, ...(alsoEvents !== undefined && { alsoEvents }), tools };
    }),
  };
}

export function eventView(event: InboundEvent): JsonObject {
  const { id, server, source, eventId, occurredAt, receivedAt, origin, content, inferenceId, isRead, outcome } = event;
  const asked = outcome.kind === 'answered' ? { ...outcome, usage: { ...outcome.usage } } : { ...outcome };
  return {
    id,
    server,
    featureSet: source.featureSet,
    eventId,
    occurredAt,
    receivedAt,
    origin,
    text: content.map(blockText).join('\n'),
    inferenceId,
    isRead,
    outcome: asked,
  };
}

export function turnView(result: TurnResult): JsonObject {
  const { inferenceId, text, model, usage, finishReason, injectedBy, modifiedBy, remarks } = result;
  return {
    inferenceId,
    text,
    model: { ...model },
    usage: { ...usage },
    finishReason,
    injectedBy: injectedBy.map((injection) => ({ ...injection })),
    modifiedBy,
    remarks,
  };
}

export function auditView(entry: AuditEntry): JsonObject {
  return { ...entry };
}
