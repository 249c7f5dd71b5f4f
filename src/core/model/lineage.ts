import { cleanText } from '../base/cleanText.ts';

/** The owner of a state history: a feature set of a server. An empty name means an unknown set. */
export interface LineageKey {
  readonly server: string;
  readonly featureSet: string;
}

/**
 * Where the state is kept (MCPL §8.1 `hostState`): its full text in the host, or only checkpoint names, with the state
 * in the server.
 */
export type StateKeeper = 'host' | 'server';

/** How the parent of a checkpoint was determined. */
export const PARENT_LINKS = [
  /** A root: the server said so, or there was no earlier checkpoint. */
  'none',
  /** The server named the parent. */
  'named',
  /** The server named none. Assumes the checkpoint that was current when the request was sent. */
  'assumed',
  /** The result of a rollback, under another name than requested (docs/decisions/rollback-outcomes.md). */
  'rollback',
  /** Retention removed the parent. */
  'trimmed',
] as const;
export type ParentLink = (typeof PARENT_LINKS)[number];

/** How the state of a checkpoint is stored. */
export const CHECKPOINT_FORMS = [
  /** Complete (MCPL §8.3 `data`). */
  'data',
  /** As a patch on the parent's state (MCPL §8.3 `patch`). */
  'patch',
  /** Same as the parent's state, because nothing was sent (docs/decisions/state-contents.md). */
  'same',
  /** The server keeps the state (MCPL §8.7). */
  'opaque',
  /** A placeholder: another checkpoint named it as its parent (docs/decisions/checkpoint-parents.md). */
  'placeholder',
] as const;
export type CheckpointForm = (typeof CHECKPOINT_FORMS)[number];

/** A checkpoint without its state. */
export interface Checkpoint {
  /** The host's number for it: unique in the database, and increasing. */
  readonly place: number;
  /** The server's name for it. */
  readonly checkpoint: string;
  /** Numbers checkpoints with the same name, from 1 (docs/decisions/checkpoint-parents.md). */
  readonly copy: number;
  readonly parent: number | undefined;
  readonly link: ParentLink;
  readonly form: CheckpointForm;
  /** Why it has no state: its patch failed, or its base is unknown. A sentence. */
  readonly problem: string | undefined;
  /** The server no longer has it (MCPL §8.8). */
  readonly isPruned: boolean;
  readonly at: number;
  /** The tool that created it. */
  readonly tool: string | undefined;
  /** A summary of the call's arguments, without secrets. */
  readonly args: string | undefined;
  readonly conversation: string | undefined;
  /** Characters of the received content. */
  readonly size: number;
  /** The name that the user gave it. */
  readonly name: string | undefined;
  readonly isPinned: boolean;
}

/** The unique display name of a checkpoint: `chk_abc`, or `chk_abc#2`. */
export function checkpointName({ checkpoint, copy }: Pick<Checkpoint, 'checkpoint' | 'copy'>): string {
  return copy === 1 ? checkpoint : `${checkpoint}#${copy}`;
}

/** The conversation of a chat, or `undefined` for all calls outside a conversation. */
export interface LineageHead {
  readonly conversation: string | undefined;
  readonly place: number;
}

export interface LineageSummary extends LineageKey {
  readonly id: number;
  readonly keeper: StateKeeper;
  /** Number of stored checkpoints. */
  readonly count: number;
  /** Approximate characters that they take. */
  readonly size: number;
  /** The checkpoint that the next call starts from. */
  readonly head: Checkpoint | undefined;
  /** Heads of other conversations, newest first. Only a few. */
  readonly others: readonly LineageHead[];
  /**
   * The checkpoint that blocks the next call, because its state could not be computed
   * (docs/decisions/state-contents.md).
   */
  readonly blocked: Checkpoint | undefined;
  readonly changedAt: number;
}

export const LINEAGE_FILTERS = ['all', 'line', 'marked', 'problems'] as const;

export interface LineageFilter {
  /** Case-insensitive search in the name, the server's name, the tool and the arguments. Empty: all. */
  readonly text: string;
  /** `line`: ancestors of the head. `marked`: pinned or named. `problems`: broken, unknown or pruned. */
  readonly only: (typeof LINEAGE_FILTERS)[number];
}

/** Rows starting at number `from`, newest first. */
export interface LineageQuery extends LineageKey {
  readonly filter: LineageFilter;
  readonly from: number;
  readonly count: number;
}

export interface LineageWindow {
  /** Changes with every change of the history, whoever makes it. */
  readonly version: number;
  /** Number of rows that match the filter. */
  readonly total: number;
  /** Number of rows without the filter. */
  readonly all: number;
  /** Row of the head. Absent if the filter hides it. */
  readonly head: number | undefined;
  /** Maximum number of parallel lanes. */
  readonly lanes: number;
  readonly rows: readonly LineageRow[];
}

export interface LineageRow {
  readonly position: number;
  readonly node: Checkpoint;
  readonly isHead: boolean;
  /** Whether it is the head or an ancestor of it. */
  readonly isOnLine: boolean;
  /** Number of other conversations whose head is here. */
  readonly conversations: number;
  /** The number of rollbacks to it. */
  readonly rollbacks: number;
  /** Absent with a filter, because lines would lead to hidden rows. */
  readonly graph: RowGraph | undefined;
}

/** The graph next to a row. Newest rows are at the top, so children are above their parent. */
export interface RowGraph {
  readonly lane: number;
  /** Lanes that pass through from top to bottom. */
  readonly through: readonly number[];
  /** Lanes that end here from above: those of the children. */
  readonly children: readonly number[];
  /** Whether its own lane continues downwards. */
  readonly hasParent: boolean;
  /** Number of lines that are not drawn, for lack of lanes. */
  readonly folded: number;
}

export interface CheckpointDetail extends LineageKey {
  readonly node: Checkpoint;
  readonly keeper: StateKeeper;
  readonly parent: Checkpoint | undefined;
  /** Number of children. */
  readonly children: number;
  /** The patch or the data as received; cut if it is long. */
  readonly body: string | undefined;
  readonly isBodyCut: boolean;
  readonly isHead: boolean;
  /** The user's last actions on it, newest first. */
  readonly moves: readonly HeadMove[];
}

export const MOVE_KINDS = ['rollback', 'continue'] as const;

/** A rollback to a checkpoint, or an attempt. */
export interface HeadMove {
  readonly at: number;
  /** `rollback`: the server was asked. `continue`: only the host moved. */
  readonly kind: (typeof MOVE_KINDS)[number];
  readonly from: number | undefined;
  readonly to: number;
  /** Why it failed. Absent if it succeeded. */
  readonly refusal: string | undefined;
}

/** The steps from the head to a target. */
export interface LineagePath {
  /** The checkpoints that a rollback would leave, newest first. At most `MAX_PATH`. */
  readonly left: readonly Checkpoint[];
  readonly leftCount: number;
  /** Whether the target is an ancestor of the head, rather than on another branch. */
  readonly isBack: boolean;
  readonly head: Checkpoint | undefined;
  readonly target: Checkpoint;
  /** Whether the host can compute the target's state. */
  readonly hasState: boolean;
}

export const MAX_PATH = 200;

/** Limits for everything that a server can make the host store for one state. */
export const STATE_BOUNDS = {
  /** Characters of a complete state, as JSON. */
  state: 32_000_000,
  /** Characters of a patch. */
  patch: 16_000_000,
  operations: 50_000,
  depth: 512,
  /** Characters of a checkpoint name. */
  id: 512,
} as const;

/** The outcome for the state that a call returned. */
export type KeptState =
  | { readonly kind: 'kept' | 'known'; readonly checkpoint: string; readonly place: number }
  | { readonly kind: 'broken'; readonly checkpoint: string; readonly place: number; readonly problem: string }
  /** It could not be stored, or contained nothing to store. */
  | { readonly kind: 'lost'; readonly checkpoint: string | undefined; readonly problem: string };

const CHANGES_ON_ITS_WAY = /[\t\n\p{Surrogate}]/u;

/** Checkpoint names are sent back unchanged. Names that would need cleaning for display or storage are rejected. */
export function isCheckpointId(id: string): boolean {
  return id.length <= STATE_BOUNDS.id && id.trim() !== '' && !CHANGES_ON_ITS_WAY.test(id) && cleanText(id) === id;
}

/** A lineage as a map key. */
export function keyText({ server, featureSet }: LineageKey): string {
  return `${server}\u0000${featureSet}`;
}
