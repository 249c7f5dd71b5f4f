import type { Effort, Glob } from './glob.ts';

/** A node in the prefix tree. The path to it is the common prefix of its globs. */
interface Node {
  /** The prefix added by this node. */
  readonly stem: string;
  readonly globs: readonly Glob[];
  /** By their first character. */
  readonly next: ReadonlyMap<number, Node>;
}

/** A combined expression for more globs costs more than it saves. */
const MAX_IN_SIEVE = 64;

/** Selects the globs that could match a text: by their prefix, and the others by their required parts. */
export class GlobIndex {
  readonly #byHead: Node;
  readonly #others: readonly Glob[];
  /** Matches every text that a glob without a prefix could match. */
  readonly #sieve: RegExp | undefined;

  constructor(globs: readonly Glob[]) {
    const headed = globs.filter(({ shape }) => shape.head !== '');
    headed.sort((a, b) => (a.shape.head < b.shape.head ? -1 : 1));
    this.#byHead = nodeOf(headed, 0, 0);
    this.#others = globs.filter(({ shape }) => shape.head === '');
    this.#sieve = sieveOf(this.#others);
  }

  /**
   * Whether any glob matches. Meaningless once the effort is spent. Required parts are searched in `seen`, which is
   * `text` without case if the globs ignore case.
   */
  matches(text: string, effort: Effort, seen: string = text): boolean {
    let node: Node | undefined = this.#byHead;
    for (let at = 0; node !== undefined && seen.startsWith(node.stem, at); node = node.next.get(seen.charCodeAt(at))) {
      at += node.stem.length;
      if (anyMatches(node.globs, text, effort, seen)) return true;
    }
    return this.#sieve?.test(seen) !== false && anyMatches(this.#others, text, effort, seen);
  }
}

function anyMatches(globs: readonly Glob[], text: string, effort: Effort, seen: string): boolean {
  for (const glob of globs) {
    if (!glob.mayMatch(seen)) continue;
    if (glob.matches(text, effort)) return true;
    // Even scanning the remaining globs may take long.
    if (effort.isSpent) return false;
  }
  return false;
}

/** Builds a node from sorted globs that share their first `start` characters. */
function nodeOf(globs: readonly Glob[], from: number, start: number): Node {
  const first = globs[0]?.shape.head ?? '';
  const last = globs.at(-1)?.shape.head ?? '';
  let end = start;
  while (end < first.length && first.charCodeAt(end) === last.charCodeAt(end)) end++;
  const bySign = new Map<number, Glob[]>();
  for (const glob of globs) {
    const { head } = glob.shape;
    if (head.length <= end) continue;
    const alike = bySign.get(head.charCodeAt(end));
    if (alike === undefined) bySign.set(head.charCodeAt(end), [glob]);
    else alike.push(glob);
  }
  const next = new Map([...bySign].map(([sign, alike]) => [sign, nodeOf(alike, end, end + 1)]));
  return { stem: first.slice(from, end), globs: globs.filter(({ shape }) => shape.head.length === end), next };
}

function sieveOf(globs: readonly Glob[]): RegExp | undefined {
  const literals = globs.map(({ shape }) => (shape.tail.length > shape.probe.length ? shape.tail : shape.probe));
  if (literals.length === 0 || literals.length > MAX_IN_SIEVE || literals.includes('')) return undefined;
  return new RegExp([...new Set(literals)].map((literal) => literal.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')).join('|'));
}
