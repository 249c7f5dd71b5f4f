import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Json } from '../../../core/index.ts';
import { PatchableState } from '../../../core/states/patches/patches.ts';
import { integer, optionalText } from '../records.ts';
import { StoreError } from '../sqlite.ts';

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
