import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ConnectContext, type Json, NO_CANCELLATION, type Transport } from '../../src/core/index.ts';

/** The messages of a transport, one line each, to be awaited in order. */
export class TransportRecorder {
  readonly transport: Transport;
  readonly #lines: string[] = [];
  #wake: () => void = () => undefined;

  constructor(transport: Transport) {
    this.transport = transport;
    transport.onDropped?.(({ id, isRequest, error }) =>
      this.#add(
        `dropped ${JSON.stringify(id)} ${isRequest} ${error.code} ${error.effect}: ${error.message} | ${error.suggestion}`,
      ),
    );
    transport.onClose(({ error }) =>
      this.#add(`closed ${error === undefined ? '' : `${error.code}: ${error.message}`}`),
    );
    transport.start((message) => this.#add(JSON.stringify(message)));
  }

  async next(): Promise<string> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) return line;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async take(count: number): Promise<readonly string[]> {
    const lines: string[] = [];
    while (lines.length < count) lines.push(await this.next());
    return lines;
  }

  /** Delivered messages that were not awaited yet. */
  rest(): readonly string[] {
    return this.#lines.splice(0);
  }

  request(id: number, method: string, params: Json = {}): void {
    this.transport.send({ jsonrpc: '2.0', id, method, params });
  }

  notify(method: string, params: Json = {}): void {
    this.transport.send({ jsonrpc: '2.0', method, params });
  }

  #add(line: string): void {
    this.#lines.push(line);
    this.#wake();
  }
}

/** A connect context that records its log, and reports the negotiated revision to the transport on demand. */
export class RecordingContext implements ConnectContext {
  readonly serverId = 'test';
  readonly token = NO_CANCELLATION;
  readonly logged: string[] = [];
  readonly log = { log: (level: string, message: string) => void this.logged.push(`${level} ${message}`) };
  readonly redact = (text: string): string => text;
  #listener: (version: string) => void = () => undefined;

  readonly negotiated = (listener: (version: string) => void): { dispose(): void } => {
    this.#listener = listener;
    return { dispose: () => undefined };
  };

  negotiate(version: string): void {
    this.#listener(version);
  }
}

export interface Heard {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: string;
}

/** An HTTP server that hands each request to the test. */
export class ScriptedHttp {
  /** Each request in one line: method, path, relevant headers, body. */
  readonly lines: string[] = [];
  readonly #server: Server;
  readonly port: number;
  #intercept: (heard: Heard) => boolean = () => false;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  static async start(handle: (heard: Heard) => void): Promise<ScriptedHttp> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const scripted = new ScriptedHttp(server, port);
    server.on('request', (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        scripted.lines.push(describe(request, body));
        const heard = { request, response, body };
        if (!scripted.#intercept(heard)) handle(heard);
      });
    });
    return scripted;
  }

  /** From now on, passes each request to the test first. The rest handles those for which it returns false. */
  intercept(handle: (heard: Heard) => boolean): void {
    this.#intercept = handle;
  }

  url(path = '/mcp'): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

const SHOWN = [
  'x-own',
  'authorization',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-param-region',
  'last-event-id',
];

function describe({ method, url, headers }: IncomingMessage, body: string): string {
  const shown = SHOWN.flatMap((name) => (headers[name] === undefined ? [] : [`${name}=${String(headers[name])}`]));
  return [method, url, ...shown, body].filter(Boolean).join(' ');
}
