import { scopeOf } from './callScope.ts';
import { isOfPart, mcplAdvert, type Part, plainPartOf } from './demoFeatureSets.ts';
import type { Hooks } from './inferenceHooks.ts';
import type { Request } from './protocol.ts';
import type { Rollbacks } from './rollbacks.ts';
import { INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, RpcError } from './rpcError.ts';
import type { Fields } from './schema.ts';
import type { Switches } from './switches.ts';
import { callTool, type DemoTool, type ToolOutcome } from './tool.ts';

/** Oldest first, so that dates compare as text. */
const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;
const NEWEST = '2025-11-25';

const INSTRUCTIONS: Readonly<Record<Part, string>> = {
  notes:
    'Keeps notes in memory. Add notes with add_note, find them with search_notes, and get an overview with summarize_notes.',
  memory: 'Remembers what the person tells a model, over MCPL.',
  compliance: 'Takes secrets out of answers, over MCPL.',
  files: 'Reads and changes the files that the host approves, over MCPL.',
  state: 'Writes a book with add_page and keeps accounts with add_entry. Both can be taken back, over MCPL.',
};

interface MethodsOptions {
  readonly parts: readonly Part[];
  readonly tools: readonly DemoTool[];
  readonly switches: Switches;
  readonly hooks: Hooks;
  readonly rollbacks: Rollbacks;
  readonly notify: (method: string, params: Fields) => void;
}

/** The request methods of this server, for one connection. */
export class Methods {
  readonly #options: MethodsOptions;
  #revision: string | undefined;

  constructor(options: MethodsOptions) {
    this.#options = options;
  }

  handle(request: Request): unknown {
    switch (request.method) {
      case 'initialize':
        return this.#initialize(request.params);
      case 'ping':
        return {};
      case 'tools/list':
        return this.#list(this.#agreed());
      case 'tools/call':
        return this.#call(request, this.#agreed());
      default:
        return this.#handleMcpl(request);
    }
  }

  hear(method: string, params: Fields): void {
    const { switches, hooks } = this.#options;
    if (!switches.isMcpl) return;
    if (method === 'featureSets/update') switches.update(params);
    else if (method === 'context/afterInference') hooks.after(params);
  }

  #handleMcpl({ method, params }: Request): unknown {
    const { switches, hooks, rollbacks } = this.#options;
    if (switches.isMcpl && method === 'context/beforeInference') return hooks.before(params);
    if (switches.isMcpl && method === 'context/afterInference') return hooks.after(params);
    if (switches.isMcpl && method === 'state/rollback') return rollbacks.run(params);
    throw new RpcError(METHOD_NOT_FOUND, `This server does not know "${method}".`);
  }

  #initialize(params: Fields): Fields {
    const { parts, switches } = this.#options;
    const asked = REVISIONS.find((revision) => revision === params['protocolVersion']);
    const revision = asked ?? NEWEST;
    this.#revision = revision;
    switches.begin(params);
    const [first = 'notes'] = parts;
    const title = `Demo ${first.charAt(0).toUpperCase()}${first.slice(1)}`;
    return {
      protocolVersion: revision,
      capabilities: {
        ...(this.#offered().length > 0 ? { tools: {} } : {}),
        ...(switches.isMcpl ? { experimental: { mcpl: mcplAdvert(parts) } } : {}),
      },
      serverInfo: { name: 'mcpl-demo', ...(revision >= '2025-06-18' ? { title } : {}), version: '1.0.0' },
      instructions: instructionsOf(parts, switches.isMcpl),
    };
  }

  #agreed(): string {
    if (this.#revision === undefined) throw new RpcError(INVALID_REQUEST, 'The first request must be "initialize".');
    return this.#revision;
  }

  #list(revision: string): Fields {
    const { isMcpl } = this.#options.switches;
    return {
      tools: this.#offered().map((tool) => ({
        ...describe(tool, revision),
        ...(isMcpl ? { _meta: { featureSet: tool.featureSet } } : {}),
      })),
    };
  }

  /** A host without MCPL only gets the tools that work without it. */
  #offered(): readonly DemoTool[] {
    const { parts, tools, switches } = this.#options;
    if (switches.isMcpl) return tools;
    const plain = plainPartOf(parts);
    return tools.filter(({ featureSet }) => plain !== undefined && isOfPart(featureSet, plain));
  }

  async #call({ params, signal }: Request, revision: string): Promise<Fields> {
    const { switches, notify } = this.#options;
    const tool = this.#offered().find((each) => each.name === params['name']);
    if (tool === undefined) throw new RpcError(INVALID_PARAMS, `There is no tool "${String(params['name'])}".`);
    if (switches.isMcpl && !switches.isOn(tool.featureSet)) return render(isOff(tool), revision);
    const scope = scopeOf(params);
    const token = progressToken(params);
    const progress = (done: number, total: number | undefined, message: string): void => {
      if (token === undefined || signal.aborted) return;
      const words = revision >= '2025-03-26' ? { message } : {};
      const whole = total === undefined ? {} : { total };
      notify('notifications/progress', { progressToken: token, progress: done, ...whole, ...words });
    };
    const { state, checkpoint } = switches.isMcpl ? params : {};
    const outcome = await callTool(tool, params['arguments'], { signal, progress, scope, state, checkpoint });
    return {
      ...render(outcome, revision),
      ...(switches.isMcpl && outcome.state !== undefined ? { state: outcome.state } : {}),
    };
  }
}

function instructionsOf(parts: readonly Part[], isMcpl: boolean): string {
  const working = parts.filter((part) => isMcpl || part === plainPartOf(parts));
  if (working.length === 0) return 'Everything that this server does needs a host that speaks MCPL.';
  return working.map((part) => INSTRUCTIONS[part]).join(' ');
}

function isOff({ title, featureSet }: DemoTool): ToolOutcome {
  return { text: `"${title}" is off. Switch the feature set ${featureSet} on to use it.`, isError: true };
}

function progressToken(params: Fields): string | number | undefined {
  const meta = params['_meta'];
  const token: unknown = typeof meta === 'object' && meta !== null ? Reflect.get(meta, 'progressToken') : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

/** Only sends members that the revision defines, so that old clients can be tested. */
function describe(tool: DemoTool, revision: string): Fields {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return {
    name,
    ...(revision >= '2025-06-18' ? { title } : {}),
    description,
    inputSchema,
    ...(outputSchema !== undefined && revision >= '2025-06-18' ? { outputSchema } : {}),
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
