import type { Checkpoint, CheckpointForm, ParentLink } from '../../../core/model/lineage.ts';

/** A checkpoint, with what only its file knows of it. */
export interface Node extends Checkpoint {
  readonly lineage: number;
  /** As its server named it, whatever became of that one. */
  readonly parentName: string | undefined;
  /** Characters of its state; 0 where there is none. */
  readonly stateSize: number;
  /** What it takes to make its state of the nearest one that is written down. */
  readonly replay: number;
}

/** Where a checkpoint comes from. */
export interface Parentage {
  readonly link: ParentLink;
  /** Absent with a `name`: its server named one that was never heard of. */
  readonly node?: Node | undefined;
  /** As its server named it. */
  readonly name?: string | undefined;
}

/** What a checkpoint holds. */
export interface Content {
  readonly form: CheckpointForm;
  /** Why there is no state at it. */
  readonly problem?: string;
  readonly body?: string;
  readonly stateSize: number;
  readonly replay: number;
}
