import { StringDecoder } from 'node:string_decoder';
import { INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, RpcError } from './rpcError.ts';
import { type Fields, isFields } from './schema.ts';

type RequestId = string | number;

export interface Request {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Fields;
  /** Aborted by `notifications/cancelled` and by the end of the connection. */
  readonly signal: AbortSignal;
}

/** The server's handlers for incoming messages. */
interface Handlers {
  /** Throws an `RpcError` to send it as the answer. */
  request(request: Request): unknown;
  notification(method: string, params: Fields): void;
  /** An answer to a request of this server. */
  answer(message: Fields): void;
}

/** Longer lines are no valid messages. */
const MAX_LINE = 10_000_000;

/** Splits chunks into lines. A chunk may end inside a character. */
export class LineReader {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine: (line: string) => void;
  #rest = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  read(chunk: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') this.#onLine(line);
    // The remainder is then read as a line, and answered as invalid JSON.
    if (this.#rest.length > MAX_LINE) this.#rest = '';
  }
}

/** JSON-RPC over lines: decodes messages, answers each request once, and sends no answer to a cancelled one. */
export class Protocol {
  readonly #running = new Map<RequestId, AbortController>();
  readonly #write: (message: object) => void;
  readonly #handlers: Handlers;

  constructor(write: (message: object) => void, handlers: Handlers) {
    this.#write = write;
    this.#handlers = handlers;
  }

  receive(line: string): void {
    const message = parse(line);
    if (message === undefined) this.#write(errorAnswer(null, new RpcError(PARSE_ERROR, 'This line is no JSON.')));
    // A batch (2025-03-26). Its answers are sent one by one.
    else if (Array.isArray(message)) for (const each of message) this.#take(each);
    else this.#take(message);
  }

  /** Aborts all running requests. */
  end(): void {
    for (const controller of this.#running.values()) controller.abort();
    this.#running.clear();
  }

  #take(message: unknown): void {
    if (!isFields(message)) {
      this.#write(errorAnswer(null, new RpcError(INVALID_REQUEST, 'A message must be an object.')));
      return;
    }
    const { id, method } = message;
    const params = isFields(message['params']) ? message['params'] : {};
    if (typeof method !== 'string') this.#handlers.answer(message);
    else if (typeof id === 'string' || typeof id === 'number') void this.#answer(id, method, params);
    else if (id === undefined) this.#hear(method, params);
  }

  #hear(method: string, params: Fields): void {
    if (method === 'notifications/cancelled') this.#cancel(params['requestId']);
    else this.#handlers.notification(method, params);
  }

  #cancel(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') this.#running.get(id)?.abort();
  }

  async #answer(id: RequestId, method: string, params: Fields): Promise<void> {
    if (this.#running.has(id)) {
      this.#write(errorAnswer(id, new RpcError(INVALID_REQUEST, 'A request with this id is still running.')));
      return;
    }
    const controller = new AbortController();
    this.#running.set(id, controller);
    const answer = await this.#outcome({ id, method, params, signal: controller.signal });
    this.#running.delete(id);
    if (!controller.signal.aborted) this.#write(answer);
  }

  async #outcome(request: Request): Promise<object> {
    try {
      return { jsonrpc: '2.0', id: request.id, result: await this.#handlers.request(request) };
    } catch (error) {
      return errorAnswer(request.id, error);
    }
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

function errorAnswer(id: RequestId | null, error: unknown): object {
  const code = error instanceof RpcError ? error.code : INTERNAL_ERROR;
  const data = error instanceof RpcError && error.data !== undefined ? { data: error.data } : {};
  const message = error instanceof Error ? error.message : String(error);
  return { jsonrpc: '2.0', id, error: { code, message, ...data } };
}
