/**
 * What the host allows a server (model C; the other direction, what servers allow the host, will stand beside it with
 * a `direction` of its own). Never in workspace files: a repository cannot allow itself anything.
 */
export interface Grant {
  readonly id: string;
  readonly direction: 'toServer';
  /** So far only feature sets: that this form of the declaration was switched on. */
  readonly kind: 'featureSet';
  readonly server: string;
  /** The name of the set. */
  readonly target: string;
  /** The digest of the declaration. */
  readonly form: string;
  readonly at: number;
}
