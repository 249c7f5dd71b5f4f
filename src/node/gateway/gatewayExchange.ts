import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type AnswerMode,
  type BodyOutline,
  type Clock,
  type Disposable,
  errorMessage,
  type GatewayEndpoint,
  type GatewaySession,
  isDeeperThan,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  mapTexts,
  outlineBody,
  type Redact,
  RPC,
  sniffEnvelope,
  toDisposable,
} from '../../core/index.ts';
import { readJson } from '../http/httpBody.ts';
import type { GatewayLimits } from './gatewayLimits.ts';

/**
 * Serializes a message or a batch for a client, without secrets. Most messages have none, which one search of the text
 * shows. Only strings are changed, never numbers or the id, because digits may look like a secret.
 */
export function cleanJson(message: Json, redact: Redact): string {
  const text = JSON.stringify(message);
  return redact(text) === text ? text : JSON.stringify(cleanMessage(message, redact));
}

function cleanMessage(message: Json, redact: Redact): Json {
  if (isJsonArray(message)) return message.map((each) => cleanMessage(each, redact));
  const clean = mapTexts(message, redact);
  if (!isJsonObject(message) || !isJsonObject(clean) || message['id'] === undefined) return clean;
  return { ...clean, id: message['id'] };
}

/** Calls all listeners from one timer, because waking up costs more than their work. */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #beats = new Set<() => void>();
  #timer: Disposable | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** The first call may come early. */
  add(beat: () => void): Disposable {
    this.#beats.add(beat);
    this.#timer ??= this.#arm();
    return toDisposable(() => {
      this.#beats.delete(beat);
      if (this.#beats.size > 0) return;
      this.#timer?.dispose();
      this.#timer = undefined;
    });
  }

  #arm(): Disposable {
    return this.#clock.delay(this.#ms, () => {
      this.#timer = undefined;
      for (const beat of [...this.#beats]) beat();
      if (this.#beats.size > 0) this.#timer ??= this.#arm();
    });
  }
}

interface SseStreamOptions {
  /** Sends keep-alive messages, because clients close streams that are silent for minutes. */
  readonly heartbeat: Heartbeat;
  /** Maximum bytes waiting for a slow client. */
  readonly backlogBytes: number;
  /** Removes secrets from a message's text. */
  readonly redact: Redact;
}

/**
 * Server-sent events to one client. Closed if the client reads nothing for a keep-alive period, or falls too far
 * behind, because unsent data stays in memory.
 */
class SseStream {
  readonly #response: ServerResponse;
  readonly #backlogBytes: number;
  readonly #redact: Redact;
  readonly #beats: Disposable;
  #written = 0;
  #taken = 0;
  /** The value at the last beat. */
  #takenBefore: number | undefined;
  #ended = false;

  constructor(
    response: ServerResponse,
    { heartbeat, backlogBytes, redact }: SseStreamOptions,
    onClose: () => void = () => undefined,
  ) {
    this.#response = response;
    this.#backlogBytes = backlogBytes;
    this.#redact = redact;
    response.on('error', () => undefined);
    response.once('close', () => {
      this.#ended = true;
      this.#beats.dispose();
      onClose();
    });
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
    });
    // At once, because clients time out on headers.
    response.flushHeaders();
    this.#beats = heartbeat.add(() => this.#beat());
  }

  send(message: JsonObject): void {
    if (this.#ended) return;
    if (this.#response.writableLength > this.#backlogBytes) {
      this.#response.destroy();
      return;
    }
    this.#write(`event: message\ndata: ${cleanJson(message, this.#redact)}\n\n`);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#response.end();
  }

  #write(text: string): void {
    this.#written++;
    this.#response.write(text, () => this.#taken++);
  }

  /** Also runs after `end`, until all bytes were sent. */
  #beat(): void {
    const waits = this.#taken < this.#written;
    if (waits && this.#taken === this.#takenBefore) {
      this.#response.destroy();
      return;
    }
    this.#takenBefore = this.#taken;
    if (!waits && !this.#ended) this.#write(': keep-alive\n\n');
  }
}

type RequestBody =
  | { readonly kind: 'json'; readonly value: Json }
  | { readonly kind: 'notJson' }
  /** `id` is the id of the request, if the start of the body contains it. */
  | { readonly kind: 'tooLarge'; readonly id: string | number | undefined }
  | { readonly kind: 'tooDeep' }
  /** The client disconnected. */
  | { readonly kind: 'aborted' };

const SNIFFED = 4096;

/** Reads a body of at most `limit` bytes. */
export async function readBody(request: IncomingMessage, limit: number): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) continue;
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) return { kind: 'tooLarge', id: idOf(chunks) };
    }
  } catch {
    return { kind: 'aborted' };
  }
  return parse(Buffer.concat(chunks, size).toString('utf8'));
}

function parse(text: string): RequestBody {
  const value = readJson(text);
  if (value === undefined) return { kind: 'notJson' };
  return isDeeperThan(value) ? { kind: 'tooDeep' } : { kind: 'json', value };
}

function idOf(chunks: readonly Buffer[]): string | number | undefined {
  const head = Buffer.concat(chunks.slice(0, 8)).subarray(0, SNIFFED).toString('utf8');
  return sniffEnvelope(head, '').id;
}

const SESSION = 'mcp-session-id';
/** Drops a reply that the client does not read for this long. */
const REPLY_STALL_MS = 30_000;

interface GatewayExchangeOptions {
  readonly limits: GatewayLimits;
  readonly clock: Clock;
  /** Removes secrets from everything that clients read. Works on the serialized text, which needs no traversal. */
  readonly redact: Redact;
}

/** The server side of MCP's Streamable HTTP transport, without resumption. */
export class GatewayExchange {
  readonly #limits: GatewayLimits;
  readonly #redact: Redact;
  readonly #heartbeat: Heartbeat;

  constructor({ limits, clock, redact }: GatewayExchangeOptions) {
    this.#limits = limits;
    this.#redact = redact;
    this.#heartbeat = new Heartbeat(clock, limits.keepAliveMs);
  }

  /** Answers valid requests with status 200, because editors interpret 4xx as a different kind of server. */
  async post(endpoint: GatewayEndpoint | undefined, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request, this.#limits.bodyBytes);
    if (body.kind === 'aborted') return;
    if (body.kind === 'tooLarge') return this.#replyTooLarge(request, response, body.id ?? null);
    if (body.kind !== 'json') return this.replyJson(response, unreadable(body));
    const outline = outlineBody(body.value);
    const given = request.headers[SESSION];
    const session = outline.initializes ? endpoint?.open() : endpoint?.session(typeof given === 'string' ? given : '');
    if (session !== undefined) return this.#receive(session, outline, request, response);
    // The only status with a meaning in the protocol: the session ended, start a new one.
    if (!outline.initializes && given !== undefined) return this.#replyGone(response);
    this.replyJson(response, withIdOf(body.value, noSession(endpoint, outline)));
  }

  /** Opens the stream for unrequested messages. */
  listen(endpoint: GatewayEndpoint | undefined, request: IncomingMessage, response: ServerResponse): void {
    const given = request.headers[SESSION];
    if (typeof given !== 'string') {
      response.writeHead(405, { Allow: 'POST' }).end();
      return;
    }
    const session = endpoint?.session(given);
    if (session === undefined) return this.#replyGone(response);
    const stream: SseStream = this.#stream(response, () => session.detach(stream));
    session.attach(stream);
  }

  end(endpoint: GatewayEndpoint | undefined, request: IncomingMessage, response: ServerResponse): void {
    const given = request.headers[SESSION];
    const existed = typeof given === 'string' && endpoint?.end(given) === true;
    response.writeHead(existed ? 204 : 404).end();
  }

  replyJson(response: ServerResponse, body: JsonObject | readonly JsonObject[] | undefined): void {
    if (body === undefined) {
      // The call was cancelled, so there is no answer.
      response.writeHead(202).end();
      return;
    }
    response.setTimeout(REPLY_STALL_MS, () => response.destroy());
    const text = cleanJson(body, this.#redact);
    response
      .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
      .end(text);
  }

  async #receive(
    session: GatewaySession,
    outline: BodyOutline,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (outline.initializes) response.setHeader('Mcp-Session-Id', session.id);
    if (!outline.wantsAnswer) {
      await receiveAll(session, outline.messages, 'single', () => undefined);
      response.writeHead(202).end();
    } else if (outline.wantsStream && accepts(request, 'text/event-stream')) {
      const stream = this.#stream(response);
      await receiveAll(session, outline.messages, 'stream', (message) => stream.send(message));
      stream.end();
    } else {
      const answers: JsonObject[] = [];
      await receiveAll(session, outline.messages, 'single', (message) => answers.push(message));
      this.replyJson(response, outline.isBatch ? answers : answers[0]);
    }
  }

  #stream(response: ServerResponse, onClose?: () => void): SseStream {
    const { backlogBytes } = this.#limits;
    return new SseStream(response, { heartbeat: this.#heartbeat, backlogBytes, redact: this.#redact }, onClose);
  }

  #replyGone(response: ServerResponse): void {
    const text = JSON.stringify(errorMessage(null, -32001, 'This session has ended. Begin a new one.'));
    response.writeHead(404, { 'Content-Type': 'application/json' }).end(text);
  }

  #replyTooLarge(request: IncomingMessage, response: ServerResponse, id: string | number | null): void {
    const megabytes = Math.floor(this.#limits.bodyBytes / 1024 / 1024);
    this.replyJson(response, errorMessage(id, RPC.invalidRequest, `A message may have ${megabytes} MB at most.`));
    // Reads and discards the rest within the time limit: closing the connection now could lose the answer.
    request.resume();
  }
}

async function receiveAll(
  session: GatewaySession,
  messages: readonly Json[],
  mode: AnswerMode,
  send: (message: JsonObject) => void,
): Promise<void> {
  await Promise.all(messages.map((message) => session.receive(message, send, mode)));
}

function accepts(request: IncomingMessage, type: string): boolean {
  return request.headers.accept?.includes(type) === true;
}

function unreadable(body: Extract<RequestBody, { kind: 'notJson' | 'tooDeep' }>): JsonObject {
  return body.kind === 'notJson'
    ? errorMessage(null, RPC.parseError, 'The body is not JSON.')
    : errorMessage(null, RPC.invalidRequest, 'The message nests too deep.');
}

function noSession(endpoint: GatewayEndpoint | undefined, outline: BodyOutline): JsonObject {
  if (endpoint === undefined) return errorMessage(null, RPC.invalidParams, 'The settings no longer have this server.');
  // Newer clients try stateless methods first and check for this code.
  if (outline.asksForUnknownMethod) return errorMessage(null, RPC.methodNotFound, 'Method not found');
  const why = outline.initializes ? 'Too many clients are connected.' : 'A session begins with `initialize`.';
  return errorMessage(null, RPC.invalidRequest, why);
}

/** The same error with the id of the request. */
function withIdOf(body: Json, error: JsonObject): JsonObject {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? { ...error, id } : error;
}
