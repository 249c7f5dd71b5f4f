import type {
  CancellationToken,
  LanguageModelChatMessage,
  LanguageModelChatRequestOptions,
  LanguageModelResponsePart,
} from 'vscode';

/** What the model was given, as plain JSON, so that tests can compare the whole of it. */
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

/** A string is text; a tool call gets an id of its own. */
export type AnswerPart = string | { readonly call: string; readonly input?: object } | LanguageModelResponsePart;

/** Parts in order, or a function that makes them; what it throws is the model's failure. */
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
  /** Each part of the answer as it comes. */
  readonly onPart?: (part: RecordedPart) => void;
}

/** The exports of the extension `mcp-live-test.fake-model`. */
export interface FakeModelApi {
  /** In the order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Answers every further request so, until the next call or reset. */
  readonly respondWith: (answer: Answer) => void;
  /** Answers the next requests so, one answer each, before what respondWith says. */
  readonly respondOnce: (...answers: readonly Answer[]) => void;
  /** From now on there is no model, until the next reset. */
  readonly hide: () => void;
  /** Forgets the recorded requests and all answers: back to the talkative default. */
  readonly reset: () => void;
  /** From now on models take only so many tokens, until the next reset. */
  readonly limit: (maxInputTokens: number) => void;
  /** What the tool `fake_lookup` was given. */
  readonly lookups: readonly object[];
  /** Whose models the chat participant asks: its own, unless it is told otherwise. */
  readonly chatWith: (vendor: string) => void;
  /** Asks a model of anybody's, as an extension of its own. */
  readonly ask: (question: Question) => Promise<readonly RecordedPart[]>;
  /** Resolves when this many requests have arrived since the last reset. */
  readonly arrived: (count: number) => Promise<void>;
}
