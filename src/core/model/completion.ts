/** The value to complete: an argument of a prompt, or a variable of a resource template. */
export type CompletionReference =
  { readonly kind: 'prompt'; readonly name: string } | { readonly kind: 'template'; readonly uriTemplate: string };

export interface CompletionRequest {
  readonly reference: CompletionReference;
  readonly argument: { readonly name: string; readonly value: string };
  /** The arguments chosen so far. Not sent to servers older than MCP 2025-06-18. */
  readonly settled: Readonly<Record<string, string>>;
}

export interface Completion {
  /** At most 100. */
  readonly values: readonly string[];
  /** The total number, if the server knows it. */
  readonly total: number | undefined;
  readonly hasMore: boolean;
}
