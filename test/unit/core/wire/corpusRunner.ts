import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_CANCELLATION } from '../../../../src/core/base/cancellation.ts';
import { isHostError } from '../../../../src/core/base/errors.ts';
import { type Json, jsonEquals, type JsonObject, parseJson } from '../../../../src/core/base/json.ts';
import { InitializedSession } from '../../../../src/core/session/initializedSession.ts';
import type { Session, SessionFeature } from '../../../../src/core/session/session.ts';
import { StatelessSession } from '../../../../src/core/session/statelessSession.ts';
import { METHODS } from '../../../../src/core/wire/mcpRevisions.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { initializeResult, NO_ANSWER, ScriptedServer } from '../../../support/scriptedServer.ts';

const ROOT = new URL('../../../corpus', import.meta.url).pathname;
const MODERN = '2026-07-28';
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
/** Handled by the JSON-RPC peer itself, so that only their decoding can be tested. */
const OF_THE_PEER = ['notifications/progress', 'notifications/cancelled'];

/** The request for each type of result. */
const ANSWERED: Readonly<Record<string, string>> = {
  CallToolResult: 'tools/call',
  CancelTaskResult: 'tasks/cancel',
  CompleteResult: 'completion/complete',
  CreateTaskResult: 'tools/call',
  DiscoverResult: 'server/discover',
  EmptyResult: 'resources/subscribe',
  GetPromptResult: 'prompts/get',
  GetTaskPayloadResult: 'tasks/result',
  GetTaskResult: 'tasks/get',
  InitializeResult: 'initialize',
  InputRequiredResult: 'tools/call',
  ListPromptsResult: 'prompts/list',
  ListResourceTemplatesResult: 'resources/templates/list',
  ListResourcesResult: 'resources/list',
  ListTasksResult: 'tasks/list',
  ListToolsResult: 'tools/list',
  ReadResourceResult: 'resources/read',
  SubscriptionsListenResult: 'subscriptions/listen',
  UpdateTaskResult: 'tasks/update',
};

export interface Example {
  readonly revision: string;
  readonly type: string;
  readonly name: string;
  readonly value: Json;
}

/** The examples in `test/corpus/<under>/<revision>/<type>/<name>.json`, in order. */
export function examples(under: '.' | 'rejected'): readonly Example[] {
  const root = join(ROOT, under);
  return namesIn(root)
    .filter((revision) => /^\d{4}-\d\d-\d\d$/.test(revision))
    .flatMap((revision) =>
      namesIn(join(root, revision)).flatMap((type) =>
        namesIn(join(root, revision, type)).map((file) => {
          const value = parseJson(readFileSync(join(root, revision, type, file), 'utf8'));
          return { revision, type, name: file.replace('.json', ''), value };
        }),
      ),
    );
}

function namesIn(folder: string): readonly string[] {
  return readdirSync(folder).sort();
}

/** `delivered` (unchanged), or the session's reaction as text. */
export async function send(example: Example): Promise<string> {
  const { type } = example;
  if (type === 'InitializeResult') return openWith(example);
  const bench = await Bench.open(example.revision);
  try {
    if (type === 'InputRequiredResult') return await bench.questions(example.value);
    if (type.endsWith('Result')) return await bench.result(ANSWERED[type] ?? type, example.value);
    if (type.endsWith('Notification')) return await bench.notification(example.value as JsonObject);
    const isAsked = ['CreateMessageRequest', 'ElicitRequest', 'ListRootsRequest'].includes(type);
    return example.revision === MODERN && isAsked
      ? await bench.input(example.value as JsonObject)
      : await bench.request(example.value as JsonObject);
  } finally {
    await bench.close();
  }
}

async function openWith({ value }: Example): Promise<string> {
  const server = new ScriptedServer({ initialize: () => value });
  try {
    const session = await initialized(optionsOf(server, [], [], new FakeClock()));
    session.dispose();
    return 'delivered';
  } catch (error) {
    return reasonOf(error);
  } finally {
    await server.transport.close();
    await settle();
  }
}

function initialized(options: Options): Promise<Session> {
  return InitializedSession.open({ ...options, startTimeoutMs: 1_000, onNegotiated: () => undefined });
}

type Options = ReturnType<typeof optionsOf>;

function optionsOf(server: ScriptedServer, features: readonly SessionFeature[], log: string[], clock: FakeClock) {
  return {
    transport: server.transport,
    clock,
    log: { log: (_level: string, line: string) => void log.push(line) },
    client: { name: 'corpus', title: 'Corpus', version: '1' },
    features,
    token: NO_CANCELLATION,
    dialect: 'off' as const,
  };
}

/** A session with a scripted server, and all messages that reached its features. */
class Bench {
  readonly #session: Session;
  readonly #server: ScriptedServer;
  readonly #clock: FakeClock;
  readonly #log: string[];
  readonly #seen: Seen[];

  private constructor(session: Session, server: ScriptedServer, clock: FakeClock, log: string[], seen: Seen[]) {
    this.#session = session;
    this.#server = server;
    this.#clock = clock;
    this.#log = log;
    this.#seen = seen;
  }

  static async open(revision: string): Promise<Bench> {
    const server = new ScriptedServer({ initialize: () => initializeResult({ protocolVersion: revision }) });
    const [log, seen, clock]: [string[], Seen[], FakeClock] = [[], [], new FakeClock()];
    const options = optionsOf(server, [recorder(seen)], log, clock);
    const info = { name: 's', title: undefined, version: '1', instructions: undefined };
    const discovered = { supportedVersions: [MODERN], capabilities: {}, info, freshness: undefined };
    const session =
      revision === MODERN
        ? StatelessSession.open({ ...options, protocolVersion: MODERN, discovered, roundTripMs: 0 })
        : await initialized(options);
    return new Bench(session, server, clock, log, seen);
  }

  async close(): Promise<void> {
    this.#session.dispose();
    await this.#server.transport.close();
    await settle();
  }

  async request(message: JsonObject): Promise<string> {
    this.#server.say({ jsonrpc: '2.0', id: 'asked', ...message });
    await settle();
    const answer = this.#server.messages.find(({ id, method }) => id === 'asked' && method === undefined);
    if (answer === undefined) return 'not answered';
    if (answer['error'] !== undefined) return failureIn(answer['error'] as JsonObject);
    return message['method'] === 'ping' ? 'delivered' : this.#whole(message);
  }

  async notification(message: JsonObject): Promise<string> {
    const { method, params } = message;
    if (OF_THE_PEER.includes(String(method))) {
      const decoded = this.#session.codec.decodeNotification(String(method), (params ?? {}) as JsonObject);
      return decoded.kind === 'ok'
        ? 'delivered'
        : `ignored: ${decoded.kind === 'invalid' ? decoded.why : decoded.kind}`;
    }
    this.#server.say({ jsonrpc: '2.0', ...message });
    await settle();
    return this.#seen.length === 0 ? (this.#log.at(-1) ?? 'lost') : this.#whole(message);
  }

  async result(method: string, value: Json): Promise<string> {
    this.#answer(method, [value]);
    return this.#ask(method, (answer) => (jsonEquals(answer, value) ? 'delivered' : 'changed'));
  }

  /** A question within a result. */
  async input(message: JsonObject): Promise<string> {
    this.#script({ resultType: 'input_required', inputRequests: { q: message } });
    return this.#ask('tools/call', () => this.#whole(message));
  }

  async questions(value: Json): Promise<string> {
    this.#script(value);
    return this.#ask('tools/call', () => {
      const asked = Object.keys(((value as JsonObject)['inputRequests'] as JsonObject | undefined) ?? {}).length;
      return this.#seen.length === asked ? 'delivered' : `heard ${this.#seen.length} of ${asked}`;
    });
  }

  /** Answers a call first with this, and then with its result. */
  #script(first: Json): void {
    this.#answer('tools/call', [first, { resultType: 'complete', content: [] }]);
  }

  /** Answers with these results, whatever they contain. */
  #answer(method: string, results: Json[]): void {
    this.#server.on(method, (_params, id) => {
      this.#server.answer(id, results.shift() ?? null);
      return NO_ANSWER;
    });
  }

  async #ask(method: string, judge: (answer: Json) => string): Promise<string> {
    const asked = this.#session.request(method, { name: 'x' }, { timeoutMs: 60_000 }).then(judge, reasonOf);
    // A server that only requests a retry gets it after a pause.
    await this.#clock.advance(1_000);
    return asked;
  }

  #whole({ method, params = {} }: JsonObject): string {
    const [seen] = this.#seen;
    return seen?.method === method && jsonEquals(seen?.params, params) ? 'delivered' : 'changed';
  }
}

interface Seen {
  readonly method: string;
  readonly params: JsonObject;
}

/** A feature that handles all messages of all revisions. */
function recorder(seen: Seen[]): SessionFeature {
  const toHost = METHODS.filter(({ direction }) => direction !== 'toServer').map(({ method }) => method);
  const record = (method: string) => (params: JsonObject) => {
    seen.push({ method, params });
    return {};
  };
  const all = Object.fromEntries(toHost.map((method) => [method, record(method)]));
  return { capabilities: TASKS, requests: all, notifications: all };
}

function failureIn({ code, message }: JsonObject): string {
  return `${String(code)} ${String(message)}`;
}

function reasonOf(error: unknown): string {
  return isHostError(error) ? `${error.code} ${error.message}` : String(error);
}
