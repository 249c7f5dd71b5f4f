import { INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, type Request, RpcError } from './protocol.ts';
import type { Fields } from './schema.ts';
import type { DemoTool, ToolOutcome } from './tool.ts';
import { callTool } from './tools.ts';

/** Oldest first, so that dates compare as text. */
const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;
const NEWEST = '2025-11-25';

const INSTRUCTIONS =
  'Keeps notes in memory. Add notes with add_note, find them with search_notes, and get an overview with summarize_notes.';

type Notify = (method: string, params: Fields) => void;

/** The requests that this server knows, for one connection. */
export class Methods {
  readonly #tools: readonly DemoTool[];
  readonly #notify: Notify;
  #revision: string | undefined;

  constructor(tools: readonly DemoTool[], notify: Notify) {
    this.#tools = tools;
    this.#notify = notify;
  }

  handle(request: Request): unknown {
    switch (request.method) {
      case 'initialize':
        return this.#initialize(request.params);
      case 'ping':
        return {};
      case 'tools/list':
        return { tools: this.#tools.map((tool) => describe(tool, this.#agreed())) };
      case 'tools/call':
        return this.#call(request, this.#agreed());
      default:
        throw new RpcError(METHOD_NOT_FOUND, `This server does not know "${request.method}".`);
    }
  }

  #initialize(params: Fields): Fields {
    const asked = REVISIONS.find((revision) => revision === params['protocolVersion']);
    const revision = asked ?? NEWEST;
    this.#revision = revision;
    return {
      protocolVersion: revision,
      capabilities: { tools: {} },
      serverInfo: { name: 'mcpl-demo', ...(revision >= '2025-06-18' ? { title: 'Demo Notes' } : {}), version: '1.0.0' },
      instructions: INSTRUCTIONS,
    };
  }

  #agreed(): string {
    if (this.#revision === undefined) throw new RpcError(INVALID_REQUEST, 'The first request must be "initialize".');
    return this.#revision;
  }

  async #call({ params, signal }: Request, revision: string): Promise<Fields> {
    const tool = this.#tools.find((each) => each.name === params['name']);
    if (tool === undefined) throw new RpcError(INVALID_PARAMS, `There is no tool "${String(params['name'])}".`);
    const token = progressToken(params);
    const progress = (done: number, total: number, message: string): void => {
      if (token === undefined || signal.aborted) return;
      const words = revision >= '2025-03-26' ? { message } : {};
      this.#notify('notifications/progress', { progressToken: token, progress: done, total, ...words });
    };
    return render(await callTool(tool, params['arguments'], { signal, progress }), revision);
  }
}

function progressToken(params: Fields): string | number | undefined {
  const meta = params['_meta'];
  const token: unknown = typeof meta === 'object' && meta !== null ? Reflect.get(meta, 'progressToken') : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

/** Only what the revision knows: old clients are tested against old vocabulary. */
function describe(tool: DemoTool, revision: string): Fields {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return {
    name,
    ...(revision >= '2025-06-18' ? { title } : {}),
    description,
    inputSchema,
    ...(revision >= '2025-06-18' ? { outputSchema } : {}),
    ...(revision >= '2025-03-26' ? { annotations: { title, ...annotations } } : {}),
  };
}

function render(outcome: ToolOutcome, revision: string): Fields {
  return {
    content: [{ type: 'text', text: outcome.text }],
    ...(outcome.structured !== undefined && revision >= '2025-06-18' ? { structuredContent: outcome.structured } : {}),
    ...(outcome.isError === true ? { isError: true } : {}),
  };
}
