import type { StateUpdate } from '../../../core/index.ts';
import type { CheckpointRows } from './checkpointRows.ts';
import type { Node, Parentage } from './nodes.ts';

/** The base is the head at the time of the request. Ignored if it was removed or belongs to another lineage. */
export function baseOf(rows: CheckpointRows, lineage: number, update: StateUpdate): Node | undefined {
  const node = update.base === undefined ? undefined : rows.get(update.base);
  return node?.lineage === lineage ? node : undefined;
}

export function parentageOf(
  rows: CheckpointRows,
  lineage: number,
  update: StateUpdate,
  base: Node | undefined,
): Parentage {
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
