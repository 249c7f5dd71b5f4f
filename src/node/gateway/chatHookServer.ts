import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import {
  CancellationSource,
  type ChatHookHost,
  ChatHooks,
  type Clock,
  type Ids,
  type Logger,
} from '../../core/index.ts';
import { ChatHookFile, type ChatHookFilesOptions } from './chatHookFiles.ts';
import { closeLocalServer, createLocalServer, GatewayAccess, type LocalServer, refuse } from './localServer.ts';
import { type ListenAddress, listenAt } from './listenAddress.ts';
import { readBody } from './gatewayExchange.ts';

interface ChatHookServerOptions {
  readonly host: ChatHookHost;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly files?: ChatHookFilesOptions;
}

export interface ChatHookServer {
  /** Publishes the window's address and folders for the scripts. */
  publish(folders: readonly string[]): Promise<void>;
  dispose(): Promise<void>;
}

const PATH = '/hooks';
const LIMITS = { headersMs: 5_000, requestMs: 10_000, connections: 64, strangers: 16, strangerMs: 3_000, youngMs: 500 };
/** Large enough for a prompt with its context. */
const BODY_BYTES = 4 * 1024 * 1024;

/**
 * Answers the chat hook script. It is separate from the gateway: it always uses a loopback port, whatever transport the
 * gateway has, and its token, which is stored in a file, is valid for nothing else.
 */
export async function startChatHookServer(options: ChatHookServerOptions): Promise<ChatHookServer> {
  const { server, admit } = createLocalServer(LIMITS);
  const hooks = new LoopbackHooks(server, admit, await listenAt(server, 'loopback', options.ids), options);
  server.on('request', (request, response) => hooks.take(request, response));
  return hooks;
}

class LoopbackHooks implements ChatHookServer {
  readonly #server: Server;
  readonly #admit: LocalServer['admit'];
  readonly #address: ListenAddress;
  readonly #access: GatewayAccess;
  readonly #hooks: ChatHooks;
  readonly #file: ChatHookFile;
  #closing: Promise<void> | undefined;
  /** Serializes writes, so that the last one wins. */
  #writing: Promise<void> = Promise.resolve();

  constructor(
    server: Server,
    admit: LocalServer['admit'],
    address: ListenAddress,
    { files, ...options }: ChatHookServerOptions,
  ) {
    this.#server = server;
    this.#admit = admit;
    this.#address = address;
    this.#access = new GatewayAccess(address.hosts, options.ids);
    this.#hooks = new ChatHooks({ ...options, readTail });
    this.#file = new ChatHookFile(files);
  }

  publish(folders: readonly string[]): Promise<void> {
    const url = `${this.#address.origin}${PATH}`;
    const written = this.#writing.then(async () => {
      if (this.#closing === undefined) await this.#file.write({ url, token: this.#access.token, folders });
    });
    this.#writing = written.catch(() => undefined);
    return written;
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    // The script may be killed at any time.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    const isOurs = this.#closing === undefined && request.method === 'POST' && request.url === PATH;
    if (!isOurs || !this.#access.knows(request)) return refuse(request, response);
    this.#admit(request);
    this.#answer(request, response).catch(() => response.destroy());
  }

  dispose(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#hooks.dispose();
    await this.#writing;
    await this.#file.remove();
    await closeLocalServer(this.#server);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request, BODY_BYTES);
    if (body.kind === 'aborted') return;
    if (body.kind !== 'json') {
      response.writeHead(body.kind === 'tooLarge' ? 413 : 400, { Connection: 'close' }).end();
      // Reads and discards the rest: closing the connection now could lose the answer.
      request.resume();
      return;
    }
    const source = new CancellationSource();
    response.on('close', () => source.cancel());
    const answer = await this.#hooks.answer(body.value, source.token);
    const text = JSON.stringify(answer);
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
    response.writeHead(200, { ...headers, Connection: 'close' }).end(text);
  }
}

const MAX_TAIL = 2 * 1024 * 1024;

/** Reads the end of a regular file as text. Returns undefined if that fails. Does not follow links. */
async function readTail(path: string): Promise<string | undefined> {
  // Windows has neither flag. Opening another program's pipe would block.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return undefined;
    const length = Math.min(stats.size, MAX_TAIL);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, stats.size - length);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
