import { spawn } from 'node:child_process';
import { ACCEPTED, type BenchClient, type OpenClient, type ServerCommand, serverCommand } from './client.ts';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly progressToken?: number };
  readonly result?: unknown;
}

const NEWLINE = 0x0a;

/** Splits chunks into lines, without limits, checks or timers. */
class Lines {
  #pieces: Buffer[] = [];

  push(chunk: Buffer, onLine: (line: string) => void): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const last = chunk.subarray(from, end);
      onLine(this.#pieces.length === 0 ? last.toString() : Buffer.concat([...this.#pieces, last]).toString());
      this.#pieces = [];
      from = end + 1;
    }
    if (from < chunk.length) this.#pieces.push(chunk.subarray(from));
  }
}

/** The minimal client. Everything above it is a variant's own cost. */
export const openFloor: OpenClient = (onNotification) => floorTo(serverCommand, onNotification);

export const floorTo = async ({ command, args }: ServerCommand, onNotification: () => void): Promise<BenchClient> => {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const pending = new Map<number, (result: unknown) => void>();
  const listeners = new Map<number, () => void>();
  const lines = new Lines();
  let lastId = 0;
  let outbox = '';

  const flush = (): void => {
    const text = outbox;
    outbox = '';
    child.stdin.write(text);
  };
  const send = (message: object): void => {
    if (outbox === '') process.nextTick(flush);
    outbox += `${JSON.stringify(message)}\n`;
  };
  const receive = (line: string): void => {
    const { id, method, params, result } = JSON.parse(line) as Message;
    if (method === undefined) {
      const settle = pending.get(id ?? 0);
      pending.delete(id ?? 0);
      settle?.(result);
    } else if (id !== undefined) send({ jsonrpc: '2.0', id, result: method === 'ping' ? {} : ACCEPTED });
    else if (method === 'notifications/progress') listeners.get(params?.progressToken ?? 0)?.();
    else onNotification();
  };
  child.stdout.on('data', (chunk: Buffer) => lines.push(chunk, receive));

  const request = (method: string, params: object): Promise<unknown> => {
    const id = ++lastId;
    return new Promise((resolve) => {
      pending.set(id, resolve);
      send({ jsonrpc: '2.0', id, method, params });
    });
  };
  const call: BenchClient['call'] = (name, args, onProgress) => {
    if (onProgress === undefined) return request('tools/call', { name, arguments: args });
    const progressToken = lastId + 1;
    listeners.set(progressToken, onProgress);
    return request('tools/call', { name, arguments: args, _meta: { progressToken } });
  };

  const clientInfo = { name: 'floor', version: '1.0.0' };
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return {
    call,
    close: () =>
      new Promise((resolve) => {
        child.once('close', () => resolve());
        child.stdin.end();
      }),
  };
};
