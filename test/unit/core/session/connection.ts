import { NO_CANCELLATION } from '../../../../src/core/base/cancellation.ts';
import { type Disposable, DisposableStore } from '../../../../src/core/base/disposable.ts';
import { Emitter } from '../../../../src/core/base/event.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { notInRevision } from '../../../../src/core/session/channel.ts';
import { InitializedSession } from '../../../../src/core/session/initializedSession.ts';
import type { Session, SessionFeature } from '../../../../src/core/session/session.ts';
import { codecFor, dialectCodec } from '../../../../src/core/wire/codec.ts';
import type { Handshake } from '../../../../src/core/wire/handshake.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { initializeResult, ScriptedServer } from '../../../support/scriptedServer.ts';

export interface ConnectionOptions {
  readonly server?: ScriptedServer;
  readonly clock?: FakeClock;
  /** The server's capabilities. Unused if `server` answers `initialize` itself. */
  readonly capabilities?: JsonObject;
  readonly revision?: string;
  /** Overrides for the handshake that features see, to test another era. */
  readonly handshake?: Partial<Handshake>;
}

export interface Connected extends Disposable {
  readonly session: Session;
  readonly server: ScriptedServer;
  readonly clock: FakeClock;
  readonly logs: readonly string[];
  /** Makes the server lose its session data, like a reopened HTTP session. */
  renew(): void;
  /** Messages to the server since the last call, without the handshake. */
  heard(): readonly string[];
}

export function handshakeOf(capabilities: JsonObject, protocolVersion = '2025-06-18'): JsonObject {
  return initializeResult({ capabilities, protocolVersion });
}

/** Opens a session with a scripted server and these features, like the host. */
export async function connect(
  features: readonly SessionFeature[],
  { server = new ScriptedServer(), clock = new FakeClock(), ...options }: ConnectionOptions = {},
): Promise<Connected> {
  if (options.capabilities !== undefined)
    server.on('initialize', () => handshakeOf(options.capabilities ?? {}, options.revision));
  const logs: string[] = [];
  const renewed = new Emitter<Json>();
  Object.assign(server.transport, { onRenewed: renewed.event });
  const session = await InitializedSession.open({
    transport: server.transport,
    clock,
    log: { log: (level, message) => logs.push(`${level}: ${message}`) },
    client: { name: 'test', title: 'Test', version: '0' },
    startTimeoutMs: 60_000,
    features: features.map((feature) => (options.handshake === undefined ? feature : notStarted(feature))),
    token: NO_CANCELLATION,
    onNegotiated: () => undefined,
  });
  const store = new DisposableStore();
  store.add(session);
  if (options.handshake !== undefined) {
    const seen = inEra(session, options.handshake);
    for (const feature of features) store.add(feature.started?.(seen) ?? new DisposableStore());
  }
  await settle();
  let told = 2;
  return {
    session,
    server,
    clock,
    logs,
    renew: () => renewed.fire({}),
    heard: () => {
      const news = server.heard.slice(told);
      told = server.heard.length;
      return news;
    },
    dispose: () => {
      store.dispose();
      renewed.dispose();
      void server.transport.close();
    },
  };
}

function notStarted(feature: SessionFeature): SessionFeature {
  const { requests = {}, notifications = {} } = feature;
  return {
    get capabilities() {
      return feature.capabilities ?? {};
    },
    requests,
    notifications,
  };
}

function inEra(session: Session, given: Partial<Handshake>): Session {
  const handshake = { ...session.handshake, ...given };
  const codec = (handshake.isDialect ? dialectCodec : codecFor(handshake.protocolVersion)) ?? session.codec;
  const decoded: Session['decoded'] = (method, ...args) =>
    codec.lacks(method, 'toServer')
      ? Promise.reject(notInRevision(method, codec.version))
      : session.decoded(method, ...args);
  const seen: Partial<Session> = { handshake, codec, decoded };
  return new Proxy(session, {
    get: (target, key) => {
      const value: unknown = Reflect.get(key in seen ? seen : target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
