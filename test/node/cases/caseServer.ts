import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../../src/core/index.ts';
import { type ErrorAnswer, failWith, NO_ANSWER } from '../../support/scriptedServer.ts';
import { waitUntil } from '../../support/processes.ts';

export const CASE_SERVER = join(import.meta.dirname, '..', 'fixtures', 'caseServer.mjs');

export interface Asked {
  readonly params: JsonObject;
  readonly id: string | number;
  /** The process that was asked. */
  readonly life: CaseLife;
}

type Answered = Json | ErrorAnswer | typeof NO_ANSWER;
/** Answers requests of one method. `NO_ANSWER` leaves one unanswered. */
export type Responder = (asked: Asked) => Answered | Promise<Answered>;
export type Answers = Readonly<Record<string, Responder>>;

export interface CaseRevision {
  readonly version: string;
  readonly capabilities: JsonObject;
}

export function initializeAnswer({ version, capabilities }: CaseRevision): JsonObject {
  return { protocolVersion: version, capabilities, serverInfo: { name: 'case', version: '1.0.0' } };
}

/** Answers `initialize` and `tools/list` like any server. The case must answer everything else. */
export function usualAnswers(revision: CaseRevision): Answers {
  return { initialize: () => initializeAnswer(revision), 'tools/list': () => ({ tools: [] }) };
}

/** The server's answer to a message of the host, as an envelope. Nothing if it does not answer. */
export async function answerOf(answers: Answers, life: CaseLife, message: JsonObject): Promise<JsonObject | undefined> {
  const { id, method, params } = message;
  if (typeof method !== 'string' || (typeof id !== 'number' && typeof id !== 'string')) return undefined;
  const asked = { params: isJsonObject(params) ? params : {}, id, life };
  const answer = (await answers[method]?.(asked)) ?? failWith(-32601, `There is no ${method}.`);
  if (answer === NO_ANSWER) return undefined;
  const given = answer as Json;
  if (isJsonObject(given) && isJsonObject(given['error'])) return { jsonrpc: '2.0', id, error: given['error'] };
  return { jsonrpc: '2.0', id, result: given };
}

/** A message in one line: `> 1 tools/call {…}` came from the host, `< 1 {…}` is the server's answer. */
export function lineOf(direction: '>' | '<', { id, method, params, result, error }: JsonObject): string {
  const what = [method, params ?? result].filter((part) => part !== undefined);
  const words = what.map((part) => (typeof part === 'string' ? part : JSON.stringify(part)));
  const name = id === undefined ? [] : [typeof id === 'string' ? JSON.stringify(id) : String(id)];
  return [direction, ...name, ...words, ...(error === undefined ? [] : [`error ${JSON.stringify(error)}`])].join(' ');
}

/** Executes the commands of `caseServer.mjs`, a line of JSON each. */
export interface Hands {
  write(command: string): unknown;
}

/** One process of the scripted server, with its received messages and its `Hands`. */
export class CaseLife {
  readonly pid: number;
  /** All data on its pipes, in order: messages by `lineOf`, raw bytes by their number, and `* event` for the rest. */
  readonly transcript: string[] = [];
  /** Received texts with their times. */
  readonly heard: { readonly at: number; readonly text: string; readonly message: JsonObject }[] = [];
  readonly events: { readonly at: number; readonly event: string }[] = [];
  isGone = false;
  readonly #hands: Hands;
  readonly #doing = new Map<number, (value: Json | undefined) => void>();
  #commands = 0;
  #pings = 0;
  readonly #pongs = new Set<string>();

  constructor(pid: number, hands: Hands) {
    this.pid = pid;
    this.#hands = hands;
  }

  get text(): string {
    return this.transcript.join('\n');
  }

  /** Every message from the host. */
  get hostLines(): readonly string[] {
    return this.transcript.filter((line) => line.startsWith('>'));
  }

  /** The params of messages with this method, oldest first. */
  sent(method: string): readonly JsonObject[] {
    return this.heard.map(({ message }) => message).filter((message) => message['method'] === method);
  }

  /** Waits for a message of this method, by default the first one. */
  async until(method: string, nth = 1): Promise<JsonObject> {
    await waitUntil(`${method} (${nth}); heard:\n${this.text}`, () => this.sent(method).length >= nth);
    const message = this.sent(method)[nth - 1];
    assert.ok(message !== undefined);
    return message;
  }

  /** Waits for the host's answer to a request of the server. */
  async answer(id: string | number): Promise<JsonObject> {
    const find = (): JsonObject | undefined =>
      this.heard.map(({ message }) => message).find((message) => message['id'] === id && !('method' in message));
    await waitUntil(`an answer to ${id}; heard:\n${this.text}`, () => find() !== undefined);
    return find() ?? {};
  }

  /** One message, as a line, or several in one write. */
  async say(...messages: readonly JsonObject[]): Promise<void> {
    for (const message of messages) this.transcript.push(lineOf('<', message));
    await this.#do('write', { to: 'stdout', pieces: [base64(messages.map(asLine).join(''))] });
  }

  notify(method: string, params?: JsonObject): Promise<void> {
    return this.say(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params });
  }

  request(id: string | number, method: string, params: JsonObject = {}): Promise<void> {
    return this.say({ jsonrpc: '2.0', id, method, params });
  }

  /** Writes each piece separately. */
  async raw(...pieces: readonly (string | Uint8Array)[]): Promise<void> {
    this.transcript.push(`< ${pieces.map((piece) => Buffer.byteLength(piece)).join(' + ')} bytes`);
    await this.#do('write', { to: 'stdout', pieces: pieces.map(base64) });
  }

  /** Writes many `x` between a head and a tail. */
  async fill(bytes: number, { to = 'stdout', head = '', tail = '' } = {}): Promise<void> {
    await this.#do('fill', { to, bytes, head, tail });
  }

  async stderr(text: string): Promise<void> {
    await this.#do('write', { to: 'stderr', pieces: [base64(text)] });
  }

  /** Starts a child process that only ends by force. */
  async grandchild(detached = false): Promise<number> {
    const pid = await this.#do('grandchild', { detached });
    assert.ok(typeof pid === 'number');
    return pid;
  }

  /**
   * Resolves when all earlier messages of the host have arrived: the host answers a ping, which no transcript shows.
   */
  async caughtUp(): Promise<void> {
    const id = `caught up ${++this.#pings}`;
    const ping = { jsonrpc: '2.0', id, method: 'ping' };
    await this.#do('write', { to: 'stdout', pieces: [base64(asLine(ping))] });
    await waitUntil('the answer to a ping', () => this.#pongs.has(id));
  }

  exit(code: number): void {
    void this.#do('exit', { code });
  }

  kill(signal: string): void {
    void this.#do('kill', { signal });
  }

  /** Handles a message of the process over the socket. */
  take(message: JsonObject): JsonObject | undefined {
    const { line, event, done, at, value } = message;
    if (typeof done === 'number') this.#doing.get(done)?.(value);
    if (typeof event === 'string') {
      this.transcript.push(`* ${event}`);
      this.events.push({ at: Number(at), event });
    }
    if (typeof line !== 'string') return undefined;
    const parsed = parseJson(line);
    if (!isJsonObject(parsed)) {
      this.transcript.push(`> not a message: ${line}`);
      return undefined;
    }
    const { id } = parsed;
    if (typeof id === 'string' && id.startsWith('caught up')) {
      this.#pongs.add(id);
      return undefined;
    }
    this.heard.push({ at: Number(at), text: line, message: parsed });
    this.transcript.push(lineOf('>', parsed));
    return parsed;
  }

  ended(): void {
    this.isGone = true;
    for (const settle of this.#doing.values()) settle(undefined);
  }

  #do(name: string, given: JsonObject): Promise<Json | undefined> {
    const id = ++this.#commands;
    if (this.isGone) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#doing.set(id, resolve);
      this.#hands.write(`${JSON.stringify({ do: name, id, ...given })}\n`);
    });
  }
}

/** All processes of one scripted server: the host may restart it, or probe another one first. */
export class CaseServer {
  readonly lives: CaseLife[] = [];
  readonly answers: Record<string, Responder>;
  readonly #listener: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(listener: Server, answers: Answers) {
    this.#listener = listener;
    this.answers = { ...answers };
  }

  static async listen(answers: Answers): Promise<CaseServer> {
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const server = new CaseServer(listener, answers);
    listener.on('connection', (socket) => server.#serve(socket));
    return server;
  }

  get port(): number {
    const address = this.#listener.address();
    assert.ok(typeof address === 'object' && address !== null);
    return address.port;
  }

  /** The newest process. */
  get life(): CaseLife {
    const life = this.lives.at(-1);
    assert.ok(life !== undefined, 'The server was never started.');
    return life;
  }

  /** Waits for the nth process. */
  async started(nth = 1): Promise<CaseLife> {
    await waitUntil(`the start of process ${nth}`, () => this.lives.length >= nth, 20_000);
    const life = this.lives[nth - 1];
    assert.ok(life !== undefined);
    return life;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#listener.close(resolve));
  }

  #serve(socket: Socket): void {
    socket.setNoDelay(true);
    this.#sockets.add(socket);
    let life: CaseLife | undefined;
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      life?.ended();
    });
    let open = '';
    socket.setEncoding('utf8');
    // Not `readline`, which also splits at U+2028, a valid character in JSON.
    socket.on('data', (text: string) => {
      const lines = (open + text).split('\n');
      open = lines.pop() ?? '';
      for (const line of lines) {
        const told = parseJson(line);
        assert.ok(isJsonObject(told));
        if (typeof told['pid'] === 'number') this.lives.push((life = new CaseLife(told['pid'], socket)));
        else if (life !== undefined) void this.#hear(life, told);
      }
    });
  }

  async #hear(life: CaseLife, told: JsonObject): Promise<void> {
    const message = life.take(told);
    if (message === undefined) return;
    const answer = await answerOf(this.answers, life, message);
    if (answer !== undefined) await life.say(answer);
  }
}

function base64(text: string | Uint8Array): string {
  return Buffer.from(text).toString('base64');
}

function asLine(message: JsonObject): string {
  return `${JSON.stringify(message)}\n`;
}
