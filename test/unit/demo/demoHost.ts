import { createDemo, type Demo } from '../../../src/demo/demo.ts';
import { PARTS, type Part } from '../../../src/demo/demoFeatureSets.ts';
import type { DemoMessage } from '../../support/demoMessages.ts';

const START = Date.UTC(2026, 0, 23, 14);

/** The host of the demo in the same process: its messages, log, and a clock that the test moves. */
export class DemoHost {
  readonly sent: DemoMessage[] = [];
  readonly logged: string[] = [];
  readonly #demo: Demo;
  readonly #timers = new Set<{ readonly at: number; readonly run: () => void }>();
  #now = START;
  #lastId = 100;
  #lastReminder = 0;
  #lastMark = 0;

  constructor(parts: readonly Part[] = PARTS) {
    this.#demo = createDemo({
      parts,
      write: (message) => this.sent.push(JSON.parse(JSON.stringify(message)) as DemoMessage),
      log: (line) => this.logged.push(line),
      newId: () => `${++this.#lastReminder}`,
      newMark: () => `${++this.#lastMark}`,
      clock: {
        now: () => this.#now,
        delay: (milliseconds, run) => {
          const timer = { at: this.#now + milliseconds, run };
          this.#timers.add(timer);
          return () => this.#timers.delete(timer);
        },
      },
    });
  }

  get timers(): number {
    return this.#timers.size;
  }

  send(message: object): void {
    this.#demo.receive(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  end(): void {
    this.#demo.end();
  }

  async request(method: string, params: object = {}): Promise<DemoMessage> {
    const id = ++this.#lastId;
    this.send({ id, method, params });
    await settled();
    return this.answerTo(id);
  }

  answerTo(id: number | string): DemoMessage {
    const answer = this.sent.find((message) => message.method === undefined && message.id === id);
    if (answer === undefined) throw new Error('The demo has not answered.');
    return answer;
  }

  /** Opens the connection like a host with MCPL and these enabled sets. */
  async open(...enabled: readonly string[]): Promise<DemoMessage> {
    const mcpl = { version: '0.2', featureSets: { enabled: [], disabled: [] } };
    const answer = await this.initialize({ experimental: { mcpl } });
    this.send({ method: 'notifications/initialized' });
    this.update(enabled, []);
    return answer;
  }

  initialize(capabilities: object, beside: object = {}): Promise<DemoMessage> {
    return this.request('initialize', { protocolVersion: '2025-11-25', capabilities, ...beside });
  }

  update(enabled: readonly string[], disabled: readonly string[]): void {
    this.send({ method: 'featureSets/update', params: { enabled, disabled } });
  }

  before(userMessage: string | null): Promise<DemoMessage> {
    return this.request('context/beforeInference', { ...TURN, userMessage });
  }

  after(userMessage: string | null, assistantMessage: string): Promise<DemoMessage> {
    return this.request('context/afterInference', { ...TURN, userMessage, assistantMessage, usage: USAGE });
  }

  /** The same as a notification. */
  tell(userMessage: string): void {
    const params = { ...TURN, userMessage, assistantMessage: 'Fine.', usage: USAGE };
    this.send({ method: 'context/afterInference', params });
  }

  call(name: string, args: object = {}, meta?: object): Promise<DemoMessage> {
    return this.request('tools/call', { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) });
  }

  /** A call from a host that keeps states, with members besides its arguments. */
  callWith(beside: object, name: string, args: object = {}): Promise<DemoMessage> {
    return this.request('tools/call', { name, arguments: args, ...beside });
  }

  rollBack(featureSet: string, checkpoint: unknown): Promise<DemoMessage> {
    return this.request('state/rollback', { featureSet, checkpoint });
  }

  /** Starts a call that needs another event to end. */
  start(name: string, meta: object = {}): void {
    this.send({ id: ++this.#lastId, method: 'tools/call', params: { name, _meta: meta } });
  }

  /** The last message, as the outcome of a call. */
  get outcome(): string {
    const { content, isError } = this.sent.at(-1)?.result ?? {};
    return `${isError === true ? 'ERROR ' : ''}${content?.[0].text ?? ''}`;
  }

  /** The demo's unanswered requests, by method. */
  asked(method: string): readonly DemoMessage[] {
    return this.sent.filter((message) => message.method === method && message.id !== undefined);
  }

  async answer(method: string, answer: { readonly result: object } | { readonly error: object }): Promise<void> {
    const id = this.asked(method).at(-1)?.id;
    if (id === undefined) throw new Error(`The demo did not ask ${method}.`);
    this.send({ id, ...answer });
    await settled();
  }

  async pass(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
    for (const timer of [...this.#timers].filter(({ at }) => at <= this.#now)) {
      this.#timers.delete(timer);
      timer.run();
    }
    await settled();
  }
}

const MODEL = { id: 'm', vendor: 'v', contextWindow: 1_000, capabilities: [] };
const TURN = { inferenceId: 'inf_1', conversationId: 'conv_1', turnIndex: 0, model: MODEL };
const USAGE = { inputTokens: 1, outputTokens: 1 };

/** Resolves when everything has settled that needs no time. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
