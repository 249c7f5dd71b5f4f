import { cleanLine, type ConnectionFacts, isRunning, type ServerSnapshot } from '../../core/index.ts';

const TRANSPORTS: Readonly<Record<ConnectionFacts['transport'], string>> = {
  stdio: 'standard input and output',
  http: 'Streamable HTTP',
  sse: 'HTTP with server-sent events',
  websocket: 'WebSocket',
};

/** Enough to tell two sessions apart; all of it would let others into this one. */
const SHOWN_OF_SESSION = 8;
const MAX_CAPABILITIES = 12;

/** What is known of a running server's connection, a line each. */
export function connectionLines({ state, capabilities }: ServerSnapshot): readonly string[] {
  if (!isRunning(state)) return [];
  const { connection, protocolVersion } = state;
  const names = Object.keys(capabilities).map((name) => cleanLine(name, 40));
  const more = names.length > MAX_CAPABILITIES ? [`and ${names.length - MAX_CAPABILITIES} more`] : [];
  return [
    `Protocol: MCP ${cleanLine(protocolVersion, 40)}, ${eraText(connection)}`,
    `Transport: ${TRANSPORTS[connection.transport]}`,
    ...(connection.session === undefined ? [] : [`Session: ${shortened(connection.session)}`]),
    `First answer after ${Math.round(connection.roundTripMs)} ms`,
    ...(names.length === 0 ? [] : [`Capabilities: ${[...names.slice(0, MAX_CAPABILITIES), ...more].join(', ')}`]),
  ];
}

function eraText({ era, isDialect }: ConnectionFacts): string {
  if (isDialect) return 'the short dialect';
  return era === 'modern' ? 'stateless' : 'opened with initialize';
}

function shortened(session: string): string {
  const line = cleanLine(session, 200);
  return line.length > 2 * SHOWN_OF_SESSION ? `${line.slice(0, SHOWN_OF_SESSION)}…` : '(assigned)';
}
