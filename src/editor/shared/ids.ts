/** Every name that package.json and the code share. A test compares the two. */

export const CONTAINER = 'mcpl';
export const SERVERS_VIEW = 'mcpl.servers';
export const EVENTS_VIEW = 'mcpl.events';
export const APPROVALS_VIEW = 'mcpl.approvals';
export const LINEAGE_VIEW = 'mcpl.lineage';
export const LINEAGE_PANEL = 'mcpl.lineagePanel';
export const TRACE_VIEW = 'mcpl.trace';
export const TOOL_FORM = 'mcpl.toolForm';
export const GATEWAY_PROVIDER = 'mcpl.gateway';
export const CHAT_PARTICIPANT = 'mcpl.chat';
export const CHAT_COMMANDS = ['events', 'servers', 'checkpoints', 'rollback'] as const;
/** Of the editor's language models, those that carry hooks. */
export const MODEL_VENDOR = 'mcpl';
export const CHAT_PLUGIN = './media/chatHooks';
export const WALKTHROUGH = 'mcpl.start';
export const EXTENSION_ID = 'mcp-live.mcp-live';

export const COMMANDS = {
  serverAdd: 'mcpl.server.add',
  demoTry: 'mcpl.demo.try',
  serverStart: 'mcpl.server.start',
  serverStop: 'mcpl.server.stop',
  serverRestart: 'mcpl.server.restart',
  serverCancelCall: 'mcpl.server.cancelCall',
  serverEnable: 'mcpl.server.enable',
  serverDisable: 'mcpl.server.disable',
  serverRemove: 'mcpl.server.remove',
  serverShowLog: 'mcpl.server.showLog',
  serverOpenSettings: 'mcpl.server.openSettings',
  serverForgetConsent: 'mcpl.server.forgetConsent',
  serverShowTrace: 'mcpl.server.showTrace',
  serverSetLogLevel: 'mcpl.server.setLogLevel',
  serverSignOut: 'mcpl.server.signOut',
  samplingForget: 'mcpl.sampling.forget',
  questionShow: 'mcpl.question.show',
  resourceOpen: 'mcpl.resource.open',
  resourceBrowse: 'mcpl.resource.browse',
  resourceAttach: 'mcpl.resource.attach',
  promptGet: 'mcpl.prompt.get',
  promptUse: 'mcpl.prompt.use',
  promptSend: 'mcpl.prompt.send',
  promptCopy: 'mcpl.prompt.copy',
  toolCall: 'mcpl.tool.call',
  toolAutoApprove: 'mcpl.tool.autoApprove',
  toolAskFirst: 'mcpl.tool.askFirst',
  toolOffer: 'mcpl.tool.offer',
  toolHide: 'mcpl.tool.hide',
  toolReview: 'mcpl.tool.review',
  statusShow: 'mcpl.status.show',
  hostShowLog: 'mcpl.host.showLog',
  inputClear: 'mcpl.input.clear',
  featureSetsChoose: 'mcpl.chooseFeatureSets',
  featureSetMute: 'mcpl.muteFeatureSet',
  eventsAllow: 'mcpl.allowUndeclaredEvents',
  eventsRefuse: 'mcpl.refuseUndeclaredEvents',
  eventOpen: 'mcpl.openEvent',
  eventAsk: 'mcpl.askModelAboutEvent',
  eventOpenInChat: 'mcpl.openEventInChat',
  eventsMarkRead: 'mcpl.markEventsRead',
  eventsClear: 'mcpl.clearEvents',
  auditShow: 'mcpl.showAuditLog',
  auditExport: 'mcpl.exportAuditLog',
  modelAllow: 'mcpl.allowLanguageModelUse',
  modelForbid: 'mcpl.withdrawLanguageModelUse',
  modelChoose: 'mcpl.chooseLanguageModel',
  modelUseShow: 'mcpl.showLanguageModelUse',
  modelsWrap: 'mcpl.wrapLanguageModels',
  approvalAnswer: 'mcpl.approval.answer',
  approvalOpen: 'mcpl.approval.open',
  approvalAllowOnce: 'mcpl.approval.allowOnce',
  approvalAllowSession: 'mcpl.approval.allowSession',
  approvalAllowWorkspace: 'mcpl.approval.allowWorkspace',
  approvalDeny: 'mcpl.approval.deny',
  approvalCopyTarget: 'mcpl.approval.copyTarget',
  approvalRevoke: 'mcpl.approval.revoke',
  approvalChangeExpiry: 'mcpl.approval.changeExpiry',
  approvalsReview: 'mcpl.approvals.review',
  approvalsRevokeAll: 'mcpl.approvals.revokeAll',
  approvalsExport: 'mcpl.approvals.export',
  lineageShow: 'mcpl.showLineage',
  lineageOpen: 'mcpl.openLineage',
  rollBack: 'mcpl.rollBack',
  checkpointContinue: 'mcpl.continueFromCheckpoint',
  lineageContinue: 'mcpl.continueFromLastGood',
  stateOpen: 'mcpl.openState',
  statesCompare: 'mcpl.compareStates',
  checkpointName: 'mcpl.nameCheckpoint',
  checkpointPin: 'mcpl.pinCheckpoint',
  checkpointUnpin: 'mcpl.unpinCheckpoint',
  checkpointCopyId: 'mcpl.copyCheckpointId',
  lineageExport: 'mcpl.exportLineage',
  lineageImport: 'mcpl.importLineage',
  lineageForget: 'mcpl.forgetLineage',
} as const;

/** Tools that models are offered about the host itself. */
export const CONTROL_TOOLS = {
  readEvents: 'mcpl_read_events',
  listCheckpoints: 'mcpl_list_checkpoints',
  rollBack: 'mcpl_rollback',
} as const;

export type ControlToolName = (typeof CONTROL_TOOLS)[keyof typeof CONTROL_TOOLS];

export type CommandId = (typeof COMMANDS)[keyof typeof COMMANDS];

export const SETTINGS = {
  servers: 'mcpl.servers',
  inputs: 'mcpl.inputs',
  trace: 'mcpl.trace',
  pushMaxPerMinute: 'mcpl.push.maxPerMinute',
  eventsMaxCount: 'mcpl.events.maxCount',
  auditRetentionDays: 'mcpl.audit.retentionDays',
  inferenceModel: 'mcpl.inference.model',
  approvalsTimeoutSeconds: 'mcpl.approvals.timeoutSeconds',
  approvalsInChat: 'mcpl.approvals.inChat',
  stateMaxCount: 'mcpl.state.maxCount',
  stateMaxAgeDays: 'mcpl.state.maxAgeDays',
  stateMaxMegabytes: 'mcpl.state.maxMegabytes',
  gatewayTransport: 'mcpl.gateway.transport',
  chatHooksEnabled: 'mcpl.chatHooks.enabled',
  modelsWrap: 'mcpl.models.wrap',
} as const;

export const CONTEXT_KEYS = {
  hasServers: 'mcpl:hasServers',
  restricted: 'mcpl:restricted',
} as const;

/** The facets of a tree item's `contextValue`, joined by `+`; `when` clauses match them by regular expression. */
export const FACETS = {
  server: 'server',
  startable: 'startable',
  stoppable: 'stoppable',
  failed: 'failed',
  /** It does not answer while a tool call is running. */
  busy: 'busy',
  enabled: 'enabled',
  tool: 'tool',
  autoApproved: 'autoApproved',
  asks: 'asks',
  offered: 'offered',
  hidden: 'hidden',
  /** A tool whose definition is no longer the approved one. */
  changed: 'changed',
  problem: 'problem',
  remote: 'remote',
  logs: 'logs',
  resource: 'resource',
  template: 'template',
  prompt: 'prompt',
  mcpl: 'mcpl',
  featureSets: 'featureSets',
  featureSet: 'featureSet',
  /** A set whose push events reach a person. */
  pushes: 'pushes',
  /** A set that sent events which it does not declare, and which are refused. */
  undeclaredEvents: 'undeclaredEvents',
  /** A set whose undeclared events a person allowed. */
  allowedEvents: 'allowedEvents',
  event: 'event',
  unread: 'unread',
  /** A row about scopes, whose setting can be opened. */
  scope: 'scope',
  /** A request that waits for a person. */
  pending: 'pending',
  /** What was allowed and is remembered. */
  grant: 'grant',
  /** A grant that outlives the session. */
  lasting: 'lasting',
  /** The lineage of a feature set. */
  checkpoints: 'checkpoints',
  /** Its next call is refused. */
  blocked: 'blocked',
  /** What a server uses of language models. */
  models: 'models',
} as const;

/** Of documents that show what servers have. */
export const SCHEMES = {
  resource: 'mcpl-resource',
  prompt: 'mcpl-prompt',
  state: 'mcpl-state',
  models: 'mcpl-models',
  definition: 'mcpl-definition',
} as const;

export type Facet = (typeof FACETS)[keyof typeof FACETS];

/** The server id and the command that the bundled demo server is written into settings with. */
export const DEMO_SERVER = 'demo';
export const DEMO_COMMAND = 'mcpl-demo';

/** The name of the extension as people read it: in diagnostics and as the host's log channel. */
export const EXTENSION_NAME = 'MCP Live';

/** Names that only the code knows: of documents about approvals, and of the row that shows more decisions. */
export const APPROVAL_SCHEME = 'mcpl-approval';
export const SHOW_MORE_DECISIONS = 'mcpl.approvals.showMore';

/** A button of a question in an answer; given the question's id and the answer. */
export const ANSWER_TOOL_QUESTION = '_mcpl.answerToolQuestion';

/** Names that only the code knows: of documents about events, and of the row that shows more of them. */
export const EVENT_SCHEME = 'mcpl-event';
export const AUDIT_SCHEME = 'mcpl-audit';
export const SHOW_MORE_EVENTS = 'mcpl.events.showMore';

/** Rolls back as the command does, and gives back what came of it: for the chat, which says so in its own place. */
export const ROLL_BACK_IN_CHAT = '_mcpl.rollBackInChat';
