/**
 * A whole host with scripted MCPL servers, over stdio and over WebSocket.
 *
 *     mcplCases('feature sets', (open, over) => {
 *       test('what is off is refused', async () => {
 *         const opened = await open({ server: { sets: { alerts: set('pushEvents') } } });
 *         assert.equal(await opened.push('alerts', 'e-1'), 'error -32001 …');
 *       });
 *     });
 *
 * `mcplCases` declares a suite for each transport, and closes the cases of each test. `open` takes `McplCaseOptions`:
 * one `server` (called "case"), or several `servers` by id. Each is an `McplScript`: its sets, other members of its
 * announcement, its tools, its answers by method, and its entry in settings. `model` is a scripted `CaseModel`.
 *
 * Actions of a test: `push`, `turn`, `call`, `enable`/`disable` (like the user in a view), `configure` (like an edit of
 * the settings file), `start`. By hand: `life().request/notify/say/raw`, `ask(life(), method, params)` of casePerson.
 * Results, all as text in which `inf#1` stands for the first inference id and so on: `heard()` (the host's messages),
 * `events()`, `arrived` (notifications for the user), `audit()`, `sets()`, `model.prompts`, `log`.
 */
import assert from 'node:assert/strict';
import { createNodeHost, type NodeHostOptions } from '../../../src/cli/nodeHost.ts';
import {
  blockText,
  type CallOptions,
  type Host,
  type HostLimits,
  type InboundEvent,
  isJsonObject,
  type Json,
  type JsonObject,
  type ResultView,
  type ServerSnapshot,
  type TurnRequest,
  type TurnResult,
  withChoice,
} from '../../../src/core/index.ts';
import { isAlive, waitUntil } from '../../support/processes.ts';
import { type Answers, CASE_SERVER, type CaseLife, CaseServer, usualAnswers } from '../cases/caseServer.ts';
import { CaseModel } from './caseModel.ts';
import { SocketCaseServer } from './socketCaseServer.ts';

export { ask } from '../cases/casePerson.ts';
export type { CaseLife } from '../cases/caseServer.ts';
export { failWith, NO_ANSWER, tool } from '../../support/scriptedServer.ts';
export { CaseModel } from './caseModel.ts';

export type Over = 'stdio' | 'WebSocket';
export const ID = 'case';
/** What servers write as the time of their events. */
export const AT = '2026-02-03T10:00:00Z';

export interface McplScript {
  /** `featureSets` as the server writes it; left out: it declares none. */
  readonly sets?: Json;
  /** More members of `experimental.mcpl`; `null`: the server is a plain MCP server. */
  readonly mcpl?: JsonObject | null;
  /** More capabilities beside `tools` and `experimental`. */
  readonly capabilities?: JsonObject;
  readonly version?: string;
  readonly tools?: readonly JsonObject[];
  /** By method, over the usual ones. */
  readonly answers?: Answers;
  /** Members of its entry in the settings. */
  readonly entry?: JsonObject;
}

export interface McplCaseOptions {
  /** The server of most cases, called `ID`. */
  readonly server?: McplScript;
  /** Several of them, in the order of the settings. */
  readonly servers?: Readonly<Record<string, McplScript>>;
  readonly limits?: Partial<HostLimits>;
  readonly model?: CaseModel;
  readonly host?: NodeHostOptions;
  /** Whether to start the servers and wait until their tools are listed. Default: true. */
  readonly start?: boolean;
}

/** A feature set as servers declare it. */
export function set(...uses: readonly string[]): JsonObject {
  return { description: `Uses ${uses.join(', ')}.`, uses };
}

type Peer = CaseServer | SocketCaseServer;
type Open = (options?: McplCaseOptions) => Promise<McplCase>;

/** Declares a suite of cases for each transport. */
export function mcplCases(name: string, define: (open: Open, over: Over) => void): void {
  for (const over of ['stdio', 'WebSocket'] as const)
    suite(`Case: MCPL, ${name}, over ${over}`, () => {
      const opened: McplCase[] = [];
      teardown(async () => {
        for (const one of opened.splice(0).reverse()) await one.close();
      });
      define(async (options = {}) => {
        const one = await McplCase.open(over, options);
        opened.push(one);
        if (options.start !== false) await one.startAll();
        return one;
      }, over);
    });
}

export class McplCase {
  readonly over: Over;
  readonly model: CaseModel;
  /** Every line of every log, as `level: message`. */
  readonly log: string[];
  /** Notifications for the user, a line per event. */
  readonly arrived: string[] = [];
  readonly #peers: ReadonlyMap<string, Peer>;
  readonly #servers: Record<string, JsonObject>;
  readonly #limits: Partial<HostLimits> | undefined;
  readonly #hostOptions: NodeHostOptions;
  #host: Host;
  readonly #names = new Map<string, string>();
  #asked = 0;

  static async open(over: Over, options: McplCaseOptions): Promise<McplCase> {
    const scripts = options.servers ?? { [ID]: options.server ?? {} };
    const peers = new Map<string, Peer>();
    for (const [id, script] of Object.entries(scripts)) peers.set(id, await listen(over, script));
    return new McplCase(over, scripts, peers, options);
  }

  private constructor(
    over: Over,
    scripts: Readonly<Record<string, McplScript>>,
    peers: ReadonlyMap<string, Peer>,
    options: McplCaseOptions,
  ) {
    this.over = over;
    this.#peers = peers;
    this.#limits = options.limits;
    this.model = options.model ?? new CaseModel();
    this.log = [];
    this.#servers = Object.fromEntries(
      Object.entries(scripts).map(([id, { entry = {} }]) => [
        id,
        { protocol: { era: 'legacy' }, ...addressOf(this.peer(id)), ...entry },
      ]),
    );
    this.#hostOptions = { models: this.model, limits: options.limits, ...options.host };
    this.#host = this.#open();
  }

  #open(): Host {
    const host = createNodeHost({
      ...this.#hostOptions,
      servers: this.#servers,
      onLog: ({ level, message }) => this.log.push(`${level}: ${message}`),
    });
    host.events.onDidArrive((events) => this.arrived.push(...events.map((event) => this.#eventLine(event))));
    return host;
  }

  get host(): Host {
    return this.#host;
  }

  /** The servers in its settings, so that another host can use the same scripts. */
  get servers(): Readonly<Record<string, JsonObject>> {
    return this.#servers;
  }

  /** The next host, like after a restart of the editor, with the same settings and storage file. */
  async reopen(): Promise<void> {
    await this.#host.close();
    this.#host = this.#open();
  }

  peer(id = ID): Peer {
    const peer = this.#peers.get(id);
    assert.ok(peer !== undefined, `There is no server ${id}.`);
    return peer;
  }

  /** The newest process, or connection, of a server. */
  life(id = ID): CaseLife {
    return this.peer(id).life;
  }

  snapshot(id = ID): ServerSnapshot {
    const found = this.host.server(id);
    assert.ok(found !== undefined, `There is no server ${id}.`);
    return found;
  }

  async startAll(): Promise<void> {
    for (const id of this.#peers.keys()) await this.start(id);
  }

  /** Resolves when its tools are listed and it has read all earlier messages. */
  async start(id = ID): Promise<void> {
    await this.host.start(id);
    await this.until('the list of tools', () => this.snapshot(id).listing.kind !== 'unread');
    await this.life(id).caughtUp();
  }

  /** Changes a server's settings: these members replace those of its entry. */
  configure(change: JsonObject, id = ID): void {
    this.#servers[id] = { ...this.#servers[id], ...change };
    this.host.configure({
      trusted: true,
      limits: this.#limits,
      layers: [{ scope: 'user', servers: { ...this.#servers } }],
    });
  }

  /** Like the user in a view: first the choice, then the settings. */
  enable(...names: readonly string[]): Promise<void> {
    return this.choose(names, true);
  }

  disable(...names: readonly string[]): Promise<void> {
    return this.choose(names, false);
  }

  async choose(names: readonly string[], on: boolean, id = ID): Promise<void> {
    const { mcpl, definition } = this.snapshot(id);
    assert.ok(definition !== undefined);
    const declared = mcpl?.sets.map((view) => view.set.name) ?? [];
    const featureSets = withChoice(definition.mcpl.featureSets, declared, names, on);
    await this.host.allowFeatureSets(id, names, on);
    this.configure({ featureSets: { ...featureSets } }, id);
  }

  /** Sends an event as `push/event`. Returns the host's answer as text. `more` replaces members of the params. */
  async push(featureSet: string, eventId: string, more: JsonObject = {}, id = ID): Promise<string> {
    // Earlier records come first.
    await this.audit();
    return this.answerTo('push/event', { ...pushOf(featureSet, eventId), ...more }, id);
  }

  /**
   * Sends a request of the server. Returns the host's answer as text: the result as JSON, or `error <code> <message>
   * <data>`.
   */
  async answerTo(method: string, params: JsonObject = {}, id = ID): Promise<string> {
    const life = this.life(id);
    const asked = `s${++this.#asked}`;
    await life.request(asked, method, params);
    return this.answerText(await life.answer(asked));
  }

  answerText({ result, error }: JsonObject): string {
    if (!isJsonObject(error)) return this.named(JSON.stringify(result));
    const data = error['data'] === undefined ? '' : ` ${JSON.stringify(error['data'])}`;
    return this.named(`error ${String(error['code'])} ${String(error['message'])}${data}`);
  }

  async turn(text: string, request: Partial<TurnRequest> = {}): Promise<TurnResult> {
    await this.audit();
    return this.host.runTurn({
      conversationId: 'conversation-1',
      turnIndex: 0,
      userMessage: text,
      messages: [{ role: 'user', content: [{ type: 'text', text }] }],
      justification: 'A test asks.',
      ...request,
    });
  }

  async call(tool: string, args: JsonObject = {}, options?: CallOptions, id = ID): Promise<ResultView> {
    await this.audit();
    return this.host.callTool({ server: id, tool, args, route: 'api' }, options);
  }

  /** The host's messages, as `lineOf` writes them. `initialize` shows only the revision. */
  heard(id = ID): readonly string[] {
    return this.life(id).hostLines.map((line) => this.named(briefly(line)));
  }

  /** All messages of the connection in both directions. */
  transcript(id = ID): readonly string[] {
    return this.life(id).transcript.map((line) => this.named(briefly(line)));
  }

  /** `name state, policy, problem, [tools]`, one for each declared set. */
  sets(id = ID): readonly string[] {
    return (this.snapshot(id).mcpl?.sets ?? []).map(({ set: declared, state, push, tools, undeclared }) =>
      [
        `${declared.name} ${state}`,
        push,
        ...(declared.problem === undefined ? [] : [declared.problem]),
        ...(tools.length === 0 ? [] : [`tools ${tools.join(' ')}`]),
        ...(undeclared.length === 0 ? [] : [`undeclared ${undeclared.join(' ')}`]),
      ].join(', '),
    );
  }

  /** Tools as models see them. */
  offered(id = ID): readonly string[] {
    return this.snapshot(id)
      .tools.filter(({ offered }) => offered)
      .map(({ tool }) => tool.name);
  }

  /** The list of events, newest first. */
  events(): readonly string[] {
    return this.host.events.list().map((event) => this.#eventLine(event));
  }

  /** `server operation set outcome inference tokens: detail`, oldest first. Only these operations, if any are given. */
  async audit(...operations: readonly string[]): Promise<readonly string[]> {
    // The user's own uses are tested in `turnRunner.test.ts`.
    const entries = (await this.host.audit.list({ limit: 1_000 })).filter(({ server }) => server !== '');
    return entries
      .toReversed()
      .filter(({ operation }) => operations.length === 0 || operations.includes(operation))
      .map(({ server, operation, featureSet, outcome, inferenceId, tokens, detail }) => {
        const parts = [server, operation, featureSet, outcome, inferenceId, tokens && `${tokens} tokens`];
        const words = parts.filter((part) => part !== undefined && part !== 0).join(' ');
        const said = detail?.replace(/ with arguments [0-9a-f]{16}/, '');
        return this.named(said === undefined ? words : `${words}: ${said}`);
      });
  }

  /** Replaces inference ids by their order of appearance. */
  named(text: string): string {
    return text.replace(/inf_[0-9a-f-]{36}/g, (id) => {
      const name = this.#names.get(id) ?? `inf#${this.#names.size + 1}`;
      this.#names.set(id, name);
      return name;
    });
  }

  until(what: string, condition: () => boolean): Promise<void> {
    return waitUntil(what, condition);
  }

  /** Waits for a matching log line, and returns it. */
  async logged(pattern: RegExp): Promise<string> {
    const find = (): string | undefined => this.log.find((line) => pattern.test(line));
    await waitUntil(`a line of the log like ${String(pattern)}; there are:\n${this.log.join('\n')}`, () => !!find());
    return find() ?? '';
  }

  async close(): Promise<void> {
    await this.host.close();
    for (const peer of this.#peers.values()) {
      await peer.close();
      const left = peer.lives.map(({ pid }) => pid).filter((pid) => pid > 0 && isAlive(pid));
      assert.deepEqual(left, [], 'Closing the host ends every process of its servers.');
    }
  }

  #eventLine(event: InboundEvent): string {
    const { server, source, eventId, occurredAt, origin, content, inferenceId, isRead, outcome } = event;
    const parts = [
      `${server} ${source.featureSet} ${eventId} at ${occurredAt}`,
      ...(origin === undefined ? [] : [`from ${JSON.stringify(origin)}`]),
      JSON.stringify(content.map((block) => blockText(block)).join('\n')),
      isRead ? 'read' : 'unread',
      ...(inferenceId === undefined ? [] : [inferenceId]),
      ...(outcome.kind === 'none' ? [] : [outcome.kind]),
      ...(outcome.kind === 'answered' ? [JSON.stringify(outcome.text)] : []),
      ...(outcome.kind === 'failed' ? [JSON.stringify(outcome.message)] : []),
    ];
    return this.named(parts.join(', '));
  }
}

/** The params of an event with a text. */
export function pushOf(featureSet: string, eventId: string, text = `Event ${eventId}.`): JsonObject {
  return { featureSet, eventId, timestamp: AT, payload: { content: [{ type: 'text', text }] } };
}

async function listen(over: Over, script: McplScript): Promise<Peer> {
  const { sets, mcpl = {}, version = '2025-06-18', tools = [] } = script;
  const announced = { version: '0.2', ...mcpl, ...(sets !== undefined && { featureSets: sets }) };
  const capabilities = {
    tools: { listChanged: true },
    ...(mcpl !== null && { experimental: { mcpl: announced } }),
    ...script.capabilities,
  };
  const usual = usualAnswers({ version, capabilities });
  const answers: Answers = { ...usual, 'tools/list': () => ({ tools }), ...script.answers };
  return over === 'stdio' ? CaseServer.listen(answers) : SocketCaseServer.listen(answers);
}

function addressOf(peer: Peer): JsonObject {
  if (peer instanceof SocketCaseServer) return { url: peer.url };
  return { command: process.execPath, args: [CASE_SERVER, String(peer.port)] };
}

function briefly(line: string): string {
  return line.replace(/^(> \d+ initialize) \{"protocolVersion":"([^"]+)".*$/, '$1 $2');
}
