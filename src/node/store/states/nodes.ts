import type { Checkpoint, CheckpointForm, ParentLink } from '../../../core/model/lineage.ts';

/** A checkpoint with its internal columns. */
export interface Node extends Checkpoint {
  readonly lineage: number;
  /** The parent's name from the server, even if that checkpoint is gone. */
  readonly parentName: string | undefined;
  /** Characters of its state, or 0 without one. */
  readonly stateSize: number;
  /** Cost of computing its state from the nearest complete one. */
  readonly replay: number;
}

/** The parent of a checkpoint. */
export interface Parentage {
  readonly link: ParentLink;
  /** Absent with a `name` if the server named an unknown parent. */
  readonly node?: Node | undefined;
  /** The parent's name from the server. */
  readonly name?: string | undefined;
}

/** The content of a checkpoint. */
export interface Content {
  readonly form: CheckpointForm;
  /** Why it has no state. */
  readonly problem?: string;
  readonly body?: string;
  readonly stateSize: number;
  readonly replay: number;
}
