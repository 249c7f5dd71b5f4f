import type { CancellationToken } from './base/cancellation.ts';
import type { Json, JsonObject } from './base/json.ts';
import type { FormValues, ToolForm } from './form/fields.ts';
import type { SamplingRequest, SamplingResult } from './model/inputs.ts';

/** Requests of servers to the person and to the person's models. The implementation first shows which server asks. */
export interface InputPorts {
  readonly elicitor: Elicitor;
  readonly sampler: Sampler;
  readonly schemaChecker: SchemaChecker;
}

/**
 * Puts a server's questions to the person, each with a way to refuse it and a way to leave it open. A cancelled token
 * means that the question is void: its dialog closes, and what is answered later is not heard.
 */
export interface Elicitor {
  /** Shows a form that the person reviews before it is sent. */
  form(question: FormQuestion, token: CancellationToken): Promise<FormAnswer>;
  /** Shows the whole URL and opens it only once the person agreed, outside of anything that this host or a model reads. */
  url(question: UrlQuestion, token: CancellationToken): Promise<UrlAnswer>;
  /**
   * Waits while the person is busy with a page that was opened, with a way to go on and a way to give up. The token is
   * cancelled as soon as the server says that it is done.
   */
  finish(question: UrlQuestion, token: CancellationToken): Promise<'continue' | 'cancel'>;
  /** The server says that the person is done with a page on which nothing waits here. */
  finished(question: UrlQuestion): void;
}

export interface FormQuestion {
  /** The server's id in the settings, which the person chose, and not what it calls itself. */
  readonly server: string;
  /** Plain and bounded; may have several lines. */
  readonly message: string;
  readonly form: ToolForm;
  /** The schema of the form as the server wrote it, for other forms. */
  readonly schema?: JsonObject | undefined;
  /** What the fields show when the form opens: the server's defaults, or what was entered before it was found wrong. */
  readonly values: FormValues;
  /** Problems of an earlier answer, by field id; empty for a first question. */
  readonly errors: Readonly<Record<string, string>>;
  /** Ids of fields whose names look as if a secret was wanted, for which servers must not use a form. */
  readonly sensitive: readonly string[];
  /** Warnings to be shown with the form, a sentence each. */
  readonly remarks: readonly string[];
}

export type FormAnswer =
  | { readonly kind: 'accept'; readonly values: FormValues }
  /** An explicit no. */
  | { readonly kind: 'decline' }
  /** Closed, or left alone. */
  | { readonly kind: 'cancel' };

export interface UrlQuestion {
  readonly server: string;
  readonly message: string;
  /** To be shown whole, as plain text, and opened as it is. Begins with http: or https:. */
  readonly url: string;
  /** The host that is really opened, in ASCII: to be shown apart from the rest. */
  readonly host: string;
  /** The host as the server wrote it, if it looks different. */
  readonly writtenHost: string | undefined;
  readonly elicitationId: string | undefined;
  /** Warnings about it, a sentence each. */
  readonly remarks: readonly string[];
}

/** `accept` once the page was opened; `cancel` also if it could not be opened. */
export type UrlAnswer = 'accept' | 'decline' | 'cancel';

/** Runs a server's prompt on one of the person's models, after the person saw it and could change it. */
export interface Sampler {
  /** False without any model: the host then declares none to servers. */
  readonly isOffered?: boolean | undefined;
  /** Whether tools in a request are heeded. Told to servers when a connection opens. */
  readonly canUseTools: boolean;
  sample(question: SamplingQuestion, token: CancellationToken): Promise<SamplingOutcome>;
}

export interface SamplingQuestion {
  readonly server: string;
  /** Of the connection that asks: another program of the same id is another server. Absent: nothing can be remembered. */
  readonly fingerprint?: string | undefined;
  /** Part of the name of the model that the settings want for this server. */
  readonly model?: string | undefined;
  readonly request: SamplingRequest;
  /** Warnings to be shown with the prompt, a sentence each. */
  readonly remarks: readonly string[];
}

export type SamplingOutcome =
  | { readonly kind: 'answered'; readonly result: SamplingResult }
  | { readonly kind: 'declined' }
  /** No model, no permission, a used-up quota: the reason goes to the server, in one sentence. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** Judges a value by a schema of a stranger: without asking the network, and without ever blocking the host. */
export interface SchemaChecker {
  check(schema: JsonObject, value: Json, token: CancellationToken): Promise<SchemaVerdict>;
}

export type SchemaVerdict =
  | { readonly kind: 'ok' }
  | { readonly kind: 'mismatch'; readonly problems: readonly string[] }
  | {
      readonly kind: 'undecided';
      readonly why: string;
      /** The schema is at fault: another check gives the same result. Absent if the value or a temporary error is. */
      readonly isSchemaFault?: boolean;
    };
