import type {
  CancellationToken,
  LanguageModelChatMessage,
  LanguageModelChatRequestOptions,
  LanguageModelResponsePart,
} from 'vscode';

/** The model's complete input as plain JSON, for comparisons in tests. */
export interface RecordedRequest {
  readonly model: string;
  readonly messages: readonly RecordedMessage[];
  readonly tools: readonly RecordedTool[];
  readonly toolMode: 'auto' | 'required';
  readonly modelOptions: Readonly<Record<string, unknown>>;
}

export interface RecordedMessage {
  /** A role that stable API cannot send (the editor's own system messages) arrives as a number. */
  readonly role: 'user' | 'assistant' | number;
  readonly name?: string;
  readonly content: readonly RecordedPart[];
}

export type RecordedPart =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'toolCall'; readonly callId: string; readonly name: string; readonly input: object }
  | { readonly kind: 'toolResult'; readonly callId: string; readonly content: readonly RecordedPart[] }
  | { readonly kind: 'data'; readonly mimeType: string; readonly base64: string }
  | { readonly kind: 'unknown'; readonly value: unknown };

export interface RecordedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object | undefined;
}

/** A string is text. A tool call gets its own id. */
export type AnswerPart = string | { readonly call: string; readonly input?: object } | LanguageModelResponsePart;

/** Parts in order, or a function that creates them. Its error is the model's failure. */
export type Answer =
  | readonly AnswerPart[]
  | ((
      request: RecordedRequest,
      token: CancellationToken,
    ) => Promise<readonly AnswerPart[]> | readonly AnswerPart[] | AsyncIterable<AnswerPart>);

export interface Question {
  readonly vendor: string;
  readonly id?: string;
  readonly messages: readonly LanguageModelChatMessage[];
  readonly options?: LanguageModelChatRequestOptions;
  readonly token?: CancellationToken;
  /** Called with each part of the answer. */
  readonly onPart?: (part: RecordedPart) => void;
}

/** The exports of the extension `mcp-live-test.fake-model`. */
export interface FakeModelApi {
  /** In the order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Answers all further requests with this, until the next call or reset. */
  readonly respondWith: (answer: Answer) => void;
  /** Answers the next requests with these, one each, before `respondWith` applies. */
  readonly respondOnce: (...answers: readonly Answer[]) => void;
  /** Removes all models until the next reset. */
  readonly hide: () => void;
  /** Drops recorded requests and all answers. The default answers return. */
  readonly reset: () => void;
  /** Limits the models' input tokens until the next reset. */
  readonly limit: (maxInputTokens: number) => void;
  /** The inputs of the tool `fake_lookup`. */
  readonly lookups: readonly object[];
  /** The vendor of the models that the chat participant asks. Default: its own. */
  readonly chatWith: (vendor: string) => void;
  /** Asks a model of any vendor, as a separate extension. */
  readonly ask: (question: Question) => Promise<readonly RecordedPart[]>;
  /** Resolves when this many requests have arrived since the last reset. */
  readonly arrived: (count: number) => Promise<void>;
}
