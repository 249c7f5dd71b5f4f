import { cleanText } from '../base/cleanText.ts';

/** Where states belong (model E of the lineage): a feature set of a server. An empty name means an unknown set. */
export interface LineageKey {
  readonly server: string;
  readonly featureSet: string;
}

/** Who keeps the state (MCPL §8.1 `hostState`): the host its whole text, or the server, of which there are only names. */
export type StateKeeper = 'host' | 'server';

/** How a checkpoint came by its parent. */
export const PARENT_LINKS = [
  /** It is a root: its server said so, or nothing was there before it. */
  'none',
  /** Its server named it. */
  'named',
  /** The server named none: the checkpoint that was current when the request was sent. */
  'assumed',
  /** It is what a rollback led to, under another name than what was asked for (docs/decisions/rollback-outcomes.md). */
  'rollback',
  /** Its parent was given up by the retention. */
  'trimmed',
] as const;
export type ParentLink = (typeof PARENT_LINKS)[number];

/** In which form the state of a checkpoint is known. */
export const CHECKPOINT_FORMS = [
  /** Whole (MCPL §8.3 `data`). */
  'data',
  /** As a difference to its parent's (MCPL §8.3 `patch`). */
  'patch',
  /** It is its parent's: nothing came with it (docs/decisions/state-contents.md). */
  'same',
  /** Its server keeps it (MCPL §8.7). */
  'opaque',
  /** A placeholder: another checkpoint named it as its parent (docs/decisions/checkpoint-parents.md). */
  'placeholder',
] as const;
export type CheckpointForm = (typeof CHECKPOINT_FORMS)[number];

/** One checkpoint, without its state. */
export interface Checkpoint {
  /** The host's own number for it: unique in the database, greater than that of all before it. */
  readonly place: number;
  /** As its server calls it. */
  readonly checkpoint: string;
  /** From 2 on, what else its server called by the same name (docs/decisions/checkpoint-parents.md). */
  readonly copy: number;
  readonly parent: number | undefined;
  readonly link: ParentLink;
  readonly form: CheckpointForm;
  /** Why there is no state at it: its patch did not fit, or what it builds on is not known. A sentence. */
  readonly problem: string | undefined;
  /** Its server no longer has it (MCPL §8.8). */
  readonly isPruned: boolean;
  readonly at: number;
  /** What made it. */
  readonly tool: string | undefined;
  /** The arguments of the call in short, without secrets. */
  readonly args: string | undefined;
  readonly conversation: string | undefined;
  /** Characters of what came with it. */
  readonly size: number;
  /** As a person called it. */
  readonly name: string | undefined;
  readonly isPinned: boolean;
}

/** The name by which a person tells a checkpoint apart: `chk_abc`, or `chk_abc#2`. */
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
  /** How many checkpoints are kept. */
  readonly count: number;
  /** Characters that they take, roughly. */
  readonly size: number;
  /** What the next call begins with. */
  readonly head: Checkpoint | undefined;
  /** Of conversations that stand elsewhere, the newest first, a few. */
  readonly others: readonly LineageHead[];
  /** The checkpoint that blocks the next call: its state could not be made (docs/decisions/state-contents.md). */
  readonly blocked: Checkpoint | undefined;
  readonly changedAt: number;
}

export const LINEAGE_FILTERS = ['all', 'line', 'marked', 'problems'] as const;

export interface LineageFilter {
  /** Found in the name, the server's name, the tool or the arguments, whatever their case. Empty: all. */
  readonly text: string;
  /** `line`: what leads to the head; `marked`: pinned or named; `problems`: broken, unknown or pruned. */
  readonly only: (typeof LINEAGE_FILTERS)[number];
}

/** Rows of the newest first, beginning with number `from`. */
export interface LineageQuery extends LineageKey {
  readonly filter: LineageFilter;
  readonly from: number;
  readonly count: number;
}

export interface LineageWindow {
  /** Another number after any change of the lineage, whoever made it. */
  readonly version: number;
  /** How many rows there are under the filter. */
  readonly total: number;
  /** How many there are without it. */
  readonly all: number;
  /** Where the head stands among the rows; absent where the filter leaves it out. */
  readonly head: number | undefined;
  /** Lanes beside each other at the most, as drawn. */
  readonly lanes: number;
  readonly rows: readonly LineageRow[];
}

export interface LineageRow {
  readonly position: number;
  readonly node: Checkpoint;
  readonly isHead: boolean;
  /** The head stands on it or further on. */
  readonly isOnLine: boolean;
  /** How many conversations stand here, that of the head not counted. */
  readonly conversations: number;
  /** The number of rollbacks to it. */
  readonly rollbacks: number;
  /** Absent where a filter leaves rows out: lines would lead nowhere. */
  readonly graph: RowGraph | undefined;
}

/** The graph beside a row: the newest is at the top, and children are above their parent. */
export interface RowGraph {
  readonly lane: number;
  /** Lanes whose line passes by from top to bottom. */
  readonly through: readonly number[];
  /** Lanes whose line comes from above and ends here: those of its children. */
  readonly children: readonly number[];
  /** Whether a line leaves downwards, in its own lane. */
  readonly hasParent: boolean;
  /** Lines that are not drawn, because they would need more lanes than are shown. */
  readonly folded: number;
}

export interface CheckpointDetail extends LineageKey {
  readonly node: Checkpoint;
  readonly keeper: StateKeeper;
  readonly parent: Checkpoint | undefined;
  /** How many build on it. */
  readonly children: number;
  /** The patch or the data as received; cut if it is long. */
  readonly body: string | undefined;
  readonly isBodyCut: boolean;
  readonly isHead: boolean;
  /** What persons did with it, the newest first, a few. */
  readonly moves: readonly HeadMove[];
}

export const MOVE_KINDS = ['rollback', 'continue'] as const;

/** A rollback to a checkpoint, or an attempt. */
export interface HeadMove {
  readonly at: number;
  /** `rollback`: the server was asked; `continue`: only the host works on from there. */
  readonly kind: (typeof MOVE_KINDS)[number];
  readonly from: number | undefined;
  readonly to: number;
  /** Why it did not happen; absent if it did. */
  readonly refusal: string | undefined;
}

/** What lies between where one is and where one wants to be. */
export interface LineagePath {
  /** What a way back would leave, the newest first; no more than `MOST_PATH`. */
  readonly left: readonly Checkpoint[];
  readonly leftCount: number;
  /** Whether the target lies before the head, and not on another branch. */
  readonly isBack: boolean;
  readonly head: Checkpoint | undefined;
  readonly target: Checkpoint;
  /** Whether a state can be made of it from what the host has. */
  readonly hasState: boolean;
}

export const MOST_PATH = 200;

/** Bounds of all that a server can make the host keep of one state. */
export const STATE_BOUNDS = {
  /** Characters of a whole state, as JSON. */
  state: 32_000_000,
  /** Characters of a patch. */
  patch: 16_000_000,
  operations: 50_000,
  depth: 512,
  /** Of what a server calls a checkpoint. */
  id: 512,
} as const;

/** The outcome for the state that a call returned. */
export type KeptState =
  | { readonly kind: 'kept' | 'known'; readonly checkpoint: string; readonly place: number }
  | { readonly kind: 'broken'; readonly checkpoint: string; readonly place: number; readonly problem: string }
  /** It could not be stored, or said nothing that can be. */
  | { readonly kind: 'lost'; readonly checkpoint: string | undefined; readonly problem: string };

const CHANGES_ON_ITS_WAY = /[\t\n\p{Surrogate}]/u;

/** It is sent back as it came: what would have to be cleaned before it can be shown, or stored, is not taken at all. */
export function isCheckpointId(id: string): boolean {
  return id.length <= STATE_BOUNDS.id && id.trim() !== '' && !CHANGES_ON_ITS_WAY.test(id) && cleanText(id) === id;
}
