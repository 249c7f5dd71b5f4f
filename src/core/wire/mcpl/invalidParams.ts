/** Invalid params: the wrong member, and a sentence for the server's author. */
export interface InvalidParams {
  readonly kind: 'invalid';
  readonly why: string;
  readonly field: string;
}

export type DecodedParams<T> = { readonly kind: 'ok'; readonly value: T } | InvalidParams;

export function wrong(field: string, needed: string): InvalidParams {
  return { kind: 'invalid', why: `${field} must be ${needed}.`, field };
}
