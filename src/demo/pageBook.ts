import type { Past, Returned } from './rollbacks.ts';
import { type Fields, isFields } from './schema.ts';
import type { CheckpointState } from './tool.ts';

interface Page {
  readonly id: number;
  readonly text: string;
}

/** The whole state. It contains its checkpoint name because the host sends back nothing else. */
interface BookState {
  readonly checkpoint: string;
  readonly nextId: number;
  readonly pages: readonly Page[];
}

interface PageBookOptions {
  readonly newMark: () => string;
  /** A host without MCPL keeps no state. Then this server keeps the newest one. */
  readonly keepsItself: () => boolean;
}

/** The book at one checkpoint: empty, or as the host keeps it. */
export interface OpenBook {
  readonly before: BookState | undefined;
  readonly pages: readonly Page[];
  readonly nextId: number;
}

export interface Change {
  readonly pages: readonly Page[];
  readonly nextId?: number;
  /** The change as JSON Patch, without the operations that every change has. */
  readonly patch: readonly Fields[];
}

export const MAX_PAGES = 1_000;
export const MAX_PAGE = 10_000;
const CHECKPOINT = /^page-[0-9A-Za-z]{1,40}$/;

/** Pages that live in the state the host sends. This server remembers none of them. */
export class PageBook implements Past {
  readonly #options: PageBookOptions;
  #own: BookState | undefined;

  constructor(options: PageBookOptions) {
    this.#options = options;
  }

  /** Returns `undefined` if the host sent something that is not a book. */
  open(sent: unknown): OpenBook | undefined {
    const given = this.#options.keepsItself() ? this.#own : sent;
    if (given === undefined) return { before: undefined, pages: [], nextId: 1 };
    if (!isBook(given)) return undefined;
    return { before: given, pages: given.pages, nextId: given.nextId };
  }

  /** The checkpoint after a change: complete data first, then a patch on the one before (MCPL §8.3). */
  close({ before, nextId }: OpenBook, change: Change): CheckpointState {
    const checkpoint = `page-${this.#options.newMark()}`;
    const after = { checkpoint, nextId: change.nextId ?? nextId, pages: change.pages };
    if (this.#options.keepsItself()) this.#own = after;
    if (before === undefined) return { checkpoint, parent: null, data: after };
    const patch = [
      ...change.patch,
      ...(after.nextId === nextId ? [] : [{ op: 'replace', path: '/nextId', value: after.nextId }]),
      { op: 'replace', path: '/checkpoint', value: checkpoint },
    ];
    return { checkpoint, parent: before.checkpoint, patch };
  }

  /** Only checks the name: the next call brings the state of that checkpoint. */
  goBack(checkpoint: string): Returned {
    return { kind: CHECKPOINT.test(checkpoint) ? 'done' : 'unknown' };
  }
}

function isBook(value: unknown): value is BookState {
  if (!isFields(value)) return false;
  const { checkpoint, nextId, pages } = value;
  return (
    typeof checkpoint === 'string' &&
    CHECKPOINT.test(checkpoint) &&
    Number.isSafeInteger(nextId) &&
    Array.isArray(pages) &&
    pages.length <= MAX_PAGES &&
    pages.every(isPage)
  );
}

function isPage(value: unknown): value is Page {
  return isFields(value) && Number.isSafeInteger(value['id']) && typeof value['text'] === 'string';
}
