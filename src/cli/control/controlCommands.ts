import type {
  Annotation,
  ApprovalChoice,
  CompletionRequest,
  DefinitionAnswer,
  Host,
  HostLimits,
  Json,
  JsonObject,
  LineageKey,
  LineageQuery,
  LogLevelName,
  ModelFacts,
  ModelMessage,
  PushPolicy,
  ServerSnapshot,
} from '../../core/index.ts';

interface CheckpointReference {
  readonly place: number;
}

/** The conversation. Absent for the head of all conversations without their own. */
interface InConversation {
  readonly conversation: string | undefined;
}

/** A checkpoint by its place, or by its display name. */
export type CheckpointAddress =
  | { readonly kind: 'place'; readonly place: number }
  | { readonly kind: 'name'; readonly key: LineageKey; readonly name: string };

interface OfCheckpoint {
  readonly target: CheckpointAddress;
}

/** The params of each command about states. */
export interface LineageCommands {
  readonly lineages: object;
  readonly watchLineages: { readonly on: boolean };
  readonly checkpoints: { readonly query: LineageQuery };
  readonly checkpoint: CheckpointReference;
  readonly state: CheckpointReference & { readonly form: 'compact' | 'pretty' };
  readonly planRollback: OfCheckpoint;
  readonly rollback: OfCheckpoint & InConversation;
  readonly continueFrom: OfCheckpoint & InConversation;
  readonly annotate: CheckpointReference & { readonly change: Annotation };
  readonly exportLineage: { readonly key: LineageKey; readonly file: string };
  readonly importLineage: { readonly key: LineageKey; readonly file: string };
  readonly forgetLineage: { readonly key: LineageKey };
}

/** The driver's id of a command, repeated in its answer. */
export type CommandId = string | number;

/** The driver's model: a fixed reply, or a question to the driver for each request. */
export interface DriverModel {
  readonly facts: ModelFacts;
  readonly reply: string | undefined;
}

interface OfServer {
  readonly server: string;
}

/** One server, or all. */
interface OfServers {
  readonly server: string | undefined;
}

/** The params of each command. */
interface Commands extends LineageCommands {
  readonly servers: object;
  readonly problems: object;
  readonly start: OfServer;
  readonly stop: OfServer;
  readonly restart: OfServer;
  readonly refresh: OfServer;
  readonly configure: {
    readonly servers: Json | undefined;
    readonly workspaceServers: Json | undefined;
    readonly inputs: Json | undefined;
    readonly trusted: boolean | undefined;
    readonly limits: HostLimits | undefined;
  };
  readonly logLevel: OfServer & { readonly level: LogLevelName | undefined };
  readonly consents: object;
  readonly forget: OfServer;
  readonly accounts: object;
  readonly signOut: { readonly url: string };
  readonly trace: OfServer & { readonly on: boolean | undefined; readonly limit: number };

  readonly tools: OfServers;
  readonly resources: OfServers;
  readonly templates: OfServers;
  readonly prompts: OfServers;
  readonly call: OfServer & {
    readonly tool: string;
    readonly args: JsonObject;
    readonly conversationId: string | undefined;
    readonly meta: JsonObject | undefined;
  };
  readonly read: OfServer & { readonly uri: string };
  readonly prompt: OfServer & { readonly name: string; readonly args: Readonly<Record<string, string>> };
  readonly complete: OfServer & { readonly request: CompletionRequest };
  readonly subscribe: OfServer & { readonly uri: string };
  readonly unsubscribe: OfServer & { readonly uri: string };

  readonly featureSets: OfServer;
  readonly toggle: OfServer & { readonly names: readonly string[]; readonly on: boolean };
  readonly pushPolicy: OfServer & { readonly featureSet: string; readonly policy: PushPolicy };
  readonly allowEvents: OfServer & { readonly featureSet: string; readonly allowed: boolean };
  readonly model: { readonly model: DriverModel | undefined };
  readonly turn: {
    readonly conversationId: string;
    readonly turnIndex: number;
    readonly message: string | null;
    readonly history: readonly ModelMessage[];
  };
  readonly events: { readonly limit: number };
  readonly markRead: { readonly ids: readonly string[] };
  readonly clearEvents: OfServers;
  readonly askModel: { readonly event: string };
  /** Start of the period, in milliseconds since 1970. */
  readonly modelUse: { readonly since: number };
  readonly audit: OfServers & { readonly limit: number; readonly before: number | undefined };

  readonly approvals: { readonly limit: number };
  readonly answerApproval: { readonly approval: string; readonly answer: ApprovalChoice | 'dismiss' };
  readonly revokeApprovals: { readonly ids: readonly string[] };
  readonly answerDefinition: OfServer & {
    readonly tool: string;
    readonly form: string;
    readonly answer: DefinitionAnswer;
  };
  readonly setApprovalExpiry: { readonly ids: readonly string[]; readonly until: number | undefined };

  readonly cancel: { readonly call: CommandId };
  readonly answer: { readonly question: string; readonly answer: Json };
  readonly shutdown: object;
}

export type CommandKind = keyof Commands;

/** One command, or any of several. */
export type ControlCommand<K extends CommandKind = CommandKind> = {
  readonly [P in K]: { readonly kind: P } & Commands[P];
}[K];

/** The handler of each command. */
export type Handlers<K extends CommandKind = CommandKind> = {
  readonly [P in K]: (command: ControlCommand<P>, id: CommandId) => Json | Promise<Json>;
};

export interface ControlError {
  readonly code: string;
  readonly message: string;
  readonly suggestion: string | undefined;
}

/** A command that is invalid at this time. */
export class Refused extends Error {
  readonly view: ControlError;

  constructor(code: string, message: string, suggestion: string) {
    super(message);
    this.view = { code, message, suggestion };
  }
}

export function knownServer(host: Host, id: string): ServerSnapshot {
  const server = host.server(id);
  if (server !== undefined) return server;
  throw new Refused('UNKNOWN_SERVER', `There is no server "${id}".`, 'List them with "servers".');
}
