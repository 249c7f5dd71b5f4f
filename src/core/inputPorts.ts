import type { CancellationToken } from './base/cancellation.ts';
import type { Json, JsonObject } from './base/json.ts';
import type { FormValues, ToolForm } from './form/fields.ts';
import type { SamplingRequest, SamplingResult } from './model/inputs.ts';

/** Requests of servers to the user and the user's models. The implementation first shows which server asks. */
export interface InputPorts {
  readonly elicitor: Elicitor;
  readonly sampler: Sampler;
  readonly schemaChecker: SchemaChecker;
}

/**
 * Shows a server's questions to the user, each with a way to decline it and a way to leave it open. A cancelled token
 * withdraws the question: its dialog closes, and later answers are ignored.
 */
export interface Elicitor {
  /** Shows a form that the user reviews before it is sent. */
  form(question: FormQuestion, token: CancellationToken): Promise<FormAnswer>;
  /** Shows the whole URL. Opens it only if the user agrees, outside this host and out of reach of models. */
  url(question: UrlQuestion, token: CancellationToken): Promise<UrlAnswer>;
  /**
   * Waits while the user visits an opened page. The user can continue or give up. The token is cancelled once the
   * server reports the end.
   */
  finish(question: UrlQuestion, token: CancellationToken): Promise<'continue' | 'cancel'>;
  /** The server reports that the user has finished with a page. No call waits for it here. */
  finished(question: UrlQuestion): void;
}

export interface FormQuestion {
  /** The server's id in the settings, which the user chose. Not the name that the server reports. */
  readonly server: string;
  /** Plain text of limited length. May have several lines. */
  readonly message: string;
  readonly form: ToolForm;
  /** The schema of the form as the server sent it, for other forms. */
  readonly schema?: JsonObject | undefined;
  /** Initial values of the fields: the server's defaults, or the user's earlier input if it was invalid. */
  readonly values: FormValues;
  /** Problems of an earlier answer, by field id. Empty for a first question. */
  readonly errors: Readonly<Record<string, string>>;
  /** Ids of fields whose names suggest a secret. Servers must not ask for secrets in a form. */
  readonly sensitive: readonly string[];
  /** Warnings to show with the form, a sentence each. */
  readonly remarks: readonly string[];
}

export type FormAnswer =
  | { readonly kind: 'accept'; readonly values: FormValues }
  /** An explicit refusal. */
  | { readonly kind: 'decline' }
  /** Closed, or not answered. */
  | { readonly kind: 'cancel' };

export interface UrlQuestion {
  readonly server: string;
  readonly message: string;
  /** Show it whole, as plain text, and open it unchanged. Starts with http: or https:. */
  readonly url: string;
  /** The actual host in ASCII. Show it apart from the rest. */
  readonly host: string;
  /** The host as the server wrote it, if it looks different. */
  readonly writtenHost: string | undefined;
  readonly elicitationId: string | undefined;
  /** Warnings about the page, a sentence each. */
  readonly remarks: readonly string[];
}

/** `accept` once the page is open. `cancel` also if it could not be opened. */
export type UrlAnswer = 'accept' | 'decline' | 'cancel';

/** Runs a server's prompt on one of the user's models, after the user has seen it and could change it. */
export interface Sampler {
  /** False without any model. The host then does not declare sampling to servers. */
  readonly isOffered?: boolean | undefined;
  /** Whether tools in a request are supported. Declared to servers when a connection opens. */
  readonly canUseTools: boolean;
  sample(question: SamplingQuestion, token: CancellationToken): Promise<SamplingOutcome>;
}

export interface SamplingQuestion {
  readonly server: string;
  /**
   * Fingerprint of the connection that asks: another program under the same id is another server. Absent: answers
   * cannot be remembered.
   */
  readonly fingerprint?: string | undefined;
  /** Part of the name of the model that the settings choose for this server. */
  readonly model?: string | undefined;
  readonly request: SamplingRequest;
  /** Warnings to show with the prompt, a sentence each. */
  readonly remarks: readonly string[];
}

export type SamplingOutcome =
  | { readonly kind: 'answered'; readonly result: SamplingResult }
  | { readonly kind: 'declined' }
  /** No model, no permission, or a used-up quota. The server gets the reason, in one sentence. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** Checks a value against an untrusted schema, without network access and without blocking the host. */
export interface SchemaChecker {
  check(schema: JsonObject, value: Json, token: CancellationToken): Promise<SchemaVerdict>;
}

export type SchemaVerdict =
  | { readonly kind: 'ok' }
  | { readonly kind: 'mismatch'; readonly problems: readonly string[] }
  | {
      readonly kind: 'undecided';
      readonly why: string;
      /**
       * The schema is invalid, so another check gives the same result. Absent if the value is invalid or the error is
       * temporary.
       */
      readonly isSchemaFault?: boolean;
    };
