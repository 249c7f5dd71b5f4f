import type { DatabaseSync } from 'node:sqlite';
import type { StateRecord, StateUpdate } from '../../../core/index.ts';
import { checkpointName } from '../../../core/model/lineage.ts';
import { StoreError } from '../sqlite.ts';
import { CheckpointRows, type Content, type Node, type Parentage } from './checkpointRows.ts';
import { contentOf, inOwnWriting, isFarFromWritten, type Materialiser } from './materialiser.ts';
import { Heads, type Lineage, LineageRows } from './lineageTable.ts';

/** The base is the head at the time of the request. Ignored if it was removed or belongs to another lineage. */
function baseOf(rows: CheckpointRows, lineage: number, update: StateUpdate): Node | undefined {
  const node = update.base === undefined ? undefined : rows.get(update.base);
  return node?.lineage === lineage ? node : undefined;
}

function parentageOf(rows: CheckpointRows, lineage: number, update: StateUpdate, base: Node | undefined): Parentage {
  const { parent, cause, checkpoint } = update;
  if (cause === 'rollback') return base === undefined ? { link: 'none' } : { link: 'rollback', node: base };
  if (parent === null) return { link: 'none' };
  if (parent === undefined) return assumed(base);
  const node = base?.checkpoint === parent ? base : rows.newest(lineage, parent);
  // A checkpoint cannot be its own parent, so the parent is unknown.
  return node === undefined && parent === checkpoint ? assumed(base) : { link: 'named', node, name: parent };
}

/** Missing parents: docs/decisions/checkpoint-parents.md. */
function assumed(base: Node | undefined): Parentage {
  return base === undefined ? { link: 'none' } : { link: 'assumed', node: base };
}

/** Whether the stated parent contradicts the known one. */
function contradicts(rows: CheckpointRows, known: Node, { parent }: Pick<StateUpdate, 'parent'>): boolean {
  if (parent === undefined || known.link === 'trimmed') return false;
  const name = known.parentName ?? (known.parent === undefined ? undefined : rows.get(known.parent)?.checkpoint);
  return (name ?? null) !== parent;
}

/** Whether a repeated checkpoint contains nothing new (docs/decisions/checkpoint-parents.md). */
export function isSame(rows: CheckpointRows, known: Node, update: Pick<StateUpdate, 'parent' | 'body'>): boolean {
  if (known.form === 'placeholder' || contradicts(rows, known, update)) return false;
  const { body } = update;
  return body === undefined || (body.kind === known.form && rows.hasBody(known, body.text));
}

/** A child must have a greater row id, which rules out cycles. */
export function canFollow({ place }: Node, { node, name }: Pick<Parentage, 'node' | 'name'>): boolean {
  return node === undefined ? name === undefined : node.place < place;
}

/** The working data of one update. */
interface Recording {
  readonly update: StateUpdate;
  readonly lineage: Lineage;
  /** The head of its conversation. */
  readonly head: number | undefined;
  readonly base: Node | undefined;
  readonly remarks: string[];
}

/** Records states from servers. The caller holds a transaction. */
export class StateRecorder {
  readonly #states: Materialiser;
  readonly #rows: CheckpointRows;
  readonly #lineages: LineageRows;
  readonly #heads: Heads;

  constructor(database: DatabaseSync, materialiser: Materialiser) {
    this.#states = materialiser;
    this.#rows = new CheckpointRows(database);
    this.#lineages = new LineageRows(database);
    this.#heads = new Heads(database);
  }

  record(update: StateUpdate): StateRecord {
    try {
      return this.#record(this.#begin(inOwnWriting(update)));
    } catch (error) {
      // The patch may have changed cached states, and the transaction is rolled back.
      this.#states.forget();
      throw error;
    }
  }

  #begin(update: StateUpdate): Recording {
    const lineage = this.#lineages.findOrCreate(update, update.at);
    const { keeper, body, conversation } = update;
    if (keeper !== 'either') lineage.keeper = keeper;
    else if (body !== undefined) lineage.keeper = 'host';
    const head = this.#heads.of(lineage, conversation);
    const base = baseOf(this.#rows, lineage.id, update);
    if (lineage.keeper === 'host' || body === undefined) return { update, lineage, head, base, remarks: [] };
    // MCPL §8.7
    const remarks = ['A state came with it, but its server keeps its states itself: nothing of it was kept.'];
    return { update: { ...update, body: undefined }, lineage, head, base, remarks };
  }

  #record(recording: Recording): StateRecord {
    const { update, lineage, base, remarks } = recording;
    const known = this.#rows.newest(lineage.id, update.checkpoint);
    if (known !== undefined && isSame(this.#rows, known, update)) return this.#stay(recording, known);
    const said = parentageOf(this.#rows, lineage.id, update, base);
    const filled = known?.form === 'placeholder' && canFollow(known, said) ? known : undefined;
    const parent = this.#withPlaceholder(recording, said);
    const content = contentOf(lineage, update, parent.node, this.#states);
    let written = content.body?.length ?? 0;
    const rowId = filled?.place ?? this.#add(recording, known, parent, content);
    if (filled !== undefined) this.#rows.fill(filled, update, parent, content);
    if (content.problem === undefined) {
      written += this.#keepState(parent.node?.place, rowId, content);
      this.#goOn(recording, rowId, filled !== undefined);
      if (content.form === 'data') lineage.blockedBy = undefined;
    } else lineage.blockedBy = rowId;
    lineage.size += written;
    this.#lineages.save(lineage, update.at);
    return { kind: content.problem === undefined ? 'kept' : 'broken', node: this.#kept(rowId), written, remarks };
  }

  /** The update contains nothing new. */
  #stay(recording: Recording, known: Node): StateRecord {
    const { update, lineage, head, remarks } = recording;
    if (update.cause === 'rollback') {
      this.#goOn(recording, known.place, false);
      this.#lineages.save(lineage, update.at);
    } else if (known.place !== head) remarks.push(`It was told of before, and is not what is worked on: that stays.`);
    return { kind: 'known', node: known, written: 0, remarks };
  }

  /** Unknown parents: docs/decisions/checkpoint-parents.md. */
  #withPlaceholder({ update, lineage, remarks }: Recording, said: Parentage): Parentage {
    if (said.node !== undefined || said.name === undefined) return said;
    remarks.push(`Its parent ${said.name} is not known here: what lies between cannot be shown.`);
    lineage.count++;
    return { ...said, node: this.#kept(this.#rows.addPlaceholder(lineage.id, said.name, update.at)) };
  }

  #add({ update, lineage, remarks }: Recording, known: Node | undefined, parent: Parentage, content: Content): number {
    const copy = (known?.copy ?? 0) + 1;
    if (known !== undefined) remarks.push(usedBefore(known, copy));
    lineage.count++;
    return this.#rows.add(lineage.id, copy, update, parent, content);
  }

  #goOn({ update, lineage, head, base, remarks }: Recording, rowId: number, isFilled: boolean): void {
    const { cause, conversation, at } = update;
    if (cause === 'rollback') {
      this.#heads.goBack(lineage, conversation, { target: base?.place ?? rowId, rowId, at });
      this.#heads.note(lineage, { at, kind: 'rollback', from: head, to: rowId, refusal: undefined });
      lineage.blockedBy = undefined;
    } else if (isFilled && head !== undefined && this.#heads.leads(rowId, head))
      remarks.push('It came after what builds on it, which stays what is worked on.');
    else this.#heads.advance(lineage, conversation, rowId, at);
  }

  /** Moves the cached state to the new checkpoint, and adds a snapshot if needed. Returns the characters written. */
  #keepState(parent: number | undefined, rowId: number, content: Content): number {
    if (content.form === 'patch' && parent !== undefined) this.#states.settle(parent, rowId);
    const state = isFarFromWritten(content) ? this.#states.text(rowId) : undefined;
    if (state === undefined) return 0;
    this.#rows.addSnapshot(rowId, state);
    return state.length;
  }

  #kept(rowId: number): Node {
    const node = this.#rows.get(rowId);
    if (node === undefined) throw new StoreError('other', 'The written record cannot be read.');
    return node;
  }
}

function usedBefore(known: Node, copy: number): string {
  const name = checkpointName({ checkpoint: known.checkpoint, copy });
  return `Its server called something else ${known.checkpoint} before: this is kept as ${name}.`;
}
