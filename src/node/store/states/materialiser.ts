import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Json, StateUpdate } from '../../../core/index.ts';
import { checkpointName, STATE_BOUNDS } from '../../../core/model/lineage.ts';
import { PatchableState } from '../../../core/states/patches/patches.ts';
import { integer, optionalText } from '../contract.ts';
import { StoreError } from '../sqlite.ts';
import type { Lineage } from './lineageTable.ts';
import type { Content, Node } from './checkpointRows.ts';

// Cost of replaying patches, in characters of JSON parsed in the same time. Measured on chains of 10,000 checkpoints
// with patches of 200 characters ("npm run bench -- --only states"): computing a state takes 1.5 times its parse time
// at 94 KB, and 1.37 times at 10 MB. Snapshots are then written every 30 checkpoints at 94 KB, and every 500 at 10 MB.

/** Cost per checkpoint, in addition to its patch. */
const STEP = 1_500;
/** Replays up to this cost need no snapshot, however small the state. */
const SHORT_WAY = 40_000;
/** Replays up to this fraction of the state's size need no snapshot either. */
const SHORT_PART = 0.085;
/** Characters read by a patch count above this number: a short patch may copy the whole state ten times. */
const USUAL_EFFORT = 20_000;

export function isFarFromWritten({ stateSize, replay }: Content): boolean {
  return replay > SHORT_WAY + stateSize * SHORT_PART;
}

/** Reserializes a body from the server. Equal states then have equal text, and no line break gets into a message. */
export function inOwnWriting(update: StateUpdate): StateUpdate {
  const { body } = update;
  if (body?.isAsItCame !== true) return update;
  return { ...update, body: { kind: body.kind, text: JSON.stringify(JSON.parse(body.text)) } };
}

/** Decides what to store for a checkpoint, and whether it has a state. */
export function contentOf(
  { keeper }: Pick<Lineage, 'keeper'>,
  { body }: Pick<StateUpdate, 'body'>,
  parent: Node | undefined,
  states: Materialiser,
): Content {
  if (keeper === 'server') return { form: 'opaque', ...NO_STATE };
  if (body === undefined) return inherited(parent);
  return body.kind === 'data' ? whole(body.text) : patched(body.text, parent, states);
}

const NO_STATE = { stateSize: 0, replay: 0 } as const;

/** MCPL §8.3: without `data` or `patch`, it is the parent's state (docs/decisions/state-contents.md). */
function inherited(parent: Node | undefined): Content {
  if (parent !== undefined && isLost(parent)) return { form: 'same', problem: lost(parent), ...NO_STATE };
  if (parent === undefined || parent.stateSize === 0) return { form: 'same', ...NO_STATE };
  return { form: 'same', stateSize: parent.stateSize, replay: parent.replay + STEP };
}

function whole(text: string): Content {
  if (text.length <= STATE_BOUNDS.state) return { form: 'data', body: text, stateSize: text.length, replay: 0 };
  return { form: 'data', problem: `The state has ${tooMany(text.length, STATE_BOUNDS.state)}`, ...NO_STATE };
}

function patched(patch: string, parent: Node | undefined, states: Materialiser): Content {
  const broken = (problem: string): Content => ({ form: 'patch', problem, body: patch, ...NO_STATE });
  if (patch.length > STATE_BOUNDS.patch)
    return { form: 'patch', problem: `The patch has ${tooMany(patch.length, STATE_BOUNDS.patch)}`, ...NO_STATE };
  if (parent === undefined) return broken('A patch came, but there is no state before it.');
  if (parent.stateSize === 0) return broken(isLost(parent) ? lost(parent) : missing(parent));
  const outcome = states.patch(parent.place, patch);
  if (outcome.kind === 'refused') return broken(`The patch does not fit the state before it. ${outcome.problem}`);
  const replay = parent.replay + patch.length + STEP + Math.max(0, outcome.effort - USUAL_EFFORT);
  return { form: 'patch', body: patch, stateSize: Math.max(1, outcome.size), replay };
}

/** Whether the state is lost. States that the server keeps are not lost. */
export function isLost({ stateSize, form, problem }: Node): boolean {
  return stateSize === 0 && (form === 'placeholder' || problem !== undefined);
}

function lost(parent: Node): string {
  const name = checkpointName(parent);
  if (parent.form === 'placeholder') return `It builds on ${name}, of which nothing but the name is known.`;
  return `It builds on ${name}, whose state could not be made.`;
}

function missing(parent: Node): string {
  return `A patch came, but there is no state at ${checkpointName(parent)}, on which it builds.`;
}

function tooMany(length: number, most: number): string {
  return `${length} characters; at most ${most} are kept.`;
}

/** Characters of parsed states kept in memory: about 10 MB for each of a few heads. A larger state is kept alone. */
const MAX_CHARACTERS = 32_000_000;

/** Parsed states of recent checkpoints. The state at a place never changes, whoever writes to the file. */
export class StoredStates {
  /** Most recently used last. */
  readonly #byRowId = new Map<number, PatchableState>();

  get(rowId: number): PatchableState | undefined {
    const found = this.#byRowId.get(rowId);
    if (found === undefined) return undefined;
    this.#byRowId.delete(rowId);
    this.#byRowId.set(rowId, found);
    return found;
  }

  put(rowId: number, state: PatchableState): void {
    this.#byRowId.delete(rowId);
    this.#byRowId.set(rowId, state);
    let characters = 0;
    for (const [each, { size }] of [...this.#byRowId].reverse())
      if ((characters += size) > MAX_CHARACTERS && each !== rowId) this.#byRowId.delete(each);
  }

  /** The state of one checkpoint was patched in place into that of another. */
  move(from: number, to: number): void {
    const state = this.#byRowId.get(from);
    if (state === undefined) return;
    this.#byRowId.delete(from);
    this.put(to, state);
  }

  clear(): void {
    this.#byRowId.clear();
  }
}

const COLUMNS = `c.place, c.parent, CASE c.form WHEN 'patch' THEN c.body END,
  c.form = 'data' OR EXISTS (SELECT 1 FROM snapshots s WHERE s.place = c.place)`;
/**
 * The path from a checkpoint up to the nearest complete state, with all patches joined into one text, because separate
 * rows would cost more than the patches. Ancestors have smaller row ids.
 */
const LINE = `
  WITH RECURSIVE line (place, parent, patch, is_whole) AS (
    SELECT ${COLUMNS} FROM checkpoints c WHERE c.place = ? AND c.state_size > 0
    UNION ALL
    SELECT ${COLUMNS} FROM line JOIN checkpoints c ON c.place = line.parent WHERE NOT line.is_whole
  )
  SELECT min(place) AS origin, group_concat(patch, ',' ORDER BY place) FILTER (WHERE NOT is_whole) AS patches FROM line`;

/** Computes the states of checkpoints. */
export class Materialiser {
  readonly #state: StatementSync;
  readonly #snapshot: StatementSync;
  readonly #data: StatementSync;
  readonly #line: StatementSync;
  readonly #live = new StoredStates();
  /** The last sent state, which is often sent again by a call that changed nothing. */
  #sent: { readonly rowId: number; readonly text: string } | undefined;

  constructor(database: DatabaseSync) {
    this.#state = database.prepare('SELECT state_size FROM checkpoints WHERE place = ?');
    this.#snapshot = database.prepare('SELECT state FROM snapshots WHERE place = ?');
    this.#data = database.prepare(`SELECT body AS state FROM checkpoints WHERE place = ? AND form = 'data'`);
    this.#line = database.prepare(LINE);
  }

  /** The state as compact JSON, or undefined without one. */
  text(rowId: number): string | undefined {
    if (!this.hasState(rowId)) return undefined;
    if (this.#sent?.rowId === rowId) return this.#sent.text;
    const live = this.#live.get(rowId);
    if (live !== undefined) return JSON.stringify(live.value);
    return this.#wholeAt(rowId) ?? JSON.stringify(this.at(rowId)?.value);
  }

  /** Like `text`, for a checkpoint in use: keeps its parsed state. */
  current(rowId: number): string | undefined {
    if (!this.hasState(rowId)) return undefined;
    if (this.#sent?.rowId === rowId) return this.#sent.text;
    const written = this.#live.get(rowId) === undefined ? this.#wholeAt(rowId) : undefined;
    if (written !== undefined) return written;
    const made = JSON.stringify(this.#liveAt(rowId).value);
    this.#sent = { rowId, text: made };
    return made;
  }

  /** The stored state with all later patches applied. The caller owns the result. */
  at(rowId: number): PatchableState | undefined {
    const { origin, patches } = this.#line.get(rowId) ?? {};
    if (typeof origin !== 'number') return undefined;
    const state = stateOf(this.#wholeAt(origin), rowId);
    if (patches === null) return state;
    const all = attempt(() => parseAll(`[${optionalText(patches, 'patches') ?? ''}]`));
    if (all === undefined) throw unmakable(rowId);
    for (const patch of all) if (state.apply(patch).kind === 'refused') throw unmakable(rowId);
    return state;
  }

  /** Whether a state exists, without computing it. */
  hasState(rowId: number): boolean {
    const row = this.#state.get(rowId);
    return row !== undefined && integer(row['state_size'], 'state_size') > 0;
  }

  /**
   * Patches the state of a checkpoint in place into that of a child. The caller must then call `settle` with the child,
   * or `forget`.
   */
  patch(rowId: number, patch: string): Patched {
    const parsed = attempt(() => parse(patch));
    if (parsed === undefined) return { kind: 'refused', problem: 'It is not JSON.' };
    const state = this.#liveAt(rowId);
    const outcome = state.apply(parsed);
    return outcome.kind === 'refused' ? outcome : { kind: 'applied', size: state.size, effort: outcome.effort };
  }

  settle(from: number, to: number): void {
    this.#sent = undefined;
    this.#live.move(from, to);
  }

  /** Drops all cached states, which can be computed again. */
  forget(): void {
    this.#live.clear();
    this.#sent = undefined;
  }

  #liveAt(rowId: number): PatchableState {
    const known = this.#live.get(rowId);
    if (known !== undefined) return known;
    const made = this.at(rowId);
    if (made === undefined) throw unmakable(rowId);
    this.#live.put(rowId, made);
    return made;
  }

  #wholeAt(rowId: number): string | undefined {
    const row = this.#snapshot.get(rowId) ?? this.#data.get(rowId);
    return optionalText(row?.['state'], 'state');
  }
}

function stateOf(written: string | undefined, rowId: number): PatchableState {
  const value = attempt(() => (written === undefined ? undefined : parse(written)));
  if (written === undefined || value === undefined) throw unmakable(rowId);
  return new PatchableState(value, written.length);
}

type Patched =
  | { readonly kind: 'applied'; readonly size: number; readonly effort: number }
  | { readonly kind: 'refused'; readonly problem: string };

const parse: (text: string) => Json = JSON.parse;
/** For a JSON list. */
const parseAll: (text: string) => readonly Json[] = JSON.parse;

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Each patch applied when it was received, so the file was changed from outside. */
function unmakable(rowId: number): StoreError {
  return new StoreError('other', `The state of checkpoint ${rowId} can no longer be made from what is kept.`);
}
