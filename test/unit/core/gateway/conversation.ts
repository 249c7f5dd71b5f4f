import assert from 'node:assert/strict';
import type { BackChannel } from '../../../../src/core/gateway/clientRequests.ts';
import { GatewayClients } from '../../../../src/core/gateway/gatewayClients.ts';
import { GatewaySession } from '../../../../src/core/gateway/gatewaySession.ts';
import type { Json, JsonObject } from '../../../../src/core/index.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { FakeHost, tool } from './fakeHost.ts';

/** Conversations of the current test. */
const begun: Conversation[] = [];

/** One client and its session. Records all messages of the session. */
export class Conversation {
  readonly host = new FakeHost();
  #ids = 0;
  readonly clients = new GatewayClients();
  readonly session = new GatewaySession({
    host: this.host,
    server: 'notes',
    ids: { uuid: () => `s${this.#ids++}` },
    clock: new FakeClock(),
    clients: this.clients,
  });
  readonly #lines: string[] = [];

  constructor() {
    this.host.set('notes', [tool('add')]);
    begun.push(this);
  }

  say(message: Json): Promise<void> {
    return this.session.receive(message, (answer) => this.#lines.push(JSON.stringify(answer)));
  }

  async ask(message: Json): Promise<Json> {
    await this.say(message);
    const heard = this.heard();
    assert.equal(heard.length, 1, heard.join('\n'));
    return JSON.parse(heard[0] ?? '');
  }

  call(id: number | string, params: JsonObject): Promise<void> {
    return this.say({ jsonrpc: '2.0', id, method: 'tools/call', params });
  }

  /** Opens a stream for unrequested messages, which are recorded too. */
  listen(): BackChannel {
    const channel: BackChannel = {
      send: (message) => void this.#lines.push(JSON.stringify(message)),
      end: () => void this.#lines.push('(end)'),
    };
    this.session.attach(channel);
    return channel;
  }

  /** Initializes the session, as a client with these capabilities. */
  async begin(capabilities: JsonObject = {}): Promise<void> {
    await this.say({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities } });
    await this.say({ method: 'notifications/initialized' });
    this.heard();
  }

  /** Messages since the last call. */
  heard(): readonly string[] {
    return this.#lines.splice(0);
  }
}

export const request = (method: string, params?: Json): JsonObject => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  ...(params === undefined ? {} : { params }),
});
export const initialize = (protocolVersion: Json): JsonObject =>
  request('initialize', { protocolVersion, capabilities: {} });

/** For a suite's teardown: ends all sessions. */
export const endConversations = (): void => {
  for (const { session, host } of begun.splice(0)) {
    session.dispose();
    assert.equal(host.hasListeners, false, 'something outlives the session');
  }
};
