import {
  cancelled,
  decodeResult,
  Emitter,
  type Host,
  HostError,
  type HostSettings,
  type Operation,
  type ServerChange,
  type ServerSnapshot,
  type Tool,
} from '../../../src/core/index.ts';

export function tool(name: string): Tool {
  return {
    name,
    title: undefined,
    description: undefined,
    inputSchema: {},
    outputSchema: undefined,
    icons: [],
    taskSupport: 'forbidden',
    headerParams: [],
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    raw: { name, inputSchema: {} },
  };
}

export function runningServer(id: string, tools: readonly Tool[]): ServerSnapshot {
  return {
    id,
    definedBy: 'user',
    enabled: false,
    state: {
      kind: 'running',
      info: { name: `${id}-server`, title: undefined, version: '1.2.3', instructions: undefined },
      protocolVersion: '2025-11-25',
      connection: { era: 'legacy', isDialect: false, roundTripMs: 3, transport: 'stdio', session: undefined },
      pid: 42,
      since: 5,
    },
    tools: tools.map((each) => ({ tool: each, offered: true, autoApproved: false })),
    listing: { kind: 'read' },
    resources: [],
    templates: [],
    prompts: [],
    listings: { resources: { kind: 'read' }, prompts: { kind: 'read' } },
    problems: [],
    definition: undefined,
    capabilities: { tools: {} },
  };
}

/** A host with one running server, whose calls end when the test says so. */
export class FakeHost implements Host {
  readonly changed = new Emitter<ServerChange>();
  readonly onDidChangeServer = this.changed.event;
  readonly onDidChangeProblems = new Emitter<void>().event;
  readonly onDidChangeOperation = new Emitter<Operation>().event;
  readonly did: string[] = [];
  settings: HostSettings | undefined;

  servers(): readonly ServerSnapshot[] {
    return [runningServer('files', [tool('read')])];
  }
  server(id: string): ServerSnapshot | undefined {
    return this.servers().find((server) => server.id === id);
  }
  problems(): ReturnType<Host['problems']> {
    return [{ path: ['x', 'args', 0], scope: 'user', severity: 'error', message: 'Must be a text.' }];
  }
  configure(settings: HostSettings): void {
    this.settings = settings;
  }
  start(id: string): Promise<void> {
    if (this.server(id) !== undefined) return this.#note(`start ${id}`);
    const details = { layer: 'host', effect: 'none', suggestion: 'Look again.' } as const;
    return Promise.reject(new HostError('UNKNOWN_SERVER', `There is no server "${id}".`, details));
  }
  stop(id: string): Promise<void> {
    return this.#note(`stop ${id}`);
  }
  restart(id: string): Promise<void> {
    return this.#note(`restart ${id}`);
  }
  callTool(...[request, options]: Parameters<Host['callTool']>): ReturnType<Host['callTool']> {
    options?.onProgress?.({ progress: 1, total: 2, message: 'half' });
    if (request.args['wait'] !== true)
      return Promise.resolve(decodeResult({ content: [{ type: 'text', text: JSON.stringify(request) }] }));
    return new Promise((_, reject) => options?.token?.onCancellationRequested(() => reject(cancelled('The call'))));
  }
  readResource(id: string, uri: string): ReturnType<Host['readResource']> {
    return Promise.resolve({ contents: [], raw: { id, uri } });
  }
  subscribeResource(): ReturnType<Host['subscribeResource']> {
    return { agreed: Promise.resolve(), dispose: () => undefined };
  }
  getPrompt(): ReturnType<Host['getPrompt']> {
    return Promise.reject(new Error('no prompts'));
  }
  complete(): ReturnType<Host['complete']> {
    return Promise.resolve({ values: [], total: undefined, hasMore: false });
  }
  setLogLevel(id: string, level: string): Promise<void> {
    return this.#note(`log ${id} ${level}`);
  }
  logLevel(): undefined {
    return undefined;
  }
  trace(): ReturnType<Host['trace']> {
    throw new Error('nothing is recorded');
  }
  refresh(id: string): Promise<void> {
    return this.#note(`refresh ${id}`);
  }
  allowStart(id: string): Promise<void> {
    return this.#note(`allow ${id}`);
  }
  setAutoApproved(id: string): Promise<void> {
    return this.#note(`approve ${id}`);
  }
  forgetConsent(id: string): Promise<void> {
    return this.#note(`forget ${id}`);
  }
  close(): Promise<void> {
    return this.#note('close');
  }

  #note(what: string): Promise<void> {
    this.did.push(what);
    return Promise.resolve();
  }
}
