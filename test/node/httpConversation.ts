import assert from 'node:assert/strict';
import type { RemoteTransportOptions } from '../../src/node/http/remoteServer.ts';
import { openStreamableHttp, type StreamableHttp } from '../../src/node/http/streamableHttp.ts';
import { type Heard, RecordingContext, ScriptedHttp, TransportRecorder } from './transportRecorder.ts';

export const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
export const SSE_TYPE = { 'content-type': 'text/event-stream' };

export const answer = (id: number | string, result: unknown = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id, result });

/** The id of the request in a body, for its answer. */
export function idOf(body: string): number | string {
  const parsed: { id?: number | string } = JSON.parse(body);
  return parsed.id ?? 0;
}

export interface ConversationOptions extends RemoteTransportOptions {
  readonly headers?: Record<string, string> | undefined;
}

/** A client of a scripted server, created for each test. Closes everything after the test. */
export class HttpConversation {
  server!: ScriptedHttp;
  client!: TransportRecorder;
  transport!: StreamableHttp;
  context!: RecordingContext;
  readonly #stops: (() => Promise<void>)[] = [];

  /** Call this within a suite. */
  static ofSuite(): HttpConversation {
    const conversation = new HttpConversation();
    teardown(() => conversation.#end());
    return conversation;
  }

  async serve(handle: (heard: Heard) => void): Promise<ScriptedHttp> {
    const scripted = await ScriptedHttp.start(handle);
    this.#stops.push(() => scripted.stop());
    return scripted;
  }

  connect(url: string, { headers = { 'X-Own': 'secret' }, ...options }: ConversationOptions = {}): void {
    this.context = new RecordingContext();
    const connection = { kind: 'remote', url, headers, transport: 'auto' } as const;
    const { transport } = openStreamableHttp(connection, this.context, { maxMessage: 4 * 1024 * 1024, ...options });
    this.transport = transport;
    this.client = new TransportRecorder(transport);
    this.#stops.push(() => transport.close());
  }

  /** Serves `initialize` with the sessions S1, S2, …, and accepts notifications. The test handles everything else. */
  async converse(handle: (heard: Heard) => void, options: ConversationOptions = {}): Promise<void> {
    let sessions = 0;
    this.server = await this.serve((heard) => {
      const { request, response, body } = heard;
      if (body.includes('"initialize"')) {
        response.writeHead(200, { ...JSON_TYPE, 'mcp-session-id': `S${++sessions}` });
        response.end(answer(idOf(body), { protocolVersion: '2025-11-25' }));
      } else if (body.includes('"notifications/initialized"')) response.writeHead(202).end();
      else if (request.method === 'DELETE') response.writeHead(204).end();
      else handle(heard);
    });
    this.connect(this.server.url(), options);
    this.client.request(1, 'initialize');
    assert.equal(await this.client.next(), answer(1, { protocolVersion: '2025-11-25' }));
    this.context.negotiate('2025-11-25');
  }

  async #end(): Promise<void> {
    for (const stop of this.#stops.splice(0).reverse()) await stop();
  }
}
