/** The sender: the host (`toServer`), the server (`toClient`), or both. */
type Direction = 'toServer' | 'toClient' | 'both';

export interface MethodShape {
  readonly direction: Direction;
  /** An `input` is never sent alone. It is an item of `inputRequests` in an answer. */
  readonly kind: 'request' | 'notification' | 'input';
  /** The extension that both sides must declare. */
  readonly extension?: string;
}

/** Differences between revisions that matter above the wire. */
export interface Traits {
  /** Whether a peer may send several messages as one list. */
  readonly batching: boolean;
  readonly audio: boolean;
  /** Allowed values of `structuredContent`. */
  readonly structuredContent: 'none' | 'object' | 'any';
  /** Whether HTTP requests repeat the negotiated version in `MCP-Protocol-Version`. */
  readonly protocolHeader: boolean;
  readonly elicitation: 'none' | 'form' | 'form+url';
  /** Whether an elicitation by URL has an id, and a notification when it ends. */
  readonly elicitationIds: boolean;
  readonly tasks: 'none' | 'core' | 'extension';
  /** No handshake: each request carries the client's information and capabilities. */
  readonly stateless: boolean;
  /** Whether results have a type: complete, input required, or task. */
  readonly resultType: boolean;
  /** Whether completion is a declared capability. In older revisions, prompts or resources imply it. */
  readonly completionsCapability: boolean;
  /** Whether completion requests may contain already chosen arguments. */
  readonly completionContext: boolean;
  /** Whether sampling supports tools and lists of contents. */
  readonly samplingTools: boolean;
  /** How a host learns about changes of a resource. */
  readonly subscriptions: 'perResource' | 'listen';
  /** How a host sets the log level. */
  readonly logLevel: 'setLevel' | 'perRequest';
}

export interface Revision {
  readonly version: string;
  readonly methods: ReadonlyMap<string, MethodShape>;
  readonly traits: Traits;
}

interface FirstRevision {
  readonly version: string;
  readonly adds: Readonly<Record<string, MethodShape>>;
  readonly traits: Traits;
}

interface Delta {
  readonly version: string;
  /** New and changed methods. */
  readonly adds?: Readonly<Record<string, MethodShape>>;
  readonly removes?: readonly string[];
  readonly traits?: Partial<Traits>;
}

export function firstRevision({ version, adds, traits }: FirstRevision): Revision {
  return { version, methods: new Map(Object.entries(adds)), traits };
}

/** Defines a revision by its changes. Removing an unknown method is a programming error. */
export function revision(base: Revision, { version, adds = {}, removes = [], traits = {} }: Delta): Revision {
  const methods = new Map(base.methods);
  for (const method of removes) {
    if (!methods.delete(method)) throw new Error(`${version} removes ${method}, which ${base.version} has not`);
  }
  for (const [method, shape] of Object.entries(adds)) methods.set(method, shape);
  return { version, methods, traits: { ...base.traits, ...traits } };
}
