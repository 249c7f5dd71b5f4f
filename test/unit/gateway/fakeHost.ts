import {
  type CallOptions,
  decodeResult,
  Emitter,
  type GatewayHost,
  type HostError,
  type Json,
  type JsonObject,
  type OfferedTool,
  type ResultView,
  type ServerChange,
  type ServerSnapshot,
  type ServerState,
  type ToolCallRequest,
} from '../../../src/core/index.ts';
import { FakeApprovals } from './fakeApprovals.ts';

/** A call that reached the host, to be settled by the test. */
export interface HeldCall {
  readonly request: ToolCallRequest;
  readonly options: CallOptions;
  succeed(result: Json): void;
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
  readonly #servers = new Map<string, ServerSnapshot>();
  #waiting: ((call: HeldCall) => void)[] = [];
  readonly #held: HeldCall[] = [];
  readonly onDidChangeServer = this.#changes.event;
  readonly approvals = new FakeApprovals();

  get hasListeners(): boolean {
    return this.#changes.hasListeners || this.approvals.hasListeners;
  }

  server(id: string): ServerSnapshot | undefined {
    return this.#servers.get(id);
  }

  set(
    id: string,
    tools: readonly OfferedTool[],
    state: ServerState = RUNNING,
    what: ServerChange['what'] = 'tools',
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
    });
    this.#changes.fire({ server: id, what });
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
        succeed: (result) => resolve(decodeResult(result)),
        fail: reject,
      };
      const waiter = this.#waiting.shift();
      if (waiter === undefined) this.#held.push(call);
      else waiter(call);
    });
  }

  /** The next call, whenever it comes. */
  nextCall(): Promise<HeldCall> {
    const held = this.#held.shift();
    return held === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(held);
  }
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
