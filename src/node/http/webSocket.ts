import type { WebSocket } from 'ws';
import {
  type ConnectContext,
  Deferred,
  type Disposable,
  HostError,
  ignoreFailure,
  isJsonObject,
  type Json,
  type MemberPath,
  type OpenTransport,
  type RemoteConnection,
  type Transport,
  type TransportClosed,
  type TransportDetails,
  messageText,
  type SendHints,
} from '../../core/index.ts';
import type { Delivery } from './delivery.ts';
import { type HttpAgents, OwnAgents } from './httpAgents.ts';
import { networkFailure, statusFailure } from './httpFailure.ts';
import { type RemoteServer, remoteServer, type RemoteTransportOptions } from './remoteServer.ts';
import { askForWebSocket, type HandshakeOutcome, httpAddress } from './webSocketHandshake.ts';

/** Time for the server to accept a WebSocket. */
const START_MS = 30_000;
/** Interval of pings to a silent server. It must answer before the next one. */
const PING_MS = 30_000;
/** Time for the server to close. */
const CLOSE_MS = 2_000;
const MAX_UNREAD = 64 * 1024 * 1024;
const NORMAL = 1_000;

/** Opens a WebSocket connection. Throws a `HostError` for an invalid address. */
export function openWebSocket(
  connection: RemoteConnection,
  context: ConnectContext,
  options: RemoteTransportOptions = {},
): OpenTransport & { readonly transport: WebSocketTransport } {
  const server = remoteServer(connection, ['ws', 'wss', 'http', 'https'], context, options);
  // Fragments are not sent, and WebSocket URLs must not have them.
  server.url.hash = '';
  return { transport: new WebSocketTransport(server), pid: undefined };
}

type Refused = Extract<HandshakeOutcome, { kind: 'refused' }>;

/** One message per text frame. */
export class WebSocketTransport implements Transport {
  readonly details: TransportDetails = { kind: 'websocket' };
  readonly #server: RemoteServer;
  readonly #delivery: Delivery;
  readonly #agents: HttpAgents;
  readonly #starting = new AbortController();
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #gone = new Deferred<void>();
  /** Messages that wait for the connection. Empty once it is open. */
  readonly #queue: { readonly message: Json; readonly text: string }[] = [];
  #socket: WebSocket | undefined;
  #timer: Disposable | undefined;
  #isAlive = true;
  #failure: HostError | undefined;
  #closing: Promise<void> | undefined;

  readonly onClose: Delivery['onClose'];
  /** Also fires for a request that could not be sent, so that its caller gets the reason. */
  readonly onDropped: Delivery['onDropped'];

  constructor(server: RemoteServer) {
    this.#server = server;
    this.#delivery = server.delivery;
    this.onClose = server.delivery.onClose;
    this.onDropped = server.delivery.onDropped;
    this.#agents = server.agents ?? new OwnAgents();
    ignoreFailure(this.#connect());
  }

  start(receiver: (message: Json) => void): void {
    this.#delivery.start(receiver);
  }

  send(message: Json, hints?: SendHints): void {
    const text = messageText(message, hints?.parts);
    if (this.#closing !== undefined || this.#failure !== undefined) return;
    if (this.#socket !== undefined) {
      this.#write(this.#socket, text);
      return;
    }
    this.#queue.push({ message, text });
  }

  leaveUnread(paths: readonly MemberPath[]): void {
    this.#delivery.leaveUnread(paths);
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #connect(): Promise<void> {
    try {
      const refused = await this.#open();
      if (refused === undefined) return;
      const { status, body, headers } = refused;
      const failure = statusFailure({
        status,
        body,
        retryAfter: headers['retry-after'],
        now: this.#server.clock.now(),
      });
      this.#failToStart(headers.location === undefined ? failure : elsewhere(failure, headers.location));
    } catch (error) {
      this.#failToStart(networkFailure(error, this.#server.url));
    }
  }

  /** Opens the connection, and retries once with the credentials that the server asks for. */
  async #open(): Promise<Refused | undefined> {
    const first = await this.#ask();
    if (first.kind === 'open') return undefined;
    const again = (await this.#isWorthAnother(first)) ? await this.#ask() : first;
    return again.kind === 'open' ? undefined : again;
  }

  async #ask(): Promise<HandshakeOutcome> {
    this.#limitStart();
    const { signal } = this.#starting;
    const url = httpAddress(this.#server.url);
    const credentials = await this.#server.authorizer?.headersFor({ method: 'GET', url }, signal);
    const outcome = await askForWebSocket({
      url: this.#server.url,
      headers: { ...this.#server.headers, ...credentials },
      agents: this.#agents,
      maxPayload: this.#server.maxMessage,
      signal,
      onSocket: (socket) => this.#listen(socket),
    });
    const status = outcome.kind === 'open' ? 101 : outcome.status;
    this.#server.authorizer?.replied({ status, url, headers: outcome.headers });
    return outcome;
  }

  async #isWorthAnother(refused: Refused): Promise<boolean> {
    const { status, headers } = refused;
    const isChallenge = status === 401 || (status === 403 && headers['www-authenticate'] !== undefined);
    const { authorizer, url } = this.#server;
    if (!isChallenge || authorizer === undefined) return false;
    // The user may take any time.
    this.#timer?.dispose();
    return authorizer.challenged({ status, url: httpAddress(url), headers }, this.#starting.signal);
  }

  #limitStart(): void {
    this.#timer?.dispose();
    this.#timer = this.#server.clock.delay(START_MS, () => {
      this.#failure = noConnection(this.#server.url);
      this.#starting.abort();
    });
  }

  #listen(socket: WebSocket): void {
    socket.once('open', () => this.#opened(socket));
    socket.on('message', (data: Buffer, isBinary) => {
      this.#isAlive = true;
      this.#take(data, isBinary);
    });
    socket.on('ping', () => (this.#isAlive = true));
    socket.on('pong', () => (this.#isAlive = true));
    socket.once('error', (error) => {
      if (this.#socket === socket) this.#failure ??= this.#brokenBy(error);
    });
    socket.once('close', (code: number, reason: Buffer) => {
      if (this.#socket === socket) this.#ended(code, reason.toString());
    });
  }

  #opened(socket: WebSocket): void {
    this.#timer?.dispose();
    if (this.#closing !== undefined) {
      socket.terminate();
      return;
    }
    this.#socket = socket;
    for (const { text } of this.#queue.splice(0)) this.#write(socket, text);
    this.#watch(socket);
  }

  #take(data: Buffer, isBinary: boolean): void {
    // The content of a text frame is valid UTF-8.
    if (!isBinary) this.#delivery.text(data);
    else this.#delivery.text(this.#decoded(data));
  }

  #decoded(data: Buffer): string {
    try {
      return this.#decoder.decode(data);
    } catch {
      return `${data.length} bytes that are no text`;
    }
  }

  #write(socket: WebSocket, text: string): void {
    // A failure also closes the connection.
    socket.send(text, () => undefined);
    if (socket.bufferedAmount <= MAX_UNREAD || this.#failure !== undefined) return;
    this.#failure = unread();
    socket.terminate();
  }

  /** A silent connection may be dead without an error. */
  #watch(socket: WebSocket): void {
    this.#isAlive = false;
    if (socket.readyState === socket.OPEN) socket.ping(() => undefined);
    this.#timer = this.#server.clock.delay(PING_MS, () => {
      this.#timer?.dispose();
      if (this.#isAlive) this.#watch(socket);
      else {
        this.#failure ??= silent();
        socket.terminate();
      }
    });
  }

  #brokenBy(error: Error): HostError {
    if ('code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return tooLarge(this.#server.maxMessage);
    return networkFailure(error, this.#server.url);
  }

  #ended(code: number, reason: string): void {
    this.#end(this.#closing === undefined ? { error: this.#failure ?? closedByServer(code, reason) } : {});
  }

  #failToStart(failure: HostError): void {
    this.#failure ??= failure;
    const error = this.#failure;
    if (this.#closing === undefined)
      for (const { message } of this.#queue.splice(0)) {
        const id = requestId(message);
        if (id !== undefined) this.#delivery.drop({ id, isRequest: false, error });
      }
    this.#end(this.#closing === undefined ? { error } : {});
  }

  #end(closed: TransportClosed): void {
    this.#timer?.dispose();
    this.#agents.close();
    this.#gone.resolve();
    this.#delivery.end(closed);
  }

  async #shutDown(): Promise<void> {
    const socket = this.#socket;
    const timer = this.#server.clock.delay(CLOSE_MS, () => {
      if (socket === undefined) this.#end({});
      else socket.terminate();
    });
    if (socket === undefined) this.#starting.abort();
    else socket.close(NORMAL);
    await this.#gone.promise;
    timer.dispose();
  }
}

function requestId(message: Json): number | string | undefined {
  const { id, method } = isJsonObject(message) ? message : {};
  return method !== undefined && (typeof id === 'number' || typeof id === 'string') ? id : undefined;
}

function noConnection({ host }: URL): HostError {
  return new HostError('TIMEOUT', `${host} did not agree to a WebSocket within ${START_MS / 1000} seconds.`, {
    layer: 'transport',
    effect: 'none',
    suggestion: "Check the server's `url`: it must be its WebSocket endpoint.",
  });
}

/** Redirects are not followed, because headers may contain secrets. */
function elsewhere({ message, category, effect }: HostError, location: string): HostError {
  return new HostError('REMOTE_ERROR', `${message}: the server sends to ${location.slice(0, 200)}`, {
    layer: 'transport',
    category,
    effect,
    suggestion: "Set the server's `url` to its final address.",
  });
}

function closedByServer(code: number, reason: string): HostError {
  const why = reason === '' ? String(code) : `${code}, “${reason}”`;
  return new HostError('CONNECTION_CLOSED', `The server closed the connection (${why}).`, {
    layer: 'transport',
    category: `ws-${code}`,
    suggestion: afterClose(code),
  });
}

/** By registered close codes, and the common variants of 401 and 403. */
function afterClose(code: number): string {
  if ([3000, 4001, 4401].includes(code))
    return "Check the credentials: correct the token in `headers` in the server's settings, then start the server again.";
  if ([1008, 3003, 4003, 4403].includes(code))
    return "Check that you may use this server, and the credentials in `headers` in the server's settings.";
  return 'Start the server again.';
}

function silent(): HostError {
  return new HostError(
    'CONNECTION_CLOSED',
    `The server has been silent for ${PING_MS / 1000} seconds, even when asked.`,
    {
      layer: 'transport',
      suggestion: 'Check the network, then start the server again.',
    },
  );
}

function unread(): HostError {
  return new HostError('CONNECTION_CLOSED', 'The server does not read: more than 64 MB wait for it.', {
    layer: 'transport',
    suggestion: 'Start the server again, and report this to its author.',
  });
}

function tooLarge(limit: number): HostError {
  return new HostError(
    'MESSAGE_TOO_LARGE',
    `The server sent more than ${Math.floor(limit / 1024 / 1024)} MB at once.`,
    { layer: 'transport', suggestion: 'Ask for less at once.' },
  );
}
