import type { Annotation, LineageKey, LineageQuery } from '../../core/index.ts';

interface OfPlace {
  readonly place: number;
}

/** Where somebody works on: absent for the head of all that have none of their own. */
interface InConversation {
  readonly conversation: string | undefined;
}

/** A checkpoint by the host's number for it, or as a person reads it in a list. */
export type CheckpointAddress =
  | { readonly kind: 'place'; readonly place: number }
  | { readonly kind: 'name'; readonly key: LineageKey; readonly name: string };

interface OfCheckpoint {
  readonly target: CheckpointAddress;
}

/** What each command about states takes. */
export interface LineageCommands {
  readonly lineages: object;
  readonly watchLineages: { readonly on: boolean };
  readonly checkpoints: { readonly query: LineageQuery };
  readonly checkpoint: OfPlace;
  readonly state: OfPlace & { readonly form: 'compact' | 'pretty' };
  readonly planRollback: OfCheckpoint;
  readonly rollback: OfCheckpoint & InConversation;
  readonly continueFrom: OfCheckpoint & InConversation;
  readonly annotate: OfPlace & { readonly change: Annotation };
  readonly exportLineage: { readonly key: LineageKey; readonly file: string };
  readonly importLineage: { readonly key: LineageKey; readonly file: string };
  readonly forgetLineage: { readonly key: LineageKey };
}
