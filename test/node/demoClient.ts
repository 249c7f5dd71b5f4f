import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { DemoMessage } from '../support/demoMessages.ts';

const script = fileURLToPath(new URL('../../src/demo/server.ts', import.meta.url));

/** The real process, started like the editor does: by the path of the runtime, without programs on the PATH. */
export class DemoClient {
  readonly process: ChildProcessWithoutNullStreams;
  readonly messages: DemoMessage[] = [];
  stderr = '';
  readonly #arrived = new EventEmitter().setMaxListeners(0);

  constructor(args: readonly string[] = [], cwd?: string) {
    this.process = spawn(process.execPath, [script, ...args], {
      env: { PATH: '/nowhere', ELECTRON_RUN_AS_NODE: '1' },
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.process.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
      this.#arrived.emit('any');
    });
    createInterface({ input: this.process.stdout }).on('line', (line) => {
      this.messages.push(JSON.parse(line) as DemoMessage);
      this.#arrived.emit('any');
    });
  }

  write(text: string | Buffer): void {
    this.process.stdin.write(text);
  }

  send(message: object): void {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  async until(found: (message: DemoMessage) => boolean): Promise<DemoMessage> {
    for (;;) {
      const message = this.messages.find(found);
      if (message !== undefined) return message;
      await once(this.#arrived, 'any');
    }
  }

  async said(words: string): Promise<void> {
    while (!this.stderr.includes(words)) await once(this.#arrived, 'any');
  }

  answer(id: number | string | null): Promise<DemoMessage> {
    return this.until((message) => message.method === undefined && message.id === id);
  }

  async request(id: number, method: string, params: object = {}): Promise<DemoMessage> {
    this.send({ id, method, params });
    return this.answer(id);
  }

  async initialize(protocolVersion = '2025-11-25', capabilities: object = {}): Promise<DemoMessage> {
    const answer = await this.request(0, 'initialize', { protocolVersion, capabilities });
    this.send({ method: 'notifications/initialized' });
    return answer;
  }

  call(id: number, name: string, args: object, meta?: object): Promise<DemoMessage> {
    return this.request(id, 'tools/call', { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) });
  }

  /** A call from a host that has decided what it may touch. */
  scoped(id: number, name: string, args: object, scope: unknown): Promise<DemoMessage> {
    return this.request(id, 'tools/call', { name, arguments: args, scope });
  }

  async end(): Promise<void> {
    if (this.process.exitCode !== null) return;
    this.process.stdin.end();
    await once(this.process, 'close');
  }
}
