import assert from 'node:assert/strict';
import { CancellationSource, Deferred, type JsonObject } from '../../../src/core/index.ts';
import { waitUntil } from '../../support/processes.ts';
import { type EventStream, type Exchange, HttpCases, type HttpCaseServer, type RemoteCase } from './httpCaseServer.ts';

const HANDSHAKE = {
  server: { name: 'example-server', version: '1.0.0' },
  serverCapabilities: { supportsToolDiscovery: true, supportsNotifications: true },
};
const OWN_PARAMS = {
  mcpVersion: '2025-06-18',
  clientCapabilities: { supportsProgress: true, supportsCancellation: true },
};

/** A server of the short dialect over HTTP, strict about the order of messages. */
class DialectSite {
  readonly stream = new Deferred<EventStream>();
  /** Promises that delay the answers. */
  readonly holds: Record<string, Promise<unknown>> = {};
  /** Answers by method. Default: as the dialect defines. */
  readonly answers: Record<string, (exchange: Exchange) => void> = {};
  readonly order: string[] = [];
  /** Whether `initialize` must have the dialect's own params. */
  isPicky = false;
  session = 's1';
  server!: HttpCaseServer;
  #events: EventStream | undefined;
  readonly #way: 'http' | 'sse';

  constructor(way: 'http' | 'sse') {
    this.#way = way;
  }

  async start(cases: HttpCases): Promise<this> {
    const methods = ['initialize', 'initialized', 'tools/list', 'tools/invoke', 'cancel', 'shutdown', 'exit'];
    const script = Object.fromEntries(methods.map((method) => [method, (exchange: Exchange) => this.#take(exchange)]));
    this.server = await cases.serve({
      ...script,
      'server/discover': (exchange) =>
        this.#way === 'sse'
          ? exchange.status(404)
          : exchange.error({ code: -32601, message: 'Unknown method server/discover' }),
      GET: (exchange) => this.#listen(exchange),
      DELETE: (exchange) => {
        this.order.push('DELETE');
        exchange.status(204);
      },
    });
    return this;
  }

  /** Sends an unrequested message. */
  async tell(method: string, params: JsonObject): Promise<void> {
    (await this.stream.promise).say({ method, params });
  }

  #listen(exchange: Exchange): void {
    this.order.push('GET');
    const stream = exchange.stream();
    this.#events = stream;
    if (this.#way === 'sse') stream.raw('event: endpoint\ndata: /messages\n\n');
    this.stream.resolve(stream);
  }

  async #take(exchange: Exchange): Promise<void> {
    const { method } = exchange;
    if (this.#way === 'sse' && exchange.path !== '/messages') return exchange.status(404);
    this.order.push(method);
    await this.holds[method];
    if (this.holds[method] !== undefined) this.order.push(`${method} taken`);
    const isLost =
      this.#way === 'http' && method !== 'initialize' && exchange.headers['mcp-session-id'] !== this.session;
    if (isLost) return exchange.status(404);
    const answer = this.answers[method];
    if (answer !== undefined) return answer(exchange);
    if (exchange.id === undefined) return exchange.status(202);
    return this.answer(exchange, this.#result(exchange));
  }

  answer(exchange: Exchange, answer: object): void {
    if (this.#way === 'sse') {
      exchange.status(202);
      this.#events?.say({ id: exchange.id, ...answer });
    } else if ('error' in answer) exchange.error(answer.error as { code: number; message: string });
    else {
      const headers = exchange.method === 'initialize' ? { 'mcp-session-id': this.session } : {};
      exchange.result((answer as { result: unknown }).result, headers);
    }
  }

  #result({ method, params }: Exchange): object {
    switch (method) {
      case 'initialize':
        return this.isPicky && params['mcpVersion'] === undefined
          ? { error: { code: -32602, message: 'mcpVersion is required' } }
          : { result: HANDSHAKE };
      case 'tools/list':
        return { result: [{ name: 'get_weather' }, 'old_tool'] };
      case 'tools/invoke':
        return { result: { status: 'success', output: 'done' } };
      default:
        return { result: null };
    }
  }
}

for (const way of ['http', 'sse'] as const)
  suite(
    `A server of the short dialect, over ${way === 'http' ? 'Streamable HTTP' : 'HTTP+SSE'}, in the host`,
    function () {
      const cases = HttpCases.ofSuite();
      let site: DialectSite;
      let opened: RemoteCase;

      setup(async () => {
        site = await new DialectSite(way).start(cases);
        opened = cases.open(site.server.url('/mcp'));
      });

      test('is sent nothing before it took "initialized", and is then listened to and asked for its lists', async () => {
        const taken = new Deferred<void>();
        site.holds['initialized'] = taken.promise;
        const started = opened.start();
        await site.server.next('initialized');
        // A message sent too early would arrive during this exchange.
        await fetch(site.server.url('/mcp'), { method: 'POST', body: '{"method":"cancel","jsonrpc":"2.0"}' });
        assert.deepEqual(
          site.order.filter((line) => line !== 'cancel'),
          [...(way === 'sse' ? ['GET'] : []), 'initialize', 'initialized'],
        );
        taken.resolve();
        await started;
        await waitUntil('the stream', () => site.order.includes('GET'));
        const after = site.order.slice(site.order.indexOf('initialized taken') + 1);
        assert.deepEqual(after.toSorted(), way === 'sse' ? ['tools/list'] : ['GET', 'tools/list']);
        assert.deepEqual(opened.toolNames, ['get_weather', 'old_tool']);
        assert.deepEqual(opened.connection, ['legacy', '2025-06-18', way]);
      });

      test('gets "exit" before the connection is closed, even if it is slow', async () => {
        await opened.start();
        await opened.call('get_weather');
        const taken = new Deferred<void>();
        site.holds['exit'] = taken.promise;
        const stopped = opened.host.stop('case');
        await site.server.next('exit');
        assert.equal(site.order.at(-1), 'exit');
        taken.resolve();
        await stopped;
        const farewell = ['shutdown', 'exit', 'exit taken', ...(way === 'http' ? ['DELETE'] : [])];
        assert.deepEqual(site.order.slice(-farewell.length), farewell);
        assert.deepEqual(
          opened.log.filter((line) => /was not taken|^error/.test(line)),
          [],
        );
      });

      test('that never answers "shutdown" and "exit" is left after a moment', async () => {
        await opened.start();
        for (const method of ['shutdown', 'exit']) site.holds[method] = new Promise(() => undefined);
        await opened.host.stop('case');
        assert.equal(opened.host.server('case')?.state.kind, 'stopped');
        assert.ok(site.order.includes('exit'));
      });

      test('that lists no tools any more has those that it named', async () => {
        await opened.start();
        site.answers['tools/list'] = (exchange) => site.answer(exchange, { error: { code: -32603, message: 'busy' } });
        await site.tell('tools/changed', {
          added: [{ name: 'new_tool', description: 'A new feature' }],
          removed: ['old_tool'],
        });
        await waitUntil('the new tool', () => opened.toolNames.includes('new_tool'));
        assert.deepEqual(opened.toolNames, ['get_weather', 'new_tool']);
        assert.equal((await opened.call('new_tool')).modelText, 'done');
        assert.equal(opened.host.server('case')?.listing.kind, 'read');
      });

      test('gets the cancellation of a call, after the call itself', async () => {
        await opened.start();
        const call = new Deferred<void>();
        site.holds['tools/invoke'] = call.promise;
        const source = new CancellationSource();
        const calling = opened.host.callTool(
          { server: 'case', tool: 'get_weather', args: {}, route: 'api' },
          { token: source.token },
        );
        const sent = await site.server.next('tools/invoke');
        source.cancel();
        await assert.rejects(calling, { code: 'CANCELLED' });
        const { params } = await site.server.next('cancel');
        assert.deepEqual(params, { id: sent.id });
        call.resolve();
      });

      if (way === 'http')
        for (const isPicky of [false, true])
          test(`gets another session in its own words${isPicky ? ', as the first one' : ''}`, async () => {
            site.isPicky = isPicky;
            await opened.start();
            await waitUntil('the stream', () => site.order.includes('GET'));
            const before = site.server.heard.length;
            site.session = 's2';
            assert.equal((await opened.call('get_weather')).modelText, 'done');
            await waitUntil('the second list', () => site.order.filter((line) => line === 'tools/list').length === 2);
            const heard = site.server.heard.slice(before);
            assert.deepEqual(
              heard
                .filter(({ verb }) => verb === 'POST')
                .map(({ method, headers }) => `${method} ${String(headers['mcp-session-id'] ?? '-')}`)
                .slice(0, 4),
              ['tools/invoke s1', 'initialize -', 'initialized s2', 'tools/invoke s2'],
            );
            const renewal = heard.find(({ method }) => method === 'initialize');
            assert.deepEqual(renewal?.params, OWN_PARAMS);
            assert.ok(heard.some(({ verb, headers }) => verb === 'GET' && headers['mcp-session-id'] === 's2'));
            assert.equal(opened.host.server('case')?.state.kind, 'running');
          });

      if (way === 'http')
        test('that speaks the standard after it forgot the session is no longer used', async () => {
          await opened.start();
          site.session = 's2';
          site.answers['initialize'] = (exchange) =>
            exchange.result({
              protocolVersion: '2025-06-18',
              capabilities: {},
              serverInfo: { name: 'x', version: '1' },
            });
          await assert.rejects(opened.call('get_weather'), /It now speaks MCP "2025-06-18"/);
        });
    },
  );
