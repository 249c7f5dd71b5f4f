import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ParentLink, StateKeeper } from '../../../core/model/lineage.ts';
import { rowIdOf, type Row, type Value } from '../contract.ts';
import { CheckpointRows, type Content, type Node } from './checkpointRows.ts';
import { contentOf, isFarFromWritten, Materialiser } from './materialiser.ts';
import type { FileNode } from '../files/lineageFile.ts';
import { canFollow, isSame } from './stateRecorder.ts';
import { Overtaken } from './stagings.ts';

const WRITTEN = `lineage, checkpoint, copy, parent, parent_name, link, form, problem, is_pruned, at, tool, args, conversation,
  size, state_size, replay, name, is_pinned, body`;
const VALUES = WRITTEN.replaceAll(/\w+/g, '?');
/** Recently added checkpoints, because most are parents of the next ones. */
const MAX_AT_HAND = 100;

interface AddedNode {
  readonly rowId: number;
  readonly isNew: boolean;
}

/** The staging lineage of an import, and its target. */
interface Foreign {
  /** The staging lineage. */
  readonly id: number;
  readonly keeper: StateKeeper;
  /** The target lineage. Absent if it is empty. */
  readonly target: number | undefined;
}

/**
 * Stages imported checkpoints next to their lineage, which must not change before all are read. A checkpoint that
 * builds on one of the lineage has that parent from the start, so each patch is applied to its final base.
 */
export class StagedNodes {
  readonly #foreign: Foreign;
  readonly #states: Materialiser;
  readonly #rows: CheckpointRows;
  readonly #candidates: StatementSync;
  readonly #hasBody: StatementSync;
  readonly #insert: StatementSync;
  readonly #fill: StatementSync;
  readonly #atHand = new Map<number, Node>();
  /** Placeholders of the lineage, with the imported checkpoints that fill them. */
  readonly fillings: { readonly placeholder: number; readonly rowId: number }[] = [];
  count = 0;
  size = 0;

  constructor(database: DatabaseSync, foreign: Foreign) {
    this.#foreign = foreign;
    // A separate instance, so that the states cached for calls stay.
    this.#states = new Materialiser(database);
    this.#rows = new CheckpointRows(database);
    this.#candidates = database.prepare(
      `SELECT place, copy FROM checkpoints WHERE lineage IN (?, ?) AND checkpoint = ? AND at = ? AND form <> 'placeholder'
       ORDER BY place`,
    );
    this.#hasBody = database.prepare('SELECT 1 FROM checkpoints WHERE place = ? AND body IS ?');
    this.#insert = database.prepare(`INSERT INTO checkpoints (${WRITTEN}) VALUES (${VALUES}) RETURNING place`);
    this.#fill = database.prepare(`UPDATE checkpoints SET (${WRITTEN}) = (${VALUES}) WHERE place = ?`);
  }

  /** Drops caches, which another transaction may have invalidated, and resets the counts. */
  begin(): void {
    this.#atHand.clear();
    this.count = 0;
    this.size = 0;
  }

  add(node: FileNode, rowId: number | undefined): AddedNode {
    const newest = this.#newest(node.checkpoint);
    const known = newest === undefined ? undefined : this.#known(node, newest);
    if (known !== undefined) return { rowId: known, isNew: false };
    const parent = rowId === undefined ? undefined : this.#parent(rowId);
    if (isStateless(node)) return this.#add(node, newest, parent, contentOfBare(node));
    // Before the first state, it was unknown that the host keeps them.
    const keeper = node.form === 'opaque' ? 'server' : this.#foreign.keeper;
    const body = keeper === 'host' ? node.body : undefined;
    if (newest !== undefined && isSame(this.#rows, newest, { parent: parent?.checkpoint ?? null, body }))
      return { rowId: newest.place, isNew: false };
    return this.#add(node, newest, parent, contentOf({ keeper }, { body }, parent, this.#states));
  }

  /** The newest checkpoint with this name. */
  #newest(checkpoint: string): Node | undefined {
    const { id, target } = this.#foreign;
    const staged = this.#rows.newest(id, checkpoint);
    return staged === undefined && target !== undefined ? this.#rows.newest(target, checkpoint) : staged;
  }

  /** The checkpoint exists: same name and time. Differences in the file are ignored. */
  #known({ checkpoint, at, copy, form, body }: FileNode, newest: Node): number | undefined {
    if (form === 'placeholder') return newest.place;
    const { id, target } = this.#foreign;
    const candidates = this.#candidates.all(id, target ?? id, checkpoint, at);
    const [first, ...others] = candidates;
    if (first === undefined || others.length === 0) return optionalRowId(first);
    const same = candidates.find((each) => this.#hasBody.get(rowIdOf(each), body?.text ?? null) !== undefined);
    return optionalRowId(same ?? candidates.find((each) => each['copy'] === copy));
  }

  #parent(rowId: number): Node {
    const found = this.#atHand.get(rowId) ?? this.#rows.get(rowId);
    if (found === undefined) throw new Overtaken();
    return found;
  }

  #add(node: FileNode, newest: Node | undefined, parent: Node | undefined, content: Content): AddedNode {
    const { id } = this.#foreign;
    const named = isStateless(node) ? undefined : nameToFill(newest, parent);
    const filled = named?.lineage === id ? named : undefined;
    const copy = filled?.copy ?? (newest?.copy ?? 0) + 1;
    const rowId = this.#write(filled, valuesOf(id, copy, node, parent, content));
    if (named !== undefined && filled === undefined) this.fillings.push({ placeholder: named.place, rowId });
    this.size += content.body?.length ?? 0;
    const kept = this.#keepState(rowId, parent, content);
    this.#remember(nodeOf(id, copy, rowId, node, parent, kept));
    return { rowId, isNew: true };
  }

  #write(filled: Node | undefined, values: readonly Value[]): number {
    if (filled !== undefined) {
      this.#fill.run(...values, filled.place);
      return filled.place;
    }
    this.count++;
    return rowIdOf(this.#insert.get(...values) ?? {});
  }

  /** Moves the cached state to the new checkpoint. */
  #keepState(rowId: number, parent: Node | undefined, content: Content): Content {
    if (content.problem !== undefined) return content;
    if (content.form === 'patch' && parent !== undefined) this.#states.settle(parent.place, rowId);
    const state = isFarFromWritten(content) ? this.#states.text(rowId) : undefined;
    if (state === undefined) return content;
    this.#rows.addSnapshot(rowId, state);
    this.size += state.length;
    return { ...content, stateSize: state.length, replay: 0 };
  }

  #remember(node: Node): void {
    // A filled placeholder keeps its row id.
    this.#atHand.delete(node.place);
    this.#atHand.set(node.place, node);
    if (this.#atHand.size <= MAX_AT_HAND) return;
    for (const oldest of this.#atHand.keys()) {
      this.#atHand.delete(oldest);
      return;
    }
  }
}

/** A placeholder that the checkpoint can fill. */
function nameToFill(newest: Node | undefined, parent: Node | undefined): Node | undefined {
  return newest?.form === 'placeholder' && canFollow(newest, { node: parent }) ? newest : undefined;
}

/** A placeholder, or a state that was too large to keep: there is nothing to apply. */
function isStateless({ form, body, problem }: FileNode): boolean {
  return form === 'placeholder' || (body === undefined && problem !== undefined && form !== 'same');
}

function contentOfBare({ form, problem }: FileNode): Content {
  return { form, ...(problem === undefined ? {} : { problem }), stateSize: 0, replay: 0 };
}

function nodeOf(
  lineage: number,
  copy: number,
  rowId: number,
  file: FileNode,
  parent: Node | undefined,
  { form, problem, body, stateSize, replay }: Content,
): Node {
  return {
    place: rowId,
    lineage,
    checkpoint: file.checkpoint,
    copy,
    parent: parent?.place,
    parentName: file.parentName,
    link: linkOf(file, parent),
    form,
    problem,
    isPruned: file.isPruned,
    at: file.at,
    tool: file.tool,
    args: file.args,
    conversation: file.conversation,
    size: body?.length ?? 0,
    stateSize,
    replay,
    name: file.name,
    isPinned: file.isPinned,
  };
}

/** In the order of `WRITTEN`. */
function valuesOf(
  lineage: number,
  copy: number,
  file: FileNode,
  parent: Node | undefined,
  { form, problem, body, stateSize, replay }: Content,
): readonly Value[] {
  return [
    lineage,
    file.checkpoint,
    copy,
    parent?.place ?? null,
    file.parentName ?? null,
    linkOf(file, parent),
    form,
    problem ?? null,
    Number(file.isPruned),
    file.at,
    file.tool ?? null,
    file.args ?? null,
    file.conversation ?? null,
    body?.length ?? 0,
    stateSize,
    replay,
    file.name ?? null,
    Number(file.isPinned),
    body ?? null,
  ];
}

function optionalRowId(row: Row | undefined): number | undefined {
  return row === undefined ? undefined : rowIdOf(row);
}

/** The link in the file, if it is possible. */
function linkOf({ link }: FileNode, parent: Node | undefined): ParentLink {
  const isRoot = link === 'none' || link === 'trimmed';
  if (parent === undefined) return isRoot ? link : 'none';
  return isRoot ? 'assumed' : link;
}
