import type { StateUpdate } from '../../../core/index.ts';
import type { CheckpointRows } from './checkpointRows.ts';
import type { Node, Parentage } from './nodes.ts';

/** What is worked on was the head when the request was sent; that of another lineage, or one given up, counts for nothing. */
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
  // It cannot come before itself, and what else it comes from was not said.
  return node === undefined && parent === checkpoint ? assumed(base) : { link: 'named', node, name: parent };
}

/** Missing parents: docs/decisions/checkpoint-parents.md. */
function assumed(base: Node | undefined): Parentage {
  return base === undefined ? { link: 'none' } : { link: 'assumed', node: base };
}

/** Whether what is said of the parent of a checkpoint is at odds with what is known of it. */
function contradicts(rows: CheckpointRows, known: Node, { parent }: Pick<StateUpdate, 'parent'>): boolean {
  if (parent === undefined || known.link === 'trimmed') return false;
  const name = known.parentName ?? (known.parent === undefined ? undefined : rows.get(known.parent)?.checkpoint);
  return (name ?? null) !== parent;
}

/** Whether a repeated checkpoint says nothing new (docs/decisions/checkpoint-parents.md). */
export function isSame(rows: CheckpointRows, known: Node, update: Pick<StateUpdate, 'parent' | 'body'>): boolean {
  if (known.form === 'placeholder' || contradicts(rows, known, update)) return false;
  const { body } = update;
  return body === undefined || (body.kind === known.form && rows.hasBody(known, body.text));
}

/** What follows has the greater place: nothing can come to lie before itself. */
export function canFollow({ place }: Node, { node, name }: Pick<Parentage, 'node' | 'name'>): boolean {
  return node === undefined ? name === undefined : node.place < place;
}
