import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type AnswerMode,
  type BodyOutline,
  type Clock,
  errorMessage,
  type GatewayEndpoint,
  type GatewaySession,
  type Json,
  type JsonObject,
  outlineBody,
  type Redact,
  RPC,
} from '../../core/index.ts';
import { cleanJson } from './cleanJson.ts';
import type { GatewayLimits } from './gatewayLimits.ts';
import { Heartbeat } from './heartbeat.ts';
import { readBody, type RequestBody } from './requestBody.ts';
import { SseStream } from './sseStream.ts';

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
