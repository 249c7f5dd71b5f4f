import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { failWith, ScriptedServer } from '../../../support/scriptedServer.ts';

export const MODERN = '2026-07-28';

/** The answer to `server/discover`. */
export function discovered(overrides: JsonObject = {}): JsonObject {
  return {
    supportedVersions: [MODERN],
    capabilities: { tools: {} },
    instructions: 'hi',
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'modern', version: '2.0' } },
    ...overrides,
  };
}

export function unsupported(...supported: readonly string[]): ReturnType<typeof failWith> {
  return failWith(-32022, 'Unsupported protocol version', { supported: [...supported], requested: 'x' });
}

type Responders = ConstructorParameters<typeof ScriptedServer>[0];

/** A stateless server that refuses `initialize` like the official SDK. */
export function modernServer(responders: Responders = {}): ScriptedServer {
  return new ScriptedServer({
    initialize: () => unsupported(MODERN),
    'server/discover': () => discovered(),
    ...responders,
  });
}

/** The received requests without the members about the sender. */
export function heard(server: ScriptedServer): readonly string[] {
  return server.messages.map((message) => {
    const { method, params, id } = message;
    if (method === 'initialize') return `initialize ${String((params as JsonObject)['protocolVersion'])}`;
    const what = typeof method === 'string' ? method : `answer to ${JSON.stringify(id)}`;
    return `${what}${shortened(params)}`;
  });
}

function shortened(params: Json | undefined): string {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return '';
  const { _meta, ...rest } = params as JsonObject;
  const meta = Object.fromEntries(
    Object.entries((_meta ?? {}) as JsonObject).filter(([key]) => !/protocolVersion|clientInfo|clientCapab/.test(key)),
  );
  const all = Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
  return Object.keys(all).length === 0 ? '' : ` ${JSON.stringify(all)}`;
}
