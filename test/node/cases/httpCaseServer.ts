import type { ServerResponse } from 'node:http';
import { createNodeHost, type NodeHostOptions } from '../../../src/cli/nodeHost.ts';
import type { Host, JsonObject, ResultView } from '../../../src/core/index.ts';
import { waitUntil } from '../../support/processes.ts';
import { JSON_TYPE, SSE_TYPE } from '../httpConversation.ts';
import { type Heard, ScriptedHttp } from '../transportRecorder.ts';

/** One HTTP request of the host, and the ways to answer it. */
export class Exchange {
  readonly verb: string;
  readonly path: string;
  readonly headers: Heard['request']['headers'];
  /** Empty without a body. */
  readonly message: JsonObject;
  readonly response: ServerResponse;

  constructor({ request, response, body }: Pick<Heard, 'request' | 'response' | 'body'>) {
    this.verb = request.method ?? '';
    this.path = request.url ?? '';
    this.headers = request.headers;
    this.message = body === '' ? {} : JSON.parse(body);
    this.response = response;
  }

  get id(): string | number | undefined {
    return this.message['id'] as string | number | undefined;
  }

  /** The JSON-RPC method, or the verb of a request without a body. */
  get method(): string {
    return typeof this.message['method'] === 'string' ? this.message['method'] : this.verb;
  }

  get params(): JsonObject {
    return (this.message['params'] ?? {}) as JsonObject;
  }

  result(result: unknown, headers: Readonly<Record<string, string>> = {}): void {
    this.#json(200, { result }, headers);
  }

  error(error: { readonly code: number; readonly message: string; readonly data?: unknown }, status = 200): void {
    this.#json(status, { error });
  }

  status(status: number, body = '', headers: Readonly<Record<string, string>> = {}): void {
    this.response.writeHead(status, headers).end(body);
  }

  /** Answers with an event stream, which stays open. */
  stream(headers: Readonly<Record<string, string>> = {}): EventStream {
    this.response.writeHead(200, { ...SSE_TYPE, ...headers }).flushHeaders();
    return new EventStream(this.response, this.id);
  }

  #json(status: number, answer: object, headers: Readonly<Record<string, string>> = {}): void {
    this.response
      .writeHead(status, { ...JSON_TYPE, ...headers })
      .end(JSON.stringify({ jsonrpc: '2.0', id: this.id ?? null, ...answer }));
  }
}

export class EventStream {
  readonly response: ServerResponse;
  readonly #id: string | number | undefined;

  constructor(response: ServerResponse, id: string | number | undefined) {
    this.response = response;
    this.#id = id;
  }

  /** Writes raw lines of the format: `id`, `retry`, comments. */
  raw(text: string): void {
    this.response.write(text);
  }

  say(message: object, id?: string): void {
    this.raw(`${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  }

  /** Sends the answer to the posted request, and ends the response. */
  result(result: unknown): void {
    this.say({ id: this.#id, result });
    this.response.end();
  }

  /** Breaks the connection, like a network failure. */
  drop(): void {
    this.response.destroy();
  }
}

export type Script = Readonly<Record<string, (exchange: Exchange) => unknown>>;

/** A server on 127.0.0.1 with scripted answers for each method. Records the requests. */
export class HttpCaseServer {
  readonly heard: Exchange[] = [];
  readonly #script: Script;
  readonly #waiting = new Set<{ readonly wanted: (exchange: Exchange) => boolean; found(exchange: Exchange): void }>();
  #http!: ScriptedHttp;

  private constructor(script: Script) {
    this.#script = script;
  }

  /**
   * Answers by method (`tools/call`), or by verb for requests without a body. Everything else fails with status 500.
   */
  static async start(script: Script): Promise<HttpCaseServer> {
    const server = new HttpCaseServer(script);
    server.#http = await ScriptedHttp.start((heard) => server.#take(new Exchange(heard)));
    return server;
  }

  url(path?: string): string {
    return this.#http.url(path);
  }

  stop(): Promise<void> {
    return this.#http.stop();
  }

  of(method: string): readonly Exchange[] {
    return this.heard.filter((exchange) => exchange.method === method);
  }

  /** Verb, method and the given headers, one line per request. */
  lines(...headers: readonly string[]): readonly string[] {
    return this.heard.map(({ verb, method, headers: sent }) =>
      [verb, ...(method === verb ? [] : [method]), ...headers.flatMap((name) => sent[name] ?? [])].join(' '),
    );
  }

  /** The next matching request, which may have arrived already. */
  async next(wanted: string | ((exchange: Exchange) => boolean)): Promise<Exchange> {
    const test = typeof wanted === 'string' ? ({ method }: Exchange) => method === wanted : wanted;
    const known = this.heard.find(test);
    if (known !== undefined) return known;
    return new Promise((found) => this.#waiting.add({ wanted: test, found }));
  }

  #take(exchange: Exchange): void {
    this.heard.push(exchange);
    const answer = this.#script[exchange.method];
    if (answer === undefined) exchange.status(500, `Not in the script: ${exchange.method}`);
    else answer(exchange);
    for (const waiting of [...this.#waiting])
      if (waiting.wanted(exchange)) {
        this.#waiting.delete(waiting);
        waiting.found(exchange);
      }
  }
}

const TOOL = { inputSchema: { type: 'object' } };
export const tool = (name: string, more: object = {}): object => ({ name, ...TOOL, ...more });

/** The answers of a server of an older revision to the usual requests. */
export const legacy = (protocolVersion: string, result: object = {}, session?: string): Script => ({
  'server/discover': (exchange) => exchange.error({ code: -32601, message: 'Method not found' }, 400),
  initialize: (exchange) =>
    exchange.result(
      { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'case', version: '1' }, ...result },
      session === undefined ? {} : { 'mcp-session-id': session },
    ),
  'notifications/initialized': (exchange) => exchange.status(202),
  'notifications/cancelled': (exchange) => exchange.status(202),
  'tools/list': (exchange) => exchange.result({ tools: [tool('echo')] }),
  'tools/call': (exchange) => exchange.result({ content: [{ type: 'text', text: 'done' }] }),
  GET: (exchange) => exchange.status(405),
  DELETE: (exchange) => exchange.status(204),
});

const COMPLETE = { resultType: 'complete' };
const KEPT = { ...COMPLETE, ttlMs: 60_000, cacheScope: 'private' };
export const complete = (result: object): object => ({ ...COMPLETE, ...result });

/** The answers of a stateless server to the usual requests. */
export const stateless = (capabilities: object = { tools: {} }, tools: readonly object[] = [tool('echo')]): Script => ({
  'server/discover': (exchange) =>
    exchange.result({
      ...KEPT,
      supportedVersions: ['2026-07-28'],
      capabilities,
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'case', version: '1' } },
    }),
  'tools/list': (exchange) => exchange.result({ ...KEPT, tools }),
  'tools/call': (exchange) => exchange.result(complete({ content: [{ type: 'text', text: 'done' }] })),
});

export type RemoteCaseOptions = Omit<NodeHostOptions, 'servers' | 'onLog'> & { readonly entry?: JsonObject };

/** The whole host with one remote server. Closed after its test. */
export class RemoteCase {
  readonly host: Host;
  readonly log: string[] = [];

  constructor(url: string, { entry = {}, ...options }: RemoteCaseOptions = {}) {
    this.host = createNodeHost({
      ...options,
      servers: { case: { url, ...entry } },
      onLog: ({ level, message }) => this.log.push(`${level} ${message}`),
    });
  }

  /** Starts the server and waits for its tools. */
  async start(): Promise<void> {
    await this.host.start('case');
    await waitUntil('the tools', () => this.host.server('case')?.listing.kind === 'read');
  }

  call(name = 'echo', args: JsonObject = {}): Promise<ResultView> {
    return this.host.callTool({ server: 'case', tool: name, args, route: 'api' });
  }

  /** The code and message of the failed start. */
  failure(): Promise<string> {
    return this.host.start('case').then(
      () => 'started',
      (error: Error & { readonly code?: string }) => `${error.code}: ${error.message}`,
    );
  }

  get toolNames(): readonly string[] {
    return (this.host.server('case')?.tools ?? []).map(({ tool: { name } }) => name);
  }

  /** Era, revision and transport of the connection. */
  get connection(): readonly unknown[] {
    const state = this.host.server('case')?.state;
    return state?.kind === 'running'
      ? [state.connection.era, state.protocolVersion, state.connection.transport]
      : [state?.kind];
  }
}

/** Opens cases within a suite, and closes them after each test in reverse order. */
export class HttpCases {
  readonly #stops: (() => Promise<void>)[] = [];

  static ofSuite(): HttpCases {
    const cases = new HttpCases();
    teardown(async () => {
      for (const stop of cases.#stops.splice(0).reverse()) await stop();
    });
    return cases;
  }

  /** Adds something else to close after the test. */
  add(stop: () => Promise<void>): void {
    this.#stops.push(stop);
  }

  async serve(script: Script): Promise<HttpCaseServer> {
    const server = await HttpCaseServer.start(script);
    this.#stops.push(() => server.stop());
    return server;
  }

  open(url: string, options?: RemoteCaseOptions): RemoteCase {
    const opened = new RemoteCase(url, options);
    this.#stops.push(() => opened.host.close());
    return opened;
  }

  /** A server and a host that has started it. */
  async running(script: Script, options?: RemoteCaseOptions): Promise<readonly [RemoteCase, HttpCaseServer]> {
    const server = await this.serve(script);
    const opened = this.open(server.url(), options);
    await opened.start();
    return [opened, server];
  }
}
