/** The result of decoding a value from a peer. */
export type Decoded<T> = { readonly kind: 'ok'; readonly value: T } | NotInRevision | Invalid;

/** MCP has the method, but not in this connection's revision. */
interface NotInRevision {
  readonly kind: 'notInRevision';
}

interface Invalid {
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
