import { Agent, type IncomingMessage, request } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as gatewayModule from '../../src/node/gateway/gatewayServer.ts';
import { nodeIds } from '../../src/node/nodePorts.ts';
import { builtHost } from './buildPaths.ts';
import { serverCommand } from './clients/client.ts';
import { startHost } from './clients/host.ts';
import type { Params } from './job.ts';
import type { Metrics } from './measure.ts';
import { median, percentile } from './statistics.ts';

/** Measures the gateway of a host. */
export type GatewayProcedure = (variant: string, params: Params) => Promise<Metrics>;

const SERVER = 'bench';
const ARGS = { text: 'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor.' };

/** The accepted formats of the answer. The editor's client accepts both, and gets a stream. */
const ACCEPTS: Readonly<Record<string, string>> = {
  stream: 'text/event-stream, application/json',
  single: 'application/json',
};

const number = (params: Params, name: string): number => {
  const value = params[name];
  if (typeof value !== 'number') throw new Error(`The measurement needs the number "${name}".`);
  return value;
};

const textOf = async (response: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return text;
};

const sizeOf = async (response: IncomingMessage): Promise<number> => {
  let size = 0;
  for await (const chunk of response) size += (chunk as Buffer).length;
  return size;
};

interface Answer<T> {
  readonly headers: IncomingMessage['headers'];
  readonly body: T;
}

/** A minimal client with Node's HTTP and keep-alive connections. It does not read the answer. */
export class Caller {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #address: gatewayModule.GatewayAddress;
  readonly #accept: string;
  #session = '';
  #id = 0;

  constructor(address: gatewayModule.GatewayAddress, accept: string) {
    this.#address = address;
    this.#accept = accept;
  }

  async open(): Promise<void> {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
    const { headers } = await this.#post({ jsonrpc: '2.0', id: ++this.#id, method: 'initialize', params });
    this.#session = String(headers['mcp-session-id']);
    await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  async call(): Promise<void> {
    const _meta = { 'vscode.conversationId': 'bench', progressToken: this.#id };
    const params = { name: 'echo', arguments: ARGS, _meta };
    const { body: text } = await this.#post({ jsonrpc: '2.0', id: ++this.#id, method: 'tools/call', params });
    if (!text.includes('"content"')) throw new Error(`The gateway answered ${text}.`);
  }

  /** Only counts the answer, because keeping 10 MB as text would cost more than the measured part. */
  async large(tool: string, args: object): Promise<void> {
    const params = { name: tool, arguments: args };
    const read = await this.#post({ jsonrpc: '2.0', id: ++this.#id, method: 'tools/call', params }, sizeOf);
    if (read.body < 1e6) throw new Error(`The gateway answered ${read.body} bytes.`);
  }

  /** The answer as text, including the framing of a stream. */
  async list(): Promise<string> {
    const { body: text } = await this.#post({ jsonrpc: '2.0', id: ++this.#id, method: 'tools/list' });
    return text;
  }

  close(): void {
    this.#agent.destroy();
  }

  #post(message: object): Promise<Answer<string>>;
  #post<T>(message: object, read: (response: IncomingMessage) => Promise<T>): Promise<Answer<T>>;
  #post(message: object, read: (response: IncomingMessage) => Promise<unknown> = textOf): Promise<Answer<unknown>> {
    const { url, headers, socket } = this.#address;
    const body = JSON.stringify(message);
    const all = {
      ...headers,
      accept: this.#accept,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(this.#session !== '' && { 'mcp-session-id': this.#session }),
    };
    const options = { method: 'POST', headers: all, agent: this.#agent, ...(socket && { socketPath: socket }) };
    return new Promise((resolve, reject) => {
      const sent = request(url, options, (response) => {
        read(response).then((content) => resolve({ headers: response.headers, body: content }), reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

const took = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

/** Alternates a call of the host and one through the gateway, so that disturbances affect both. */
const added: GatewayProcedure = async (variant, params) => {
  const accept = ACCEPTS[variant];
  if (accept === undefined) throw new Error(`There is no variant "${variant}".`);
  const host = await startHost({ [SERVER]: serverCommand });
  const built = join(dirname(builtHost), 'gatewayServer.js');
  const { startGateway } = createRequire(import.meta.url)(built) as typeof gatewayModule;
  const gateway = await startGateway({ host, ids: nodeIds });
  const caller = new Caller(gateway.address(SERVER), accept);
  await caller.open();
  const directly = (): Promise<unknown> =>
    host.callTool({ server: SERVER, tool: 'echo', args: ARGS, route: 'gateway', conversationId: 'bench' });
  const through = (): Promise<void> => caller.call();
  const direct: number[] = [];
  const ours: number[] = [];
  const warmUp = number(params, 'warmUp');
  for (let i = -warmUp; i < number(params, 'calls'); i++) {
    const [first, second] = [await took(directly), await took(through)];
    if (i < 0) continue;
    direct.push(first);
    ours.push(second);
  }
  caller.close();
  await gateway.dispose();
  await host.close();
  const differences = ours.map((ms, index) => ms - (direct[index] ?? Number.NaN));
  return {
    added: median(differences),
    p99: percentile(differences, 0.99),
    direct: median(direct),
    through: median(ours),
  };
};

export const gatewayProcedures: Readonly<Record<string, GatewayProcedure>> = { gateway: added };
