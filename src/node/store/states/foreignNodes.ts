import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LineageKey, ParentLink, StateKeeper } from '../../../core/model/lineage.ts';
import { integer, placeOf, text } from '../records.ts';
import type { FileNode } from './lineageFile.ts';
import type { StateRecorder } from './recorder.ts';

export interface ForeignLineage extends LineageKey {
  readonly keeper: StateKeeper;
}

interface Placed {
  readonly place: number;
  readonly isNew: boolean;
}

/** Checkpoints that come from elsewhere. */
export class ForeignNodes {
  readonly #recorder: StateRecorder;
  readonly #candidates: StatementSync;
  readonly #hasBody: StatementSync;
  readonly #named: StatementSync;
  readonly #name: StatementSync;
  readonly #lineage: StatementSync;
  readonly #insert: StatementSync;
  readonly #count: StatementSync;
  readonly #complete: StatementSync;
  readonly #settle: StatementSync;

  constructor(database: DatabaseSync, recorder: StateRecorder) {
    this.#recorder = recorder;
    const inLineage = 'lineage = (SELECT id FROM lineages WHERE server = ? AND feature_set = ?)';
    this.#candidates = database.prepare(
      `SELECT place, copy FROM checkpoints WHERE ${inLineage} AND checkpoint = ? AND at = ? AND form <> 'placeholder'`,
    );
    this.#hasBody = database.prepare('SELECT 1 FROM checkpoints WHERE place = ? AND body IS ?');
    this.#named = database.prepare(
      `SELECT place, copy FROM checkpoints WHERE ${inLineage} AND checkpoint = ? ORDER BY copy DESC LIMIT 1`,
    );
    this.#name = database.prepare('SELECT checkpoint FROM checkpoints WHERE place = ?');
    this.#lineage = database.prepare(
      `INSERT INTO lineages (server, feature_set, keeper, changed_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (server, feature_set) DO UPDATE SET keeper = keeper RETURNING id`,
    );
    this.#insert = database.prepare(
      `INSERT INTO checkpoints (lineage, checkpoint, copy, parent, link, form, problem, at, tool, args, size)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) RETURNING place`,
    );
    this.#count = database.prepare('UPDATE lineages SET count = count + 1, version = version + 1 WHERE id = ?');
    this.#complete = database.prepare(
      `UPDATE checkpoints SET link = ?, parent_name = ?, is_pruned = ?, conversation = ?, name = ?,
         is_pinned = ? WHERE place = ?`,
    );
    this.#settle = database.prepare(
      'UPDATE lineages SET keeper = ?, head = ?, blocked_by = ?, version = version + 1 WHERE id = ?',
    );
  }

  add(lineage: ForeignLineage, node: FileNode, parent: number | undefined): Placed {
    const known = this.#known(lineage, node);
    if (known !== undefined) return { place: known, isNew: false };
    const placed = isStateless(node) ? this.#insertBare(lineage, node, parent) : this.#record(lineage, node, parent);
    if (placed.isNew) this.#finish(placed.place, node, parent);
    return placed;
  }

  settle(lineage: number, keeper: string, head: number | undefined, blockedBy: number | undefined): void {
    this.#settle.run(keeper, head ?? null, blockedBy ?? null, lineage);
  }

  /** It was here before: by the same name at the same time. What is told of it in the file changes nothing. */
  #known({ server, featureSet }: LineageKey, { checkpoint, at, copy, form, body }: FileNode): number | undefined {
    if (form === 'placeholder') {
      const named = this.#named.get(server, featureSet, checkpoint);
      return named === undefined ? undefined : placeOf(named);
    }
    const candidates = this.#candidates.all(server, featureSet, checkpoint, at);
    const [first, ...others] = candidates;
    if (first === undefined || others.length === 0) return first === undefined ? undefined : placeOf(first);
    const same = candidates.find((each) => this.#hasBody.get(placeOf(each), body?.text ?? null) !== undefined);
    const found = same ?? candidates.find((each) => each['copy'] === copy);
    return found === undefined ? undefined : placeOf(found);
  }

  #record(lineage: ForeignLineage, node: FileNode, parent: number | undefined): Placed {
    const { kind, node: recorded } = this.#recorder.record({
      server: lineage.server,
      featureSet: lineage.featureSet,
      conversation: undefined,
      // Before a state came for the first time, nobody knew that the host is to keep them.
      keeper: node.form === 'opaque' ? 'server' : lineage.keeper,
      checkpoint: node.checkpoint,
      // Whatever else is called so: of those, the base is meant.
      parent: parent === undefined ? null : this.#nameOf(parent),
      base: parent,
      cause: 'call',
      body: node.body,
      at: node.at,
      tool: node.tool,
      args: node.args,
    });
    return { place: recorded.place, isNew: kind !== 'known' };
  }

  #nameOf(place: number): string {
    return text(this.#name.get(place)?.['checkpoint'], 'checkpoint');
  }

  /** A name, or something that was too large to be kept: nothing that could be applied. */
  #insertBare(lineage: ForeignLineage, node: FileNode, parent: number | undefined): Placed {
    const { server, featureSet, keeper } = lineage;
    const id = integer(this.#lineage.get(server, featureSet, keeper, node.at)?.['id'], 'id');
    const copies = this.#named.get(server, featureSet, node.checkpoint);
    const row = this.#insert.get(
      id,
      node.checkpoint,
      copies === undefined ? 1 : integer(copies['copy'], 'copy') + 1,
      parent ?? null,
      linkOf(node, parent),
      node.form,
      node.problem ?? null,
      node.at,
      node.tool ?? null,
      node.args ?? null,
    );
    this.#count.run(id);
    return { place: integer(row?.['place'], 'place'), isNew: true };
  }

  #finish(place: number, node: FileNode, parent: number | undefined): void {
    this.#complete.run(
      linkOf(node, parent),
      node.parentName ?? null,
      Number(node.isPruned),
      node.conversation ?? null,
      node.name ?? null,
      Number(node.isPinned),
      place,
    );
  }
}

function isStateless({ form, body, problem }: FileNode): boolean {
  return form === 'placeholder' || (body === undefined && problem !== undefined && form !== 'same');
}

/** What the file says of it, where that can be. */
function linkOf({ link }: FileNode, parent: number | undefined): ParentLink {
  const isRoot = link === 'none' || link === 'trimmed';
  if (parent === undefined) return isRoot ? link : 'none';
  return isRoot ? 'assumed' : link;
}
