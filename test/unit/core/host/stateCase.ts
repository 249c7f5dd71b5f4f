import type { CancellationToken } from '../../../../src/core/base/cancellation.ts';
import { DisposableStore } from '../../../../src/core/base/disposable.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import {
  annotationTexts,
  type HostLimits,
  type Operation,
  type ResultView,
  type StateTrouble,
} from '../../../../src/core/index.ts';
import type { StateStore, Storage } from '../../../../src/core/ports.ts';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { settle } from '../../../support/fakeClock.ts';
import { initializeResult, ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';
// Loaded here, so that the host's lazy import takes no time in tests.
import '../../../../src/core/states/stateService.ts';

export const notes = { description: 'Notes.', uses: ['tools'], rollback: true, hostState: true };
export const git = { description: 'Commits.', uses: ['tools'], rollback: true, hostState: false };

type Answer = Parameters<ScriptedServer['on']>[1];

export interface StateSetting {
  readonly version?: string;
  readonly sets?: JsonObject;
  readonly enabled?: readonly string[];
  /** `null`: a server without MCPL. */
  readonly mcpl?: null;
  /** The set of each tool. '' for none. */
  readonly tools?: Readonly<Record<string, string>>;
  readonly hints?: Readonly<Record<string, JsonObject>>;
  readonly storage?: Storage;
  readonly entry?: JsonObject;
  /** Additional members of the server's capabilities and tools. */
  readonly capabilities?: JsonObject;
  readonly revision?: string;
  readonly toolExtra?: JsonObject;
  readonly responders?: Readonly<Record<string, Answer>>;
  /** Called before anything starts. */
  prepare?(t: TestHost): void;
}

type Failing = 'base' | 'lineages' | 'record' | 'move' | 'trim' | 'version';

/** A store whose operations a test can fail. */
export class FailingStates {
  readonly storage: Storage;
  /** The failing operations, with their errors. */
  readonly fails = new Map<Failing, string>();
  /** Each use of the store. */
  readonly uses: string[] = [];

  constructor(inner: Storage = memoryStorage()) {
    const { states } = inner;
    const on = (name: Failing): ((...args: readonly unknown[]) => Promise<unknown>) => {
      const whole = states[name].bind(states) as (...args: readonly unknown[]) => Promise<unknown>;
      return (...args) => {
        this.uses.push(name);
        const why = this.fails.get(name);
        return why === undefined ? whole(...args) : Promise.reject(new Error(why));
      };
    };
    const names: readonly Failing[] = ['base', 'lineages', 'record', 'move', 'trim', 'version'];
    const failing = new Map<string, unknown>(names.map((name) => [name, on(name)]));
    this.storage = {
      ...inner,
      states: new Proxy(states, {
        get: (target, name: keyof StateStore) => failing.get(name) ?? target[name].bind(target),
      }),
    };
  }

  fill(): void {
    for (const name of ['record', 'move', 'trim'] as const) this.fails.set(name, 'The disk is full.');
  }
}

/** A host with one server that has state. The test decides its answers. */
export class StateCase {
  readonly t: TestHost;
  readonly operations: Operation[] = [];
  readonly troubles: StateTrouble[] = [];
  readonly #entry: JsonObject;
  readonly #store = new DisposableStore();
  #answer: Answer = () => ({ content: [{ type: 'text', text: 'done' }] });
  #rollback: Answer = (params) => ({ checkpoint: params['checkpoint'] ?? null, success: true });

  private constructor(t: TestHost, entry: JsonObject) {
    this.t = t;
    this.#entry = entry;
  }

  static async open(setting: StateSetting = {}): Promise<StateCase> {
    const { version = '0.2', sets = { notes }, hints = {}, entry = {}, storage } = setting;
    const tools = Object.entries(setting.tools ?? { add: 'notes' }).map(([name, featureSet]) =>
      tool(name, {
        ...(hints[name] !== undefined && { annotations: hints[name] }),
        ...setting.toolExtra,
        ...(featureSet !== '' && { _meta: { featureSet } }),
      }),
    );
    const t = new TestHost(storage);
    setting.prepare?.(t);
    const experimental = setting.mcpl === null ? {} : { experimental: { mcpl: { version, featureSets: sets } } };
    const hello = {
      protocolVersion: setting.revision ?? '2025-06-18',
      capabilities: { tools: {}, ...setting.capabilities, ...experimental },
    };
    const enabled = [...(setting.enabled ?? Object.keys(sets))];
    const whole = { command: 'x', enabled: true, featureSets: { enabled }, ...entry };
    const c = new StateCase(t, whole);
    t.connect = () =>
      new ScriptedServer({
        initialize: () => initializeResult(hello),
        'tools/list': () => ({ tools }),
        'tools/call': (params, id) => c.#answer(params, id),
        'state/rollback': (params, id) => c.#rollback(params, id),
        'featureSets/update': () => ({ accepted: true }),
        ...setting.responders,
      });
    c.#store.add(t.host.onDidChangeOperation((operation) => c.operations.push(operation)));
    c.#store.add(t.host.lineages.onDidBreak((trouble) => c.troubles.push(trouble)));
    await t.user({ a: whole });
    return c;
  }

  /** Sets the server's answer to calls. */
  answers(answer: Answer): void {
    this.#answer = answer;
  }

  /** Sets its answer to `state/rollback`. */
  rollsBack(answer: Answer): void {
    this.#rollback = answer;
  }

  /** Changes members of the entry, like an edit of the settings file. */
  async rewrite(members: JsonObject): Promise<void> {
    await this.t.user({ a: { ...this.#entry, ...members } });
    await settle();
  }

  /** Sets limits of the user. */
  limit(limits: Partial<HostLimits>): void {
    this.t.host.configure({ trusted: true, layers: [{ scope: 'user', servers: { a: this.#entry } }], limits });
  }

  /** Starts a call. */
  begin(
    name: string,
    args: JsonObject = {},
    more: { readonly chat?: string | undefined; readonly token?: CancellationToken } = {},
  ): Promise<ResultView> {
    const { chat, token } = more;
    const request = { server: 'a', tool: name, args, route: 'gateway', conversationId: chat } as const;
    return this.t.host.callTool(request, token === undefined ? {} : { token });
  }

  /** Makes a call with this state in its result. Returns the caller's text. */
  async call(state: Json | undefined, name = 'add', chat?: string, args: JsonObject = {}): Promise<string> {
    const content = [{ type: 'text', text: 'done' }];
    this.answers(() => (state === undefined ? { content } : { content, state }));
    return this.told(this.begin(name, args, { chat }));
  }

  async told(call: Promise<ResultView>): Promise<string> {
    const told = call.then(
      (result) => [result.modelText, ...annotationTexts(result, 'user')].join(' | '),
      (error: unknown) => String(error instanceof Error ? error.message : error),
    );
    await settle();
    return told;
  }

  /** The members of sent calls besides name and arguments. */
  get sent(): readonly string[] {
    const calls = this.t.server.messages.filter(({ method }) => method === 'tools/call');
    return calls.map(({ params }) => {
      const { name: _, arguments: __, _meta: ___, ...rest } = params as JsonObject;
      return JSON.stringify(rest);
    });
  }

  /** Sends a request of the server. Returns the answer. */
  async says(method: string, params: JsonObject): Promise<string> {
    const id = `s${this.t.server.messages.length}`;
    this.t.server.say({ jsonrpc: '2.0', id, method, params });
    await settle();
    await settle();
    const answer = this.t.server.messages.find((message) => message['id'] === id && message['method'] === undefined);
    return answer === undefined ? 'waits' : JSON.stringify(answer['result'] ?? answer['error']);
  }

  /** The lineage of a set, newest first: `b <- a data add`, with `*` at the head. */
  async tree(featureSet = 'notes', server = 'a'): Promise<readonly string[]> {
    const filter = { text: '', only: 'all' } as const;
    const { rows } = await this.t.host.lineages.window({ server, featureSet, filter, from: 0, count: 100 });
    const names = new Map(rows.map(({ node }) => [node.place, nameOf(node)]));
    return rows.map(({ node, isHead }) => {
      const link = node.link === 'assumed' ? '<~' : '<-';
      const parent = node.parent === undefined ? '' : ` ${link} ${names.get(node.parent) ?? '?'}`;
      const marks = [node.problem !== undefined && 'broken', node.isPruned && 'pruned'].filter(Boolean);
      return [`${isHead ? '*' : ''}${nameOf(node)}${parent}`, node.form, ...marks].join(' ');
    });
  }

  async place(checkpoint: string, server = 'a'): Promise<number> {
    const [found] = await this.t.host.lineages.find(server, checkpoint);
    if (found === undefined) throw new Error(`There is no checkpoint ${checkpoint}.`);
    return found.place;
  }

  async state(checkpoint: string): Promise<string | undefined> {
    return this.t.host.lineages.state(await this.place(checkpoint), 'compact');
  }

  async audit(operation: string): Promise<readonly string[]> {
    const entries = await this.t.host.audit.list({ limit: 50, operation });
    return entries.map(({ featureSet, outcome, detail }) => [featureSet, outcome, detail].join(' | '));
  }

  async close(): Promise<void> {
    this.#store.dispose();
    await this.t.host.close();
  }
}

function nameOf({ checkpoint, copy }: { readonly checkpoint: string; readonly copy: number }): string {
  return copy === 1 ? checkpoint : `${checkpoint}#${copy}`;
}
