export { KeyedQueue, Deferred, ignoreFailure } from './base/async.ts';
export { Semaphore } from './base/semaphore.ts';
export { Throttle } from './base/throttle.ts';
export { type CancellationToken, CancellationSource, NO_CANCELLATION, unlessCancelled } from './base/cancellation.ts';
export type { Clock } from './base/clock.ts';
export { type Disposable, DisposableStore, disposeAll, toDisposable, trackDisposables } from './base/disposable.ts';
export {
  assertNever,
  cancelled,
  type Effect,
  HostError,
  type HostErrorCode,
  type HostErrorDetails,
  isCancellation,
  isHostError,
  messageOf,
  RPC,
  toHostError,
  WireError,
} from './base/errors.ts';
export { Emitter, type Event } from './base/event.ts';
export {
  canonicalJson,
  clip,
  isDeeperThan,
  isJsonArray,
  isJsonObject,
  isObject,
  type Json,
  jsonEquals,
  type JsonObject,
  nestsDeeperThan,
  parseJson,
} from './base/json.ts';
export { type AsyncLazy, asyncLazy, lazy } from './base/lazy.ts';
export { type Logger, type LogLevel, NO_LOG } from './base/log.ts';
export { mapTexts } from './base/jsonTexts.ts';
export { Malformed, MemberReader } from './base/memberReader.ts';
export { waitFor } from './base/patience.ts';
export { plural, pluralWord } from './base/plural.ts';
export { type Redact, type Secret, SecretList } from './base/secrets.ts';
export { variableSecrets } from './session/credentials.ts';
export { lastWords } from './session/stoppedEarly.ts';
export { leaveUnread, type MemberPath, unreadText } from './base/unreadJson.ts';
export type { AuthFlow, AuthSettings, IdentityProvider } from './model/auth.ts';
export {
  LOG_LEVELS,
  type Icon,
  type LogLevelName,
  type Prompt,
  type Resource,
  type ResourceTemplate,
  type ServerInfo,
  type Tool,
  type ToolHints,
} from './model/catalog.ts';
export {
  annotationTexts,
  blockText,
  type ContentBlock,
  decodeResult,
  keptState,
  type PromptResult,
  type ResourceContents,
  type ResultAnnotation,
  type ResultView,
  sizeOf,
  withNotes,
} from './model/content.ts';
export type { AuditEntry, AuditOutcome, AuditQuery, AuditRecord, AuditTotal } from './model/audit.ts';
export type { EventOutcome, EventSource, InboundEvent } from './model/inboundEvent.ts';
export type { ApprovalGrant, DeclaredSet, FeatureSetGrant, Grant, ScopeGrant, ToolGrant } from './model/grant.ts';
export {
  type Checkpoint,
  type CheckpointDetail,
  checkpointName,
  type HeadMove,
  type KeptState,
  LINEAGE_FILTERS,
  type LineageFilter,
  type LineageHead,
  type LineageKey,
  type LineagePath,
  type LineageQuery,
  type LineageRow,
  type LineageSummary,
  type LineageWindow,
  MAX_PATH,
  type RowGraph,
  type StateKeeper,
  STATE_BOUNDS,
} from './model/lineage.ts';
export { grantText, phraseText, type Quoting, type SubjectText, subjectText } from './approvals/subjectText.ts';
export {
  APPROVAL_CHOICES,
  APPROVAL_KINDS,
  type ApprovalChoice,
  type ApprovalOutcome,
  type ApprovalSubject,
  type DenialReason,
  isDecision,
  type PendingApproval,
  type ScopeAction,
  type ScopeDoubt,
  type ScopeSubject,
  type SettledApproval,
} from './model/approval.ts';
export type { ScopeClaim, ScopeLists, ScopeSettings, ScopeTarget } from './model/scope.ts';
export { patternProblem } from './model/scopePattern.ts';
export {
  type FinishReason,
  MODEL_FAILURES,
  type ModelFacts,
  type ModelFailure,
  type ModelFailureReason,
  type ModelMessage,
  type Usage,
} from './model/inference.ts';
export {
  type ModelBudget,
  type ModelReservation,
  type ModelRoute,
  type ModelUseRecord,
  type ModelUseTotal,
} from './model/modelUse.ts';
export {
  type FeatureSet,
  type FeatureSetSettings,
  type FeatureSetState,
  type AlsoEvents,
  type EventsQuestion,
  type FeatureSetView,
  type HookSettings,
  type McplDialect,
  type McplSettings,
  type McplSnapshot,
  type Capability,
  PUSH_POLICIES,
  type PushPolicy,
  rightsOf,
} from './model/mcpl.ts';
export type { LanguageModel, ModelChoice, ModelRequest, ModelRunEnd, Models, ModelSelection } from './modelPorts.ts';
export { attributeText, withoutAttachmentTags, withoutOurTags } from './base/delimiters.ts';
export { isChosen, matchesFeatureSet, withChoice } from './mcpl/featureSets.ts';
export { shortQuestion, startTitle, wholeQuestion } from './consent/startQuestion.ts';
export { trustedText } from './consent/toolTrust.ts';
export type { SamplingContent, SamplingMessage, SamplingRequest, SamplingResult } from './model/inputs.ts';
export type { Operation, OperationState, Progress, Route, ToolCallRequest } from './model/operation.ts';
export {
  canStart,
  canStop,
  type ConnectionDefinition,
  type ConnectionFacts,
  type ContributedLayer,
  type Contributor,
  DEFAULT_LIMITS,
  type Era,
  type HostLimits,
  type HostSettings,
  isRunning,
  type Listing,
  MIN_LIMITS,
  MAX_LIMITS,
  type ProtocolSettings,
  type RemoteTransport,
  type DefinitionAnswer,
  type OfferedTool,
  type SeenDefinition,
  type ToolChange,
  type ServerDefinition,
  type ServerSnapshot,
  type ServerState,
  type SettingsLayer,
  type SettingsProblem,
  type SettingsScope,
  type StopReason,
} from './model/server.ts';
export type {
  Admission,
  AuditStore,
  ConnectContext,
  Connection,
  Connector,
  Consent,
  ConsentPrompt,
  ConsentStore,
  EraVerdict,
  EventChange,
  EventStore,
  FileNames,
  RealName,
  GrantStore,
  Ids,
  InputAnswer,
  Logs,
  ModelUse,
  OpenTransport,
  Ports,
  RemoteConnection,
  StartAnswer,
  StartGrants,
  StartQuestion,
  WeakeningAnswer,
  WeakeningQuestion,
  Annotation,
  StateBase,
  StateImport,
  StateLimits,
  StateRecord,
  StateStore,
  StateUpdate,
  StdioConnection,
  Storage,
  VariableSource,
  VerdictStore,
} from './ports.ts';
export { sniffEnvelope } from './rpc/envelopeSniff.ts';
export type { DecodeUtf8 } from './rpc/decodeUtf8.ts';
export { type LiftedMessage, LONG_MESSAGE, ValueLifter } from './rpc/valueLifter.ts';
export { MessageFramer } from './rpc/framing.ts';
export { LogLimiter } from './rpc/logLimiter.ts';
export { messageText } from './rpc/messages.ts';
export { createLinkedTransports, type MemoryTransport } from './rpc/memoryTransport.ts';
export { type SseEvent, type SseHandlers, SseParser } from './rpc/sse.ts';
export type { DroppedMessage, SendHints, Transport, TransportClosed, TransportDetails } from './rpc/transport.ts';
export { ChatElicitor } from './gateway/chatElicitor.ts';
export { ChatSampler } from './gateway/chatSampler.ts';
export { GatewayEndpoint } from './gateway/endpoint.ts';
export { GatewayClients } from './gateway/gatewayClients.ts';
export { type BodyOutline, errorMessage, outlineBody } from './gateway/gatewayMessages.ts';
export type { AnswerMode, GatewayHost, GatewaySession } from './gateway/gatewaySession.ts';
export { createHost, type HostOptions } from './host/host.ts';
export type {
  AuditLog,
  CallOptions,
  CompleteOptions,
  Approvals,
  EventInbox,
  FinishedAnswer,
  GivenAnswer,
  Host,
  InferenceOpening,
  Lineages,
  ModelRefusal,
  ModelUses,
  OpenInference,
  PlacedContext,
  ResourceReading,
  ResourceWatch,
  RollbackOptions,
  RollbackPlan,
  RollbackResult,
  ServerChange,
  ServerLog,
  StateTrouble,
  TurnRequest,
  TurnResult,
} from './hostTypes.ts';
export type {
  Elicitor,
  FormAnswer,
  FormQuestion,
  InputPorts,
  Sampler,
  SamplingOutcome,
  SamplingQuestion,
  SchemaChecker,
  SchemaVerdict,
  UrlAnswer,
  UrlQuestion,
} from './inputPorts.ts';
export type { Completion, CompletionReference, CompletionRequest } from './model/completion.ts';
export { cleanLine, cleanText, textForModels } from './base/cleanText.ts';
export { showHidden, withoutHidden } from './base/hiddenText.ts';
export { eventMessages } from './events/eventPrompt.ts';
export { collectArguments, parseArgument } from './form/collectArguments.ts';
export type { FieldValue, FormField, FormValues, ToolForm } from './form/fields.ts';
export { fillForm, initialValues } from './form/fillForm.ts';
export { schemaForm } from './form/schemaForm.ts';
export { canonicalResource, httpAddress, inwardRefusal, judgeAddress, webAddress } from './auth/address.ts';
export {
  type AuthorizationResponse,
  authorizationUrl,
  judgeResponse,
  type ResponseVerdict,
} from './auth/authorizationResponse.ts';
export { authChallenge, type AuthChallenge } from './auth/challenge.ts';
export { type ChallengePlan, type HeldToken, isHopeless, planChallenge } from './auth/challengePlan.ts';
export {
  chooseAuthMethod,
  chooseClient,
  decodeRegistration,
  type OAuthClient,
  type Registration,
  registrationRequest,
} from './auth/client.ts';
export { challengeFailure, oauthFailure, signInFailed, signInRequired } from './auth/failures.ts';
export type {
  AuthBrowser,
  AuthPrompt,
  ClientQuestion,
  EnteredClient,
  SecretStore,
  SignInQuestion,
} from './auth/authPorts.ts';
export {
  type DecodedMetadata,
  decodeResourceMetadata,
  isResourceMetadata,
  type ResourceMetadata,
  resourceMetadataUrls,
} from './auth/resourceMetadata.ts';
export { chooseScopes } from './auth/scopes.ts';
export { isSameIssuer, otherSpelling } from './auth/issuer.ts';
export {
  assumedMetadata,
  decodeServerMetadata,
  type MetadataDiscovery,
  isServerMetadata,
  type ServerMetadata,
  serverMetadataUrls,
  signInRefusal,
} from './auth/serverMetadata.ts';
export {
  type SignInAccount,
  readAccounts,
  readRegistration,
  readToken,
  SECRET_KEYS,
  writeStored,
} from './auth/storedRecords.ts';
export {
  decodeTokenReply,
  endOf,
  isExpired,
  proofProblem,
  refreshed,
  secretsOf,
  type TokenRecord,
  type TokenReply,
} from './auth/tokens.ts';
export { type ChatHookHost, ChatHooks } from './turns/chatHooks.ts';
export { denialText } from './scopes/denials.ts';
export { boundedRecord, StoredAudit } from './audit/auditLog.ts';
export { estimatedTokens, TokenCounter } from './turns/tokenCounter.ts';
export { dialectInitializeParams } from './session/dialectDetection.ts';
export { routingHeaders } from './wire/headers.ts';
export { parseUriTemplate } from './wire/uriTemplate.ts';
export { ProtocolTrace } from './trace/protocolTrace.ts';
export { ALL_MESSAGES, type TraceDirection, type TraceEntry, type TraceFilter } from './trace/traceEntry.ts';
export { TraceSelection } from './trace/traceSelection.ts';
export type { EntryKey, Weakening, WindowKey } from './model/settingRules.ts';
export { LIMIT_KEYS } from './consent/windowLimits.ts';
export type { EditorPolicy } from './model/serverPolicy.ts';
export { editorPolicy } from './consent/editorPolicy.ts';
