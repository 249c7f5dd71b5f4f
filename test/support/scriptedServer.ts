import type { HostError } from '../../src/core/base/errors.ts';
import type { Json, JsonObject } from '../../src/core/base/json.ts';
import { createLinkedTransports, type MemoryTransport } from '../../src/core/rpc/memoryTransport.ts';

type Responder = (
  params: JsonObject,
  id: string | number,
) => Json | Promise<Json> | typeof NO_ANSWER | ErrorAnswer | Dropped;

/** The answer of a server that does not answer. */
export const NO_ANSWER = Symbol('no answer');

/** An answer that the transport dropped, with the reason. */
export class Dropped {
  readonly error: HostError;

  constructor(error: HostError) {
    this.error = error;
  }
}

export interface ErrorAnswer {
  readonly error: { readonly code: number; readonly message: string; readonly data?: Json };
}

export function failWith(code: number, message: string, data?: Json): ErrorAnswer {
  return { error: data === undefined ? { code, message } : { code, message, data } };
}

/** A server whose messages the test decides. Records the host's messages as text. */
export class ScriptedServer {
  /** The host's end of the connection. */
  readonly transport: MemoryTransport;
  /** One line per message of the host: `method params`, without the id. */
  readonly heard: string[] = [];
  readonly messages: JsonObject[] = [];
  readonly #own: MemoryTransport;
  readonly #responders = new Map<string, Responder>();
  closed = false;
  /** The connection closes after this, as a process takes time to end. */
  heldOpen: Promise<void> = Promise.resolve();

  constructor(responders: Readonly<Record<string, Responder>> = {}) {
    const [host, own] = createLinkedTransports();
    const close = host.close.bind(host);
    host.close = () => this.heldOpen.then(close);
    this.transport = host;
    this.#own = own;
    this.on('initialize', () => initializeResult());
    this.on('tools/list', () => ({ tools: [] }));
    for (const [method, responder] of Object.entries(responders)) this.on(method, responder);
    own.onClose(() => {
      this.closed = true;
    });
    own.start((message) => void this.#receive(message as JsonObject));
  }

  on(method: string, responder: Responder): this {
    this.#responders.set(method, responder);
    return this;
  }

  say(message: Json): void {
    this.#own.send(message);
  }

  notify(method: string, params: JsonObject = {}): void {
    this.say({ jsonrpc: '2.0', method, params });
  }

  answer(id: string | number, result: Json): void {
    this.say({ jsonrpc: '2.0', id, result });
  }

  /** Ends like a crashed process. */
  crash(error: HostError): void {
    this.#own.fail(error);
  }

  async #receive(message: JsonObject): Promise<void> {
    this.messages.push(message);
    const { method, id, params } = message;
    if (typeof method !== 'string') {
      this.heard.push(`answer ${JSON.stringify(message['result'] ?? message['error'])}`);
      return;
    }
    this.heard.push(`${method} ${JSON.stringify(params)}`);
    if (typeof id !== 'number' && typeof id !== 'string') return;
    const responder = this.#responders.get(method);
    const answer =
      responder === undefined ? failWith(-32601, 'no such method') : await responder(params as JsonObject, id);
    if (answer === NO_ANSWER) return;
    if (answer instanceof Dropped) {
      this.transport.drop({ id, isRequest: false, error: answer.error });
      return;
    }
    if (typeof answer === 'object' && answer !== null && 'error' in answer)
      this.say({ jsonrpc: '2.0', id, error: answer.error as Json });
    else this.answer(id, answer as Json);
  }
}

export function initializeResult(overrides: JsonObject = {}): JsonObject {
  return {
    protocolVersion: '2025-06-18',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'scripted', version: '1.0.0' },
    ...overrides,
  };
}

export function tool(name: string, extra: JsonObject = {}): JsonObject {
  return { name, inputSchema: { type: 'object' }, ...extra };
}
