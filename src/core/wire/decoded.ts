/** What became of something that a peer sent. */
export type Decoded<T> = { readonly kind: 'ok'; readonly value: T } | NotInRevision | Invalid;

/** MCP has it, but not the revision that this connection speaks. */
export interface NotInRevision {
  readonly kind: 'notInRevision';
}

export interface Invalid {
  readonly kind: 'invalid';
  /** The end of a sentence: "the answer holds no list of tools". */
  readonly why: string;
}

export const NOT_IN_REVISION: NotInRevision = { kind: 'notInRevision' };

export function ok<T>(value: T): Decoded<T> {
  return { kind: 'ok', value };
}

export function invalid(why: string): Invalid {
  return { kind: 'invalid', why };
}
