import { isJsonObject, type Json, type JsonObject, messageOf, nestsDeeperThan, parseJson } from '../../core/index.ts';

/** How a driver names a command, to find its answer. */
export type CommandId = string | number;

export type ControlCommand =
  | { readonly kind: 'servers' | 'problems' | 'consents' | 'shutdown' }
  | { readonly kind: 'tools'; readonly server: string | undefined }
  | { readonly kind: 'start' | 'stop' | 'restart' | 'forget'; readonly server: string }
  | {
      readonly kind: 'configure';
      readonly servers: Json | undefined;
      readonly workspaceServers: Json | undefined;
      readonly inputs: Json | undefined;
      readonly trusted: boolean | undefined;
    }
  | {
      readonly kind: 'call';
      readonly server: string;
      readonly tool: string;
      readonly args: JsonObject;
      readonly conversationId: string | undefined;
      readonly meta: JsonObject | undefined;
    }
  | { readonly kind: 'cancel'; readonly call: CommandId }
  | { readonly kind: 'answer'; readonly question: string; readonly answer: Json };

export interface ControlError {
  readonly code: string;
  readonly message: string;
  readonly suggestion: string | undefined;
}

export type DecodedLine =
  | { readonly kind: 'command'; readonly id: CommandId; readonly command: ControlCommand }
  | { readonly kind: 'invalid'; readonly id: CommandId | null; readonly error: ControlError };

class Malformed extends Error {}

type Decoder = (line: JsonObject) => ControlCommand;

const DECODERS: Readonly<Record<ControlCommand['kind'], Decoder>> = {
  servers: () => ({ kind: 'servers' }),
  problems: () => ({ kind: 'problems' }),
  consents: () => ({ kind: 'consents' }),
  shutdown: () => ({ kind: 'shutdown' }),
  tools: (line) => ({ kind: 'tools', server: line['server'] === undefined ? undefined : text(line, 'server') }),
  start: (line) => ({ kind: 'start', server: text(line, 'server') }),
  stop: (line) => ({ kind: 'stop', server: text(line, 'server') }),
  restart: (line) => ({ kind: 'restart', server: text(line, 'server') }),
  forget: (line) => ({ kind: 'forget', server: text(line, 'server') }),
  configure: ({ servers, workspaceServers, inputs, trusted }) => {
    if (trusted !== undefined && typeof trusted !== 'boolean') throw new Malformed('"trusted" must be true or false.');
    return { kind: 'configure', servers, workspaceServers, inputs, trusted };
  },
  call: (line) => ({
    kind: 'call',
    server: text(line, 'server'),
    tool: text(line, 'tool'),
    args: object(line, 'args') ?? {},
    conversationId: line['conversationId'] === undefined ? undefined : text(line, 'conversationId'),
    meta: object(line, 'meta'),
  }),
  cancel: ({ call }) => {
    if (!isId(call)) throw new Malformed('"call" must be the id of a call.');
    return { kind: 'cancel', call };
  },
  answer: (line) => ({ kind: 'answer', question: text(line, 'question'), answer: line['answer'] ?? null }),
};

/** Decodes one line of a driver. Nothing that it can write ends the host. */
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
  const name = text(line, 'command');
  const decoder = Object.entries(DECODERS).find(([kind]) => kind === name)?.[1];
  if (decoder === undefined) throw new Malformed(`There is no command "${name}".`);
  return decoder(line);
}

function isId(value: Json | undefined): value is CommandId {
  return typeof value === 'string' || typeof value === 'number';
}

function text(line: JsonObject, name: string): string {
  const value = line[name];
  if (typeof value !== 'string') throw new Malformed(`"${name}" must be a text.`);
  return value;
}

function object(line: JsonObject, name: string): JsonObject | undefined {
  const value = line[name];
  if (value !== undefined && !isJsonObject(value)) throw new Malformed(`"${name}" must be an object.`);
  return value;
}
