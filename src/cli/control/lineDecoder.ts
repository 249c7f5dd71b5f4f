import {
  type CompletionReference,
  decodeResult,
  DEFAULT_LIMITS,
  type HostLimits,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  MIN_LIMITS,
  LOG_LEVELS,
  messageOf,
  type ModelMessage,
  MAX_LIMITS,
  nestsDeeperThan,
  parseJson,
  PUSH_POLICIES,
} from '../../core/index.ts';
import { DEFINITION_ANSWERS } from './changedDefinitions.ts';
import { APPROVAL_ANSWERS } from './controlApprovals.ts';
import type { CommandId, CommandKind, ControlCommand, ControlError } from './controlCommands.ts';
import { decodeModel } from './driverModels.ts';
import { LINEAGE_DECODERS } from './lineageMembers.ts';
import {
  choice,
  count,
  flag,
  isId,
  Malformed,
  object,
  optionalCount,
  optionalFlag,
  optionalText,
  text,
  textList,
  texts,
} from './members.ts';

type DecodedLine =
  | { readonly kind: 'command'; readonly id: CommandId; readonly command: ControlCommand }
  | { readonly kind: 'invalid'; readonly id: CommandId | null; readonly error: ControlError };

/** Default and maximum number of list entries. The host never stores more events. */
const SHOWN = 100;
const MAX_EVENTS_COUNT = 10_000;
const MAX_ENTRIES = 5_000;

type Decoders = { readonly [K in CommandKind]: (line: JsonObject) => ControlCommand<K> };

/** The decoder of each command. */
const DECODERS: Decoders = {
  servers: () => ({ kind: 'servers' }),
  problems: () => ({ kind: 'problems' }),
  start: (line) => ({ kind: 'start', server: text(line, 'server') }),
  stop: (line) => ({ kind: 'stop', server: text(line, 'server') }),
  restart: (line) => ({ kind: 'restart', server: text(line, 'server') }),
  refresh: (line) => ({ kind: 'refresh', server: text(line, 'server') }),
  configure: (line) => {
    const { servers, workspaceServers, inputs } = line;
    const trusted = optionalFlag(line, 'trusted');
    return { kind: 'configure', servers, workspaceServers, inputs, trusted, limits: limitsIn(line) };
  },
  logLevel: (line) => ({
    kind: 'logLevel',
    server: text(line, 'server'),
    level: line['level'] === undefined ? undefined : choice(line, 'level', LOG_LEVELS),
  }),
  consents: () => ({ kind: 'consents' }),
  forget: (line) => ({ kind: 'forget', server: text(line, 'server') }),
  accounts: () => ({ kind: 'accounts' }),
  signOut: (line) => ({ kind: 'signOut', url: text(line, 'url') }),
  trace: (line) => ({
    kind: 'trace',
    server: text(line, 'server'),
    on: optionalFlag(line, 'on'),
    limit: limitIn(line, MAX_ENTRIES),
  }),

  tools: (line) => ({ kind: 'tools', server: optionalText(line, 'server') }),
  resources: (line) => ({ kind: 'resources', server: optionalText(line, 'server') }),
  templates: (line) => ({ kind: 'templates', server: optionalText(line, 'server') }),
  prompts: (line) => ({ kind: 'prompts', server: optionalText(line, 'server') }),
  call: (line) => ({
    kind: 'call',
    server: text(line, 'server'),
    tool: text(line, 'tool'),
    args: object(line, 'args') ?? {},
    conversationId: optionalText(line, 'conversationId'),
    meta: object(line, 'meta'),
  }),
  read: (line) => ({ kind: 'read', server: text(line, 'server'), uri: text(line, 'uri') }),
  prompt: (line) => ({
    kind: 'prompt',
    server: text(line, 'server'),
    name: text(line, 'name'),
    args: texts(line, 'args'),
  }),
  complete: (line) => ({
    kind: 'complete',
    server: text(line, 'server'),
    request: {
      reference: referenceIn(line),
      argument: { name: text(line, 'argument'), value: text(line, 'value') },
      settled: texts(line, 'settled'),
    },
  }),
  subscribe: (line) => ({ kind: 'subscribe', server: text(line, 'server'), uri: text(line, 'uri') }),
  unsubscribe: (line) => ({ kind: 'unsubscribe', server: text(line, 'server'), uri: text(line, 'uri') }),

  featureSets: (line) => ({ kind: 'featureSets', server: text(line, 'server') }),
  toggle: (line) => ({
    kind: 'toggle',
    server: text(line, 'server'),
    names: textList(line, 'names'),
    on: flag(line, 'on'),
  }),
  pushPolicy: (line) => ({
    kind: 'pushPolicy',
    server: text(line, 'server'),
    featureSet: text(line, 'featureSet'),
    policy: choice(line, 'policy', PUSH_POLICIES),
  }),
  allowEvents: (line) => ({
    kind: 'allowEvents',
    server: text(line, 'server'),
    featureSet: text(line, 'featureSet'),
    allowed: flag(line, 'allowed'),
  }),
  model: (line) => ({ kind: 'model', model: decodeModel(line) }),
  turn: (line) => ({ kind: 'turn', ...turnIn(line) }),
  events: (line) => ({ kind: 'events', limit: limitIn(line, MAX_EVENTS_COUNT) }),
  markRead: (line) => ({ kind: 'markRead', ids: textList(line, 'ids') }),
  clearEvents: (line) => ({ kind: 'clearEvents', server: optionalText(line, 'server') }),
  askModel: (line) => ({ kind: 'askModel', event: text(line, 'event') }),
  modelUse: (line) => ({ kind: 'modelUse', since: optionalCount(line, 'since') ?? 0 }),
  audit: (line) => ({
    kind: 'audit',
    limit: limitIn(line, MAX_ENTRIES),
    server: optionalText(line, 'server'),
    before: optionalCount(line, 'before'),
  }),

  approvals: (line) => ({ kind: 'approvals', limit: limitIn(line, MAX_ENTRIES) }),
  answerApproval: (line) => ({
    kind: 'answerApproval',
    approval: text(line, 'approval'),
    answer: choice(line, 'answer', APPROVAL_ANSWERS),
  }),
  answerDefinition: (line) => ({
    kind: 'answerDefinition',
    server: text(line, 'server'),
    tool: text(line, 'tool'),
    form: text(line, 'form'),
    answer: choice(line, 'answer', DEFINITION_ANSWERS),
  }),
  revokeApprovals: (line) => ({ kind: 'revokeApprovals', ids: textList(line, 'ids') }),
  setApprovalExpiry: (line) => ({
    kind: 'setApprovalExpiry',
    ids: textList(line, 'ids'),
    // Required, so that a forgotten member does not make an approval permanent.
    until: line['until'] === null ? undefined : count(line, 'until'),
  }),

  ...LINEAGE_DECODERS,

  cancel: ({ call }) => {
    if (!isId(call)) throw new Malformed('"call" must be the id of a call.');
    return { kind: 'cancel', call };
  },
  answer: (line) => ({ kind: 'answer', question: text(line, 'question'), answer: line['answer'] ?? null }),
  shutdown: () => ({ kind: 'shutdown' }),
};

/** Decodes one line of the driver. Never throws. */
export function decodeLine(line: string): DecodedLine {
  let id: CommandId | null = null;
  try {
    if (nestsDeeperThan(line)) throw new Malformed('The line nests too deeply.');
    const value = parseJson(line);
    if (!isJsonObject(value)) throw new Malformed('A command must be a JSON object.');
    if (!isId(value['id'])) throw new Malformed('A command needs an "id": a text or a number.');
    id = value['id'];
    return { kind: 'command', id, command: decodeCommand(value) };
  } catch (error) {
    const suggestion = `Write one JSON object a line, such as {"id": 1, "command": "servers"}. Commands: ${Object.keys(DECODERS).join(', ')}.`;
    return { kind: 'invalid', id, error: { code: 'INVALID_COMMAND', message: messageOf(error), suggestion } };
  }
}

function decodeCommand(line: JsonObject): ControlCommand {
  const name = line['command'];
  if (typeof name !== 'string') throw new Malformed('"command" must be a text.');
  const decoder = Object.entries(DECODERS).find(([kind]) => kind === name)?.[1];
  if (decoder === undefined) throw new Malformed(`There is no command "${name}".`);
  return decoder(line);
}

function limitIn(line: JsonObject, most: number): number {
  return optionalCount(line, 'limit', { most }) ?? SHOWN;
}

function referenceIn(line: JsonObject): CompletionReference {
  const { prompt, template } = line;
  if (typeof prompt === 'string' && template === undefined) return { kind: 'prompt', name: prompt };
  if (typeof template === 'string' && prompt === undefined) return { kind: 'template', uriTemplate: template };
  throw new Malformed('Either "prompt" or "template" must be a text: what the argument belongs to.');
}

interface TurnMembers {
  readonly conversationId: string;
  readonly turnIndex: number;
  readonly message: string | null;
  readonly history: readonly ModelMessage[];
}

function turnIn(line: JsonObject): TurnMembers {
  const message = line['message'] === null ? null : text(line, 'message');
  const history = historyIn(line);
  if (message === null && history.length === 0) throw new Malformed('A turn needs a "message" or a "history".');
  return {
    conversationId: optionalText(line, 'conversationId') ?? 'driver',
    turnIndex: optionalCount(line, 'turnIndex') ?? 0,
    message,
    history,
  };
}

/** Earlier messages of a conversation: `{"role": "user", "content": …}` each, with a text or MCP blocks. */
function historyIn({ history }: JsonObject): readonly ModelMessage[] {
  if (history === undefined) return [];
  if (!isJsonArray(history)) throw new Malformed('"history" must be a list of messages.');
  return history.map(modelMessage);
}

function modelMessage(value: Json): ModelMessage {
  if (!isJsonObject(value)) throw new Malformed('"history" must be a list of messages.');
  const { role, content } = value;
  if (role !== 'user' && role !== 'assistant') throw new Malformed('"role" must be "user" or "assistant".');
  if (typeof content !== 'string' && !isJsonArray(content) && !isJsonObject(content))
    throw new Malformed('"content" must be a text, a content block or a list of them.');
  return { role, content: decodeResult({ content }).blocks };
}

/** Complete limits. Omitted members get their default. */
function limitsIn(line: JsonObject): HostLimits | undefined {
  const given = object(line, 'limits');
  if (given === undefined) return undefined;
  const count = (name: keyof typeof MAX_LIMITS): number =>
    optionalCount(given, name, { least: MIN_LIMITS[name], most: MAX_LIMITS[name] }) ?? DEFAULT_LIMITS[name];
  return {
    pushPerMinute: count('pushPerMinute'),
    maxEvents: count('maxEvents'),
    auditDays: count('auditDays'),
    model: optionalText(given, 'model') ?? DEFAULT_LIMITS.model,
    approvalSeconds: count('approvalSeconds'),
    asksInChat: optionalFlag(given, 'asksInChat') ?? DEFAULT_LIMITS.asksInChat,
    maxCheckpoints: count('maxCheckpoints'),
    stateDays: count('stateDays'),
    stateMegabytes: count('stateMegabytes'),
  };
}
