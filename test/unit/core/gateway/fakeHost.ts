import {
  type CallOptions,
  decodeResult,
  type Disposable,
  Emitter,
  type GatewayHost,
  type HostError,
  type Json,
  type JsonObject,
  type KeptState,
  type OfferedTool,
  type Prompt,
  type Resource,
  type ResourceTemplate,
  type ResourceWatch,
  type ResultView,
  type ServerChange,
  type ServerLog,
  type ServerSnapshot,
  type ServerState,
  toDisposable,
  type ToolCallRequest,
} from '../../../../src/core/index.ts';
import { AnnotatedResult } from '../../../../src/core/calls/annotatedResult.ts';
import { FakeApprovals } from './fakeApprovals.ts';

/** A call that reached the host, to be settled by the test. */
export interface HeldCall {
  readonly request: ToolCallRequest;
  readonly options: CallOptions;
  /** `kept`: the outcome of the state in the result. */
  succeed(result: Json, kept?: KeptState): void;
  fail(error: HostError): void;
}

export const RUNNING: ServerState = {
  kind: 'running',
  info: { name: 'Claimed Name', title: 'Claimed Title', version: '1.2.3', instructions: 'Be kind.' },
  protocolVersion: '2025-11-25',
  connection: { era: 'legacy', isDialect: false, roundTripMs: 3, transport: 'stdio', session: undefined },
  pid: 1,
  since: 0,
};

/** A host with servers that hold every call until the test settles it. */
export class FakeHost implements GatewayHost {
  readonly #changes = new Emitter<ServerChange>();
  readonly #logs = new Emitter<ServerLog>();
  readonly onDidLog = this.#logs.event;
  /** The log levels that clients requested: `notes info`. */
  readonly wanted: string[] = [];
  /** Listeners of changed resources, by URI. */
  readonly watched = new Map<string, (uri: string) => void>();
  /** Implementations of `getPrompt`, `readResource`, `complete` and `subscribeResource`. */
  onPrompt: GatewayHost['getPrompt'] = () => Promise.reject(new Error('No prompt was prepared.'));
  onRead: GatewayHost['readResource'] = () => Promise.reject(new Error('No resource was prepared.'));
  onComplete: GatewayHost['complete'] = () => Promise.reject(new Error('No completion was prepared.'));
  agrees: () => Promise<void> = () => Promise.resolve();
  readonly #servers = new Map<string, ServerSnapshot>();
  #waiting: ((call: HeldCall) => void)[] = [];
  readonly #held: HeldCall[] = [];
  readonly onDidChangeServer = this.#changes.event;
  readonly approvals = new FakeApprovals();

  get hasListeners(): boolean {
    return (
      this.#changes.hasListeners ||
      this.#logs.hasListeners ||
      this.approvals.hasListeners ||
      this.wanted.length + this.watched.size > 0
    );
  }

  server(id: string): ServerSnapshot | undefined {
    return this.#servers.get(id);
  }

  set(
    id: string,
    tools: readonly OfferedTool[],
    state: ServerState = RUNNING,
    what: ServerChange['what'] = 'tools',
    more: Partial<ServerSnapshot> = {},
  ): void {
    this.#servers.set(id, {
      id,
      definedBy: 'user',
      enabled: true,
      state,
      tools,
      problems: [],
      definition: undefined,
      capabilities: {},
      mcpl: undefined,
      scopes: { lists: {}, adapters: {} },
      listing: { kind: 'read' },
      resources: [],
      templates: [],
      prompts: [],
      listings: { resources: { kind: 'read' }, prompts: { kind: 'read' } },
      ...more,
    });
    this.#changes.fire({ server: id, what });
  }

  log(server: string, level: ServerLog['level'], data: Json, logger?: string): void {
    this.#logs.fire({ server, level, logger, data });
  }

  wishLogLevel(id: string, level: ServerLog['level']): Disposable {
    const wanted = `${id} ${level}`;
    this.wanted.push(wanted);
    return toDisposable(() => void this.wanted.splice(this.wanted.indexOf(wanted), 1));
  }

  redact(text: string): string {
    return text;
  }

  getPrompt(...args: Parameters<GatewayHost['getPrompt']>): ReturnType<GatewayHost['getPrompt']> {
    return this.onPrompt(...args);
  }

  readResource(...args: Parameters<GatewayHost['readResource']>): ReturnType<GatewayHost['readResource']> {
    return this.onRead(...args);
  }

  complete(...args: Parameters<GatewayHost['complete']>): ReturnType<GatewayHost['complete']> {
    return this.onComplete(...args);
  }

  subscribeResource(_: string, uri: string, listener: (uri: string) => void): ResourceWatch {
    this.watched.set(uri, listener);
    const ends = toDisposable(() => void this.watched.delete(uri));
    return { agreed: this.agrees(), dispose: () => ends.dispose() };
  }

  remove(id: string): void {
    this.#servers.delete(id);
    this.#changes.fire({ server: id, what: 'removed' });
  }

  callTool(request: ToolCallRequest, options: CallOptions = {}): Promise<ResultView> {
    return new Promise<ResultView>((resolve, reject) => {
      const call: HeldCall = {
        request,
        options,
        succeed: (result, kept) => resolve(kept === undefined ? decodeResult(result) : keptResult(result, kept)),
        fail: reject,
      };
      const waiter = this.#waiting.shift();
      if (waiter === undefined) this.#held.push(call);
      else waiter(call);
    });
  }

  /** Waits for the next call. */
  nextCall(): Promise<HeldCall> {
    const held = this.#held.shift();
    return held === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(held);
  }
}

function keptResult(result: Json, kept: KeptState): ResultView {
  return new AnnotatedResult(decodeResult(result), [{ source: 'host', kind: 'state', text: '', data: kept }]);
}

export function tool(name: string, more: JsonObject = {}, settings: Partial<OfferedTool> = {}): OfferedTool {
  const inputSchema = { type: 'object' };
  return {
    tool: {
      name,
      title: undefined,
      description: undefined,
      inputSchema,
      outputSchema: undefined,
      icons: [],
      taskSupport: 'forbidden',
      headerParams: [],
      hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
      raw: { name, inputSchema, ...more },
    },
    offered: true,
    autoApproved: false,
    ...settings,
  };
}

const NO_HINTS = { audience: [], priority: undefined, lastModified: undefined };

export function prompt(name: string, more: JsonObject = {}): Prompt {
  const raw = { name, ...more };
  return { name, title: undefined, description: undefined, arguments: [], icons: [], raw };
}

export function resource(uri: string, more: JsonObject = {}): Resource {
  const about = { title: undefined, description: undefined, mimeType: undefined, size: undefined };
  return { uri, name: uri, ...about, annotations: NO_HINTS, icons: [], raw: { uri, name: uri, ...more } };
}

export function template(uriTemplate: string, more: JsonObject = {}): ResourceTemplate {
  const about = { title: undefined, description: undefined, mimeType: undefined };
  const raw = { uriTemplate, name: uriTemplate, ...more };
  return { uriTemplate, name: uriTemplate, ...about, annotations: NO_HINTS, icons: [], raw };
}
