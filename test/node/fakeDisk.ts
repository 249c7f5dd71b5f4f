import { Deferred } from '../../src/core/index.ts';
import type { NameLookups } from '../../src/node/names/fileNames.ts';

/** The entry at a path: `folder`, `file`, `-> target`, `hangs` (also everything below it), or an error code. */
type Entries = Readonly<Record<string, string>>;

/** A fake file system that records the lookups. */
export class FakeDisk implements NameLookups {
  readonly asked: string[] = [];
  readonly #entries: Entries;
  readonly #ignoresCase: boolean;
  readonly #released = new Deferred<void>();
  /** Number of waiting lookups. */
  hanging = 0;

  constructor(entries: Entries, ignoresCase = false) {
    this.#entries = entries;
    this.#ignoresCase = ignoresCase;
  }

  /** Answers hanging lookups: the path does not exist. */
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

  /** Only for paths without links. Paths with links do not exist. */
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
