import { Deferred } from '../../src/core/index.ts';
import type { NameLookups } from '../../src/node/names/nameWalk.ts';

/** What is at a path: `folder`, `file`, `-> target`, `hangs` (all below it too), or the code of an error. */
type Entries = Readonly<Record<string, string>>;

/** A file system of a test's making, which tells what it was asked. */
export class FakeDisk implements NameLookups {
  readonly asked: string[] = [];
  readonly #entries: Entries;
  readonly #ignoresCase: boolean;
  readonly #released = new Deferred<void>();
  /** How many questions wait. */
  hanging = 0;

  constructor(entries: Entries, ignoresCase = false) {
    this.#entries = entries;
    this.#ignoresCase = ignoresCase;
  }

  /** What hangs answers at last: that there is nothing. */
  release(): void {
    this.#released.resolve();
  }

  async isLink(path: string): Promise<boolean> {
    this.asked.push(`link? ${path}`);
    const [, what] = await this.#at(path);
    return what.startsWith('->');
  }

  async targetOf(link: string): Promise<string> {
    this.asked.push(`target ${link}`);
    const [, what] = await this.#at(link);
    return what.slice('-> '.length);
  }

  /** Good enough for paths without links: others are found nowhere. */
  async realOf(path: string): Promise<string> {
    this.asked.push(`real ${path}`);
    const [name, what] = await this.#at(path);
    return what.startsWith('->') ? what.slice('-> '.length) : name;
  }

  async #at(path: string): Promise<readonly [string, string]> {
    const same = (a: string, b: string): boolean => (this.#ignoresCase ? a.toLowerCase() === b.toLowerCase() : a === b);
    const hangs = Object.entries(this.#entries).some(([name, what]) => what === 'hangs' && path.startsWith(name));
    if (hangs) {
      this.hanging++;
      await this.#released.promise;
      this.hanging--;
    }
    const found = Object.entries(this.#entries).find(([name]) => same(name, path));
    if (found === undefined || found[1] === 'hangs') throw failure('ENOENT');
    if (/^E[A-Z]+$/.test(found[1])) throw failure(found[1]);
    return found;
  }
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}
