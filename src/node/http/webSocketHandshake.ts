import type { Agent, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { HostError, messageOf } from '../../core/index.ts';
import type { HttpAgents } from './httpAgents.ts';
import { readBeginning } from './httpBody.ts';
import type { HttpHeaders } from './httpRequest.ts';

const SUBPROTOCOL = 'mcp';
const ERROR_BODY = 64 * 1024;
/** Certificate errors that additional authorities may fix. */
const UNTRUSTED = /^UNABLE_TO_|SELF_SIGNED_CERT/;

/** The result of a WebSocket handshake. */
export type HandshakeOutcome =
  | { readonly kind: 'open'; readonly socket: WebSocket; readonly headers: IncomingHttpHeaders }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: string;
    };

interface HandshakeOptions {
  readonly url: URL;
  readonly headers: HttpHeaders;
  readonly agents: HttpAgents;
  readonly maxPayload: number;
  readonly signal: AbortSignal;
  /** Adds listeners to the socket: the first message may arrive with the end of the handshake. */
  readonly onSocket: (socket: WebSocket) => void;
}

/** Requests a WebSocket. Rejects without a reply, or if the reply is invalid. */
export async function askForWebSocket(options: HandshakeOptions): Promise<HandshakeOutcome> {
  const address = httpAddress(options.url);
  const agent = options.agents.agentFor(address);
  try {
    return await askOver(agent, options);
  } catch (error) {
    const isUntrusted = error instanceof Error && 'code' in error && UNTRUSTED.test(String(error.code));
    if (!isUntrusted || !options.agents.distrusted(agent)) throw error;
    return askOver(options.agents.agentFor(address), options);
  }
}

function askOver(agent: Agent | undefined, options: HandshakeOptions): Promise<HandshakeOutcome> {
  const { url, headers, maxPayload, signal, onSocket } = options;
  return new Promise((resolve, reject) => {
    if (signal.aborted) throw givenUp();
    const socket = new WebSocket(url, [SUBPROTOCOL], {
      headers: { ...headers },
      maxPayload,
      // Messages are small or frequent, so compression costs more than it saves.
      perMessageDeflate: false,
      ...(agent === undefined ? {} : { agent }),
    });
    const abort = (): void => socket.terminate();
    signal.addEventListener('abort', abort);
    const settle = (): void => signal.removeEventListener('abort', abort);
    let received: IncomingHttpHeaders = {};
    socket.on('upgrade', (response: IncomingMessage) => {
      received = response.headers;
      // Servers may ignore the offered subprotocols. The library would reject that.
      response.headers['sec-websocket-protocol'] ??= SUBPROTOCOL;
    });
    socket.once('open', () => {
      settle();
      resolve({ kind: 'open', socket, headers: received });
    });
    socket.once('unexpected-response', (_request, response: IncomingMessage) => {
      response.on('error', () => undefined);
      const connection = response.socket;
      void readBeginning(response, ERROR_BODY).then((body) => {
        settle();
        resolve({ kind: 'refused', status: response.statusCode ?? 0, headers: response.headers, body });
        // Many servers end the connection without announcing it, so it must not be reused.
        connection.destroy();
      });
    });
    // For the lifetime of the socket. After the handshake, errors also close it.
    socket.on('error', (error) => {
      settle();
      reject(signal.aborted ? givenUp() : toUnderstood(error, url));
    });
    onSocket(socket);
  });
}

/** The HTTP form of the address, for authorization. */
export function httpAddress(url: URL): URL {
  const address = new URL(url);
  address.protocol = url.protocol === 'wss:' ? 'https:' : url.protocol === 'ws:' ? 'http:' : url.protocol;
  return address;
}

function givenUp(): HostError {
  return new HostError('CANCELLED', 'The request was given up.', { layer: 'transport' });
}

/** Errors with a code come from the system. Others describe what was wrong with the reply. */
function toUnderstood(error: Error, url: URL): Error {
  if ('code' in error) return error;
  return new HostError('INVALID_MESSAGE', `${url.host} does not speak WebSocket: ${messageOf(error)}.`, {
    layer: 'protocol',
    effect: 'none',
    suggestion: "Check the server's `url`: it must be its WebSocket endpoint.",
    cause: error,
  });
}
