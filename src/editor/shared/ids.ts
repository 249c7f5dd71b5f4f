/** All names that package.json and the code share. A test compares them. */

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
/** Vendor of the language models with hooks. */
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
  toolTurnOnSet: 'mcpl.tool.turnOnFeatureSet',
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

/** Tools for models about the host itself. */
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

/** Facets of a tree item's `contextValue`, joined by `+` and matched by `when` clauses. */
export const FACETS = {
  server: 'server',
  startable: 'startable',
  stoppable: 'stoppable',
  /** It waits for the user's answer before it starts. */
  asking: 'asking',
  failed: 'failed',
  /** It does not respond while a tool call runs. */
  busy: 'busy',
  enabled: 'enabled',
  tool: 'tool',
  autoApproved: 'autoApproved',
  asks: 'asks',
  offered: 'offered',
  hidden: 'hidden',
  /** A tool whose only feature set is off, and can be turned on. */
  setOff: 'setOff',
  /** A tool that needs several feature sets, some of which are off. */
  setsOff: 'setsOff',
  /** A tool whose definition differs from the approved one. */
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
  /** A set whose push events arrive. */
  pushes: 'pushes',
  /** A set with undeclared, refused events. */
  undeclaredEvents: 'undeclaredEvents',
  /** A set whose undeclared events the user allowed. */
  allowedEvents: 'allowedEvents',
  event: 'event',
  unread: 'unread',
  /** A row about scopes, with its setting. */
  scope: 'scope',
  /** A pending request. */
  pending: 'pending',
  /** A stored grant. */
  grant: 'grant',
  /** A grant that outlives the session. */
  lasting: 'lasting',
  /** The lineage of a feature set. */
  checkpoints: 'checkpoints',
  /** Its next call is blocked. */
  blocked: 'blocked',
  /** A server's use of language models. */
  models: 'models',
} as const;

/** Schemes of documents with server content. */
export const SCHEMES = {
  resource: 'mcpl-resource',
  prompt: 'mcpl-prompt',
  state: 'mcpl-state',
  models: 'mcpl-models',
  definition: 'mcpl-definition',
} as const;

export type Facet = (typeof FACETS)[keyof typeof FACETS];

/** Server id and command of the demo server in settings. */
export const DEMO_SERVER = 'demo';
export const DEMO_COMMAND = 'mcpl-demo';

/** The extension's display name, in diagnostics and the host's log channel. */
export const EXTENSION_NAME = 'MCP Live';

/** Internal ids: the scheme of approval documents, and the "Show more" row. */
export const APPROVAL_SCHEME = 'mcpl-approval';
export const SHOW_MORE_DECISIONS = 'mcpl.approvals.showMore';

/** The command behind a tool question's buttons. Takes the question's id and the answer. */
export const ANSWER_TOOL_QUESTION = '_mcpl.answerToolQuestion';

/** Internal ids: schemes of event and audit documents, and the "Show more" row. */
export const EVENT_SCHEME = 'mcpl-event';
export const AUDIT_SCHEME = 'mcpl-audit';
export const SHOW_MORE_EVENTS = 'mcpl.events.showMore';

/** Runs the rollback command and returns its outcome for the chat. */
export const ROLL_BACK_IN_CHAT = '_mcpl.rollBackInChat';
