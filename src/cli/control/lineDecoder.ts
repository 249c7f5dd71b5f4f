import {
  type CompletionReference,
  decodeResult,
  DEFAULT_LIMITS,
  type HostLimits,
  isJsonArray,
  isJsonObject,
  type Json,
  MIN_LIMITS,
  LOG_LEVELS,
  Malformed,
  MemberReader,
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

type DecodedLine =
  | { readonly kind: 'command'; readonly id: CommandId; readonly command: ControlCommand }
  | { readonly kind: 'invalid'; readonly id: CommandId | null; readonly error: ControlError };

/** Default and maximum number of list entries. The host never stores more events. */
const SHOWN = 100;
const MAX_EVENTS_COUNT = 10_000;
const MAX_ENTRIES = 5_000;

type Decoders = { readonly [K in CommandKind]: (line: MemberReader) => ControlCommand<K> };

/** The decoder of each command. */
const DECODERS: Decoders = {
  servers: () => ({ kind: 'servers' }),
  problems: () => ({ kind: 'problems' }),
  start: (line) => ({ kind: 'start', server: line.text('server') }),
  stop: (line) => ({ kind: 'stop', server: line.text('server') }),
  restart: (line) => ({ kind: 'restart', server: line.text('server') }),
  refresh: (line) => ({ kind: 'refresh', server: line.text('server') }),
  configure: (line) => ({
    kind: 'configure',
    servers: line.json('servers'),
    workspaceServers: line.json('workspaceServers'),
    inputs: line.json('inputs'),
    trusted: line.optionalFlag('trusted'),
    limits: limitsIn(line),
  }),
  logLevel: (line) => ({
    kind: 'logLevel',
    server: line.text('server'),
    level: line.has('level') ? line.choice('level', LOG_LEVELS) : undefined,
  }),
  consents: () => ({ kind: 'consents' }),
  forget: (line) => ({ kind: 'forget', server: line.text('server') }),
  accounts: () => ({ kind: 'accounts' }),
  signOut: (line) => ({ kind: 'signOut', url: line.text('url') }),
  trace: (line) => ({
    kind: 'trace',
    server: line.text('server'),
    on: line.optionalFlag('on'),
    limit: limitIn(line, MAX_ENTRIES),
  }),

  tools: (line) => ({ kind: 'tools', server: line.optionalText('server') }),
  resources: (line) => ({ kind: 'resources', server: line.optionalText('server') }),
  templates: (line) => ({ kind: 'templates', server: line.optionalText('server') }),
  prompts: (line) => ({ kind: 'prompts', server: line.optionalText('server') }),
  call: (line) => ({
    kind: 'call',
    server: line.text('server'),
    tool: line.text('tool'),
    args: line.object('args') ?? {},
    conversationId: line.optionalText('conversationId'),
    meta: line.object('meta'),
  }),
  read: (line) => ({ kind: 'read', server: line.text('server'), uri: line.text('uri') }),
  prompt: (line) => ({
    kind: 'prompt',
    server: line.text('server'),
    name: line.text('name'),
    args: line.textMembers('args'),
  }),
  complete: (line) => ({
    kind: 'complete',
    server: line.text('server'),
    request: {
      reference: referenceIn(line),
      argument: { name: line.text('argument'), value: line.text('value') },
      settled: line.textMembers('settled'),
    },
  }),
  subscribe: (line) => ({ kind: 'subscribe', server: line.text('server'), uri: line.text('uri') }),
  unsubscribe: (line) => ({ kind: 'unsubscribe', server: line.text('server'), uri: line.text('uri') }),

  featureSets: (line) => ({ kind: 'featureSets', server: line.text('server') }),
  toggle: (line) => ({
    kind: 'toggle',
    server: line.text('server'),
    names: line.textList('names'),
    on: line.flag('on'),
  }),
  pushPolicy: (line) => ({
    kind: 'pushPolicy',
    server: line.text('server'),
    featureSet: line.text('featureSet'),
    policy: line.choice('policy', PUSH_POLICIES),
  }),
  allowEvents: (line) => ({
    kind: 'allowEvents',
    server: line.text('server'),
    featureSet: line.text('featureSet'),
    allowed: line.flag('allowed'),
  }),
  model: (line) => ({ kind: 'model', model: decodeModel(line) }),
  turn: (line) => ({ kind: 'turn', ...turnIn(line) }),
  events: (line) => ({ kind: 'events', limit: limitIn(line, MAX_EVENTS_COUNT) }),
  markRead: (line) => ({ kind: 'markRead', ids: line.textList('ids') }),
  clearEvents: (line) => ({ kind: 'clearEvents', server: line.optionalText('server') }),
  askModel: (line) => ({ kind: 'askModel', event: line.text('event') }),
  modelUse: (line) => ({ kind: 'modelUse', since: line.optionalCount('since') ?? 0 }),
  audit: (line) => ({
    kind: 'audit',
    limit: limitIn(line, MAX_ENTRIES),
    server: line.optionalText('server'),
    before: line.optionalCount('before'),
  }),

  approvals: (line) => ({ kind: 'approvals', limit: limitIn(line, MAX_ENTRIES) }),
  answerApproval: (line) => ({
    kind: 'answerApproval',
    approval: line.text('approval'),
    answer: line.choice('answer', APPROVAL_ANSWERS),
  }),
  answerDefinition: (line) => ({
    kind: 'answerDefinition',
    server: line.text('server'),
    tool: line.text('tool'),
    form: line.text('form'),
    answer: line.choice('answer', DEFINITION_ANSWERS),
  }),
  revokeApprovals: (line) => ({ kind: 'revokeApprovals', ids: line.textList('ids') }),
  setApprovalExpiry: (line) => ({
    kind: 'setApprovalExpiry',
    ids: line.textList('ids'),
    // Required, so that a forgotten member does not make an approval permanent.
    until: line.json('until') === null ? undefined : line.count('until'),
  }),

  ...LINEAGE_DECODERS,

  cancel: (line) => {
    const call = line.json('call');
    if (!isId(call)) throw new Malformed('"call" must be the id of a call.');
    return { kind: 'cancel', call };
  },
  answer: (line) => ({ kind: 'answer', question: line.text('question'), answer: line.json('answer') ?? null }),
  shutdown: () => ({ kind: 'shutdown' }),
};

function isId(value: Json | undefined): value is CommandId {
  return typeof value === 'string' || typeof value === 'number';
}

/** Decodes one line of the driver. Never throws. */
export function decodeLine(line: string): DecodedLine {
  let id: CommandId | null = null;
  try {
    if (nestsDeeperThan(line)) throw new Malformed('The line nests too deeply.');
    const value = parseJson(line);
    if (!isJsonObject(value)) throw new Malformed('A command must be a JSON object.');
    if (!isId(value['id'])) throw new Malformed('A command needs an "id": a text or a number.');
    id = value['id'];
    return { kind: 'command', id, command: decodeCommand(new MemberReader(value)) };
  } catch (error) {
    const suggestion = `Write one JSON object a line, such as {"id": 1, "command": "servers"}. Commands: ${Object.keys(DECODERS).join(', ')}.`;
    return { kind: 'invalid', id, error: { code: 'INVALID_COMMAND', message: messageOf(error), suggestion } };
  }
}

function decodeCommand(line: MemberReader): ControlCommand {
  const name = line.text('command');
  const decoder = Object.entries(DECODERS).find(([kind]) => kind === name)?.[1];
  if (decoder === undefined) throw new Malformed(`There is no command "${name}".`);
  return decoder(line);
}

function limitIn(line: MemberReader, most: number): number {
  return line.optionalCount('limit', { most }) ?? SHOWN;
}

function referenceIn(line: MemberReader): CompletionReference {
  const [prompt, template] = [line.json('prompt'), line.json('template')];
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

function turnIn(line: MemberReader): TurnMembers {
  const message = line.json('message') === null ? null : line.text('message');
  const history = historyIn(line.json('history'));
  if (message === null && history.length === 0) throw new Malformed('A turn needs a "message" or a "history".');
  return {
    conversationId: line.optionalText('conversationId') ?? 'driver',
    turnIndex: line.optionalCount('turnIndex') ?? 0,
    message,
    history,
  };
}

/** Earlier messages of a conversation: `{"role": "user", "content": …}` each, with a text or MCP blocks. */
function historyIn(history: Json | undefined): readonly ModelMessage[] {
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
function limitsIn(line: MemberReader): HostLimits | undefined {
  const given = line.members('limits');
  if (given === undefined) return undefined;
  const count = (name: keyof typeof MAX_LIMITS): number =>
    given.optionalCount(name, { least: MIN_LIMITS[name], most: MAX_LIMITS[name] }) ?? DEFAULT_LIMITS[name];
  return {
    pushPerMinute: count('pushPerMinute'),
    maxEvents: count('maxEvents'),
    auditDays: count('auditDays'),
    model: given.optionalText('model') ?? DEFAULT_LIMITS.model,
    approvalSeconds: count('approvalSeconds'),
    asksInChat: given.optionalFlag('asksInChat') ?? DEFAULT_LIMITS.asksInChat,
    maxCheckpoints: count('maxCheckpoints'),
    stateDays: count('stateDays'),
    stateMegabytes: count('stateMegabytes'),
  };
}
