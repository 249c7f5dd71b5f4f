import type { CancellationToken } from '../../base/cancellation.ts';
import type { FileNames, RealName } from '../../ports.ts';
import type { PathStyle } from './pathStyle.ts';

/** Stops after this many failed lookups, because each may take seconds. */
const MAX_LOST = 32;
/** Maximum parallel lookups. */
const SIDE_BY_SIDE = 16;

/** Caches lookups for one decision, because lists and targets need the same folders. */
export class NamesOnce implements FileNames {
  readonly style: FileNames['style'];
  readonly ignoresCase: boolean;
  readonly #names: FileNames;
  readonly #asked = new Map<string, Promise<RealName>>();

  constructor(names: FileNames) {
    this.style = names.style;
    this.ignoresCase = names.ignoresCase;
    this.#names = names;
  }

  real(path: string, token: CancellationToken): Promise<RealName> {
    let answer = this.#asked.get(path);
    if (answer === undefined) this.#asked.set(path, (answer = this.#names.real(path, token)));
    return answer;
  }
}

/** Real paths for one request, with each path looked up once. */
export class RealNames {
  readonly #names: FileNames;
  readonly #style: PathStyle;
  readonly #token: CancellationToken;
  readonly #known = new Map<string, RealName>();

  constructor(names: FileNames, style: PathStyle, token: CancellationToken) {
    this.#names = names;
    this.#style = style;
    this.#token = token;
  }

  /** Looks up paths for later use. */
  async ask(paths: Iterable<string>): Promise<void> {
    const left = [...new Set(paths)].filter((path) => !this.#known.has(path)).reverse();
    let lost = 0;
    const worker = async (): Promise<void> => {
      for (let path = left.pop(); path !== undefined && lost < MAX_LOST; path = left.pop()) {
        const real = this.#inOneStyle(await this.#names.real(path, this.#token));
        this.#known.set(path, real);
        if (real.kind === 'unknown') lost++;
      }
    };
    await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, left.length) }, worker));
  }

  /** The real path of a path that was looked up. */
  of(path: string): RealName {
    return this.#known.get(path) ?? NOT_ASKED;
  }

  #inOneStyle(real: RealName): RealName {
    if (real.kind === 'unknown') return real;
    const path = this.#style.slashed(real.path);
    if (!this.#style.isAbsolute(path)) return { kind: 'unknown', why: 'The file system cannot say where it leads.' };
    return { ...real, path: this.#style.normal(path).normalize('NFC') };
  }
}

const NOT_ASKED: RealName = { kind: 'unknown', why: 'The file system does not say where it leads.' };
