import { isDeepStrictEqual } from 'node:util';

/**
 * A simple model of lineages: computes every state from the root, on copies, and stores only the received updates.
 * Shares no code with the product.
 */
export interface ModelUpdate {
  readonly checkpoint: string;
  readonly parent: string | null | undefined;
  readonly base: number | undefined;
  readonly body: { readonly kind: 'data' | 'patch'; readonly value: unknown } | undefined;
  readonly conversation: string | undefined;
  /** Whether the update is the result of a rollback to `base`. */
  readonly isRollback: boolean;
}

interface ModelNode {
  readonly name: string;
  parent: number | undefined;
  parentName: string | undefined;
  /** Absent: only the name is known. */
  body: ModelUpdate['body'] | 'nothing' | undefined;
  /** A checkpoint that was broken on arrival stays broken. */
  isBroken: boolean;
}

type State = { readonly value: unknown } | 'none' | 'lost';

export class LineageModel {
  readonly nodes: ModelNode[] = [];
  head: number | undefined;
  readonly heads = new Map<string, number>();
  isBlocked = false;

  headOf(conversation: string | undefined): number | undefined {
    return (conversation === undefined ? undefined : this.heads.get(conversation)) ?? this.head;
  }

  state(index: number): State {
    const node = this.#node(index);
    if (node.body === undefined || node.isBroken) return 'lost';
    if (node.body !== 'nothing' && node.body.kind === 'data') return { value: structuredClone(node.body.value) };
    const before = node.parent === undefined ? 'none' : this.state(node.parent);
    if (typeof before === 'string' || node.body === 'nothing') return before;
    return { value: patched(before.value, node.body.value) };
  }

  record(update: ModelUpdate): 'kept' | 'known' | 'broken' {
    const known = this.nodes.findLastIndex(({ name }) => name === update.checkpoint);
    if (known >= 0 && this.#isKnown(this.#node(known), update)) {
      if (update.isRollback) this.#goOn(update, known, false);
      return 'known';
    }
    const parent = this.#parentOf(update);
    const isFilled = this.#canBeFilled(known, parent);
    const at = parent === 'new' ? this.#placeholder(update.parent ?? '') : parent;
    const node: ModelNode = {
      name: update.checkpoint,
      parent: at,
      parentName: at !== undefined && this.#node(at).name === update.parent ? update.parent : undefined,
      body: update.body ?? 'nothing',
      isBroken: this.#isBroken(update, at),
    };
    const index = isFilled ? known : this.nodes.push(node) - 1;
    this.nodes[index] = node;
    if (node.isBroken) this.isBlocked = true;
    else this.#goOn(update, index, isFilled);
    return node.isBroken ? 'broken' : 'kept';
  }

  /**
   * Without a conversation, moves every head at `from` or its descendants to `to`. With one, moves its head, and the
   * shared head if that is at `from` or a descendant.
   */
  move(from: number, to: number, conversation: string | undefined): void {
    this.isBlocked = false;
    if (conversation === undefined) {
      for (const [each, place] of this.heads) if (this.#leads(from, place)) this.heads.set(each, to);
      this.head = to;
    } else {
      this.heads.set(conversation, to);
      if (this.head === undefined || this.#leads(from, this.head)) this.head = to;
    }
  }

  #goOn({ body, base, conversation, isRollback }: ModelUpdate, index: number, isFilled: boolean): void {
    if (isRollback) return this.move(base ?? index, index, conversation);
    if (body?.kind === 'data') this.isBlocked = false;
    const stood = this.headOf(conversation);
    if (isFilled && stood !== undefined && this.#leads(index, stood)) return;
    this.head = index;
    if (conversation !== undefined) this.heads.set(conversation, index);
  }

  #isKnown(node: ModelNode, { parent, body }: ModelUpdate): boolean {
    if (node.body === undefined) return false;
    const name = node.parentName ?? (node.parent === undefined ? null : this.#node(node.parent).name);
    if (parent !== undefined && parent !== name) return false;
    if (body === undefined) return true;
    return node.body !== 'nothing' && JSON.stringify(node.body) === JSON.stringify(body);
  }

  #parentOf(update: ModelUpdate): number | 'new' | undefined {
    const { parent, base, checkpoint, isRollback } = update;
    if (isRollback) return base;
    if (parent === null) return undefined;
    if (parent === undefined) return base;
    if (base !== undefined && this.#node(base).name === parent) return base;
    const found = this.nodes.findLastIndex(({ name }) => name === parent);
    if (found >= 0) return found;
    return parent === checkpoint ? base : 'new';
  }

  #canBeFilled(known: number, parent: number | 'new' | undefined): boolean {
    return known >= 0 && this.#node(known).body === undefined && parent !== 'new' && (parent ?? -1) < known;
  }

  #isBroken({ body }: ModelUpdate, parent: number | undefined): boolean {
    const before = parent === undefined ? 'none' : this.state(parent);
    if (body === undefined) return before === 'lost';
    if (body.kind === 'data') return false;
    if (typeof before === 'string') return true;
    try {
      patched(before.value, body.value);
      return false;
    } catch {
      return true;
    }
  }

  #placeholder(name: string): number {
    return this.nodes.push({ name, parent: undefined, parentName: undefined, body: undefined, isBroken: false }) - 1;
  }

  #leads(from: number, to: number): boolean {
    for (let at: number | undefined = to; at !== undefined; at = this.#node(at).parent) if (at === from) return true;
    return false;
  }

  #node(index: number): ModelNode {
    const node = this.nodes[index];
    if (node === undefined) throw new Error(`There is no node ${index}.`);
    return node;
  }
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** Applies RFC 6902 to a copy. Throws if the patch does not fit. */
export function patched(value: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw new Error('no list');
  return patch.reduce<unknown>((state, each: Operation) => applied(structuredClone(state), each), value);
}

function applied(state: unknown, { op, path, from = '', value }: Operation): unknown {
  switch (op) {
    case 'add':
      return added(state, path, structuredClone(value));
    case 'remove':
      return removed(state, path);
    case 'replace':
      found(state, path);
      return path === '' ? structuredClone(value) : replaced(state, path, structuredClone(value));
    case 'copy':
      return added(state, path, structuredClone(found(state, from)));
    case 'move': {
      if (path.startsWith(`${from}/`)) throw new Error('into itself');
      const moved = found(state, from);
      return added(removed(state, from), path, moved);
    }
    case 'test':
      if (!isDeepStrictEqual(found(state, path), value)) throw new Error('another value');
      return state;
    default:
      throw new Error('no such operation');
  }
}

const partsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

type Container = unknown[] | Record<string, unknown>;

function holderOf(state: unknown, pointer: string): readonly [Container, string] {
  const parts = partsOf(pointer);
  const last = parts.pop() ?? '';
  let at = state;
  for (const part of parts) at = member(at, part);
  if (typeof at !== 'object' || at === null) throw new Error('nothing that holds anything');
  return [at as Container, last];
}

function member(at: unknown, part: string): unknown {
  if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) throw new Error('not there');
  if (Array.isArray(at) && !/^(0|[1-9]\d*)$/.test(part)) throw new Error('no index');
  return (at as Record<string, unknown>)[part];
}

function found(state: unknown, pointer: string): unknown {
  return partsOf(pointer).reduce(member, state);
}

function added(state: unknown, pointer: string, value: unknown): unknown {
  if (pointer === '') return value;
  const [holder, part] = holderOf(state, pointer);
  if (!Array.isArray(holder)) holder[part] = value;
  else {
    const index = part === '-' ? holder.length : Number(part);
    if (part !== '-' && (!/^(0|[1-9]\d*)$/.test(part) || index > holder.length)) throw new Error('no index');
    holder.splice(index, 0, value);
  }
  return state;
}

function removed(state: unknown, pointer: string): unknown {
  found(state, pointer);
  const [holder, part] = holderOf(state, pointer);
  if (Array.isArray(holder)) holder.splice(Number(part), 1);
  else Reflect.deleteProperty(holder, part);
  return state;
}

function replaced(state: unknown, pointer: string, value: unknown): unknown {
  const [holder, part] = holderOf(state, pointer);
  (holder as Record<string, unknown>)[part] = value;
  return state;
}
