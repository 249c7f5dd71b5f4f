/**
 * Any message of the demo server, with the members of all kinds. A test reads only the members of the message that it
 * expects, and fails if they are absent.
 */
export interface DemoMessage {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params: DemoParams;
  readonly result: DemoResult;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object };
}

interface Text {
  readonly type: 'text';
  readonly text: string;
}

interface DemoParams {
  readonly featureSet: string;
  readonly eventId: string;
  readonly timestamp: string;
  readonly payload: { readonly content: readonly Text[] };
  readonly stream: boolean;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly preferences: object;
  readonly message: string;
  readonly scope: { readonly label: string; readonly payload: object };
}

interface DemoResult {
  readonly protocolVersion: string;
  readonly capabilities: { readonly experimental: { readonly mcpl: DemoAdvert } };
  readonly serverInfo: { readonly title: string };
  readonly instructions: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly _meta?: { readonly featureSet: string };
  }[];
  readonly isError?: boolean;
  readonly content: readonly [Text];
  readonly structuredContent: {
    readonly memories: readonly { readonly id: string; readonly kind: string; readonly text: string }[];
    readonly targets: readonly string[];
    readonly scope?: object;
  };
  readonly contextInjections: readonly object[];
  readonly modifiedResponse: string;
  readonly state?: DemoState;
  readonly checkpoint: string;
  readonly success: boolean;
  readonly reason?: string;
}

export interface DemoState {
  readonly checkpoint: string;
  readonly parent: string | null;
  readonly data?: object;
  readonly patch?: readonly object[];
}

interface DemoAdvert {
  readonly version: string;
  readonly contextHooks?: object;
  readonly featureSets: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly uses: readonly string[];
        readonly scoped?: boolean;
        readonly rollback?: boolean;
        readonly hostState?: boolean;
      }
    >
  >;
}
