/** Who may send it: the host (`toServer`), the server (`toClient`), or both. */
export type Direction = 'toServer' | 'toClient' | 'both';

export interface MethodShape {
  readonly direction: Direction;
  /** An `input` is a request that is never sent by itself: it stands in the `inputRequests` of an answer. */
  readonly kind: 'request' | 'notification' | 'input';
  /** The extension that both sides have to declare. */
  readonly extension?: string;
}

/** What revisions differ in, as far as anything above the wire depends on it. */
export interface Traits {
  /** A peer may send several messages as one list. */
  readonly batching: boolean;
  readonly audio: boolean;
  /** What `structuredContent` may be. */
  readonly structuredContent: 'none' | 'object' | 'any';
  /** HTTP requests repeat the negotiated version in `MCP-Protocol-Version`. */
  readonly protocolHeader: boolean;
  readonly elicitation: 'none' | 'form' | 'form+url';
  /** An elicitation by URL has an id, and its end is announced. */
  readonly elicitationIds: boolean;
  readonly tasks: 'none' | 'core' | 'extension';
  /** No handshake: each request carries who asks and what it can do. */
  readonly stateless: boolean;
  /** Results say what they are: complete, or a question, or a task. */
  readonly resultType: boolean;
  /** Completion is declared; before, it was there where prompts or resources were. */
  readonly completionsCapability: boolean;
  /** Completion may be told the arguments that are settled. */
  readonly completionContext: boolean;
  /** Sampling knows tools, and lists of contents. */
  readonly samplingTools: boolean;
  /** How a host hears of changes of a resource. */
  readonly subscriptions: 'perResource' | 'listen';
  /** How a host says what is to be logged. */
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
  /** New methods, and those that are something else from now on. */
  readonly adds?: Readonly<Record<string, MethodShape>>;
  readonly removes?: readonly string[];
  readonly traits?: Partial<Traits>;
}

export function firstRevision({ version, adds, traits }: FirstRevision): Revision {
  return { version, methods: new Map(Object.entries(adds)), traits };
}

/** A revision as what it changes. A delta that removes what is not there is a mistake of its author. */
export function revision(base: Revision, { version, adds = {}, removes = [], traits = {} }: Delta): Revision {
  const methods = new Map(base.methods);
  for (const method of removes) {
    if (!methods.delete(method)) throw new Error(`${version} removes ${method}, which ${base.version} has not`);
  }
  for (const [method, shape] of Object.entries(adds)) methods.set(method, shape);
  return { version, methods, traits: { ...base.traits, ...traits } };
}
