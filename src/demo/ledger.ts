import type { Past, Returned } from './rollbacks.ts';
import type { CheckpointState } from './tool.ts';

export interface Entry {
  readonly text: string;
  readonly amount: number;
}

interface Kept {
  readonly entries: readonly Entry[];
  /** Checkpoints on this branch at which the ledger was sent. */
  readonly sentAt: readonly string[];
}

interface LedgerOptions {
  readonly newMark: () => string;
  readonly log: (line: string) => void;
}

export type Opened =
  | { readonly kind: 'open'; readonly base: string | null; readonly entries: readonly Entry[]; readonly isNew: boolean }
  | { readonly kind: 'pruned' };

/** Small on purpose: older checkpoints get pruned, which shows the host's reaction (MCPL §8.8). */
export const MAX_KEPT = 5;
const EMPTY: Kept = { entries: [], sentAt: [] };

/** Accounts that this process keeps, at their newest checkpoints. A host only knows their names (MCPL §8.7). */
export class Ledger implements Past {
  readonly #options: LedgerOptions;
  /** Oldest first. */
  readonly #kept = new Map<string, Kept>();
  #current: string | null = null;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** The base of a call: the checkpoint that the host names, or else the current one. */
  open(named: unknown): Opened {
    const wanted = typeof named === 'string' ? named : this.#current;
    const kept = wanted === null ? undefined : this.#kept.get(wanted);
    if (kept !== undefined) return { kind: 'open', base: wanted, entries: kept.entries, isNew: false };
    // The host names a checkpoint of an earlier process. This one starts from a new root.
    if (this.#kept.size === 0) return { kind: 'open', base: null, entries: [], isNew: wanted !== null };
    return { kind: 'pruned' };
  }

  add(base: string | null, entry: Entry): CheckpointState {
    const before = this.#at(base);
    return this.#keep(base, { ...before, entries: [...before.entries, entry] });
  }

  /** Sends nothing: the log line stands for an effect that no rollback can undo. */
  send(base: string | null, to: string): CheckpointState {
    const before = this.#at(base);
    this.#options.log(`The ledger was sent to ${to}: ${before.entries.length} entries.`);
    const state = this.#keep(base, before);
    this.#kept.set(state.checkpoint, { ...before, sentAt: [...before.sentAt, state.checkpoint] });
    return state;
  }

  goBack(checkpoint: string): Returned {
    const target = this.#kept.get(checkpoint);
    if (target === undefined) return { kind: 'unknown' };
    const sent = this.#at(this.#current).sentAt.filter((each) => !target.sentAt.includes(each));
    if (sent.length > 0)
      return { kind: 'impossible', reason: `The ledger was sent at ${sent.join(', ')}, which cannot be undone` };
    this.#current = checkpoint;
    return { kind: 'done' };
  }

  #at(checkpoint: string | null): Kept {
    return (checkpoint === null ? undefined : this.#kept.get(checkpoint)) ?? EMPTY;
  }

  #keep(parent: string | null, kept: Kept): CheckpointState {
    const checkpoint = `ledger-${this.#options.newMark()}`;
    this.#kept.set(checkpoint, kept);
    this.#current = checkpoint;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) break;
      this.#kept.delete(oldest);
    }
    return { checkpoint, parent };
  }
}
