import {
  DECEIVING,
  decodeOnce,
  isDeceiving,
  isFileUri,
  isName,
  isUnreadable,
  LONGEST_TEXT,
  OVERENCODED,
  TOO_LONG,
  UNDECODABLE,
  type Unreadable,
} from './pathText.ts';
import { isDevice } from './windowsPath.ts';
import { OF_ANY_TEXT, OF_PATHS, type ReadingContext } from './respellings.ts';

/** What a text may be taken for by whoever gets it. */
export interface Readings {
  readonly kind: 'path' | 'name';
  /** As written first; each could be what is meant. Of a path: absolute, or relative to any base. */
  readonly texts: readonly string[];
  /** What is meant only where it can be a path at all. */
  readonly possible: readonly string[];
  /** What only a careless program would take it for; of a name also the paths that it could be. */
  readonly unlikely: readonly string[];
}

const MOST_DECODINGS = 3;
const MOST_TEXTS = 64;
const TOO_MANY: Unreadable = { why: 'It can be read in too many ways.' };

/**
 * Every reading of a text. Programs decode, trim, resolve and expand in any order: what each of these makes of any
 * reading is a reading again.
 */
export function readingsOf(text: string, context: ReadingContext): Readings | Unreadable {
  if (text.length > LONGEST_TEXT) return TOO_LONG;
  const written = new Spellings(text, OF_ANY_TEXT, context);
  if (written.trouble !== undefined) return written.trouble;
  const paths = new Spellings(context.style.slashed(text), OF_PATHS, context);
  if (paths.trouble === TOO_MANY) return TOO_MANY;
  if (isNameOf(written.all, context)) return nameReadings(written.all, paths.all, context);
  return paths.trouble ?? pathReadings(paths.all, context);
}

function nameReadings(written: readonly string[], paths: readonly string[], context: ReadingContext): Readings {
  const texts = unique(written.map((spelling) => spelling.normalize('NFC')));
  // A stream of a file looks like a name with a scheme.
  const files = context.style.name === 'windows' ? paths.map((path) => path.replace(/:.*$/s, '')) : [];
  const others = texts.flatMap((name) => compatible(name, context));
  return { kind: 'name', texts, possible: [], unlikely: unique([...others, ...paths, ...files]) };
}

function pathReadings(paths: readonly string[], context: ReadingContext): Readings {
  const uris = paths.filter(isFileUri);
  const wide = paths.flatMap((path) => compatible(path, context).map((other) => ({ path, other })));
  return {
    kind: 'path',
    texts: paths.filter((path) => !isFileUri(path)),
    possible: unique(wide.filter(({ path, other }) => bones(other) !== bones(path)).map(({ other }) => other)),
    // Who does not know of URIs takes one for a relative path with a folder `file:`, or cuts off what begins it.
    unlikely: unique([
      ...uris,
      ...uris.map((uri) => uri.replace(/^[a-z-]+:\/\//i, '')),
      ...wide.map(({ other }) => other),
    ]),
  };
}

/** Which folders it leads through, whatever these are called: wide letters of some kinds are separators or dots. */
function bones(path: string): string {
  return path
    .replaceAll('\\', '/')
    .split('/')
    .map((name) => (name === '.' || name === '..' ? name : ''))
    .join('/');
}

function isNameOf(spellings: readonly string[], { style }: ReadingContext): boolean {
  return spellings.some((text) => isName(text) && !(style.name === 'windows' && isDevice(text)));
}

/** All that respelling makes of a text, with what up to three decodings make of that. */
class Spellings {
  readonly #ways: typeof OF_PATHS;
  readonly #context: ReadingContext;
  readonly #found = new Set<string>();
  /** Why these are not all. */
  #trouble: Unreadable | undefined;

  constructor(text: string, ways: typeof OF_PATHS, context: ReadingContext) {
    this.#ways = ways;
    this.#context = context;
    this.#add([text]);
    for (let decodings = 0; this.#decode(); decodings++) {
      if (decodings < MOST_DECODINGS) continue;
      this.#trouble = OVERENCODED;
      return;
    }
  }

  get all(): readonly string[] {
    return [...this.#found];
  }

  get trouble(): Unreadable | undefined {
    return this.#trouble;
  }

  /** Adds these, and what respelling makes of them and of what it makes of them. */
  #add(texts: readonly string[]): void {
    const left = [...texts];
    for (const text of left) {
      if (this.#found.has(text)) continue;
      const trouble = this.#found.size >= MOST_TEXTS ? TOO_MANY : troubleOf(text);
      if (trouble !== undefined) {
        // The one trouble that a name has too, as a path: what it could be is then not known.
        this.#trouble = trouble === TOO_MANY ? trouble : (this.#trouble ?? trouble);
        continue;
      }
      this.#found.add(text);
      for (const way of this.#ways) {
        const made = way(text, this.#context);
        if (isUnreadable(made)) this.#trouble ??= made;
        else left.push(...made.map((spelling) => this.#context.style.slashed(spelling)));
      }
    }
  }

  /** Decodes each once; says whether that made anything new. */
  #decode(): boolean {
    const decoded = this.all.flatMap((text) => {
      const plain = decodeOnce(text);
      if (plain === undefined) this.#trouble ??= UNDECODABLE;
      return plain === undefined || plain === text ? [] : [this.#context.style.slashed(plain)];
    });
    const before = this.#found.size;
    this.#add(decoded);
    return this.#found.size > before;
  }
}

function troubleOf(text: string): Unreadable | undefined {
  if (text.length > LONGEST_TEXT) return TOO_LONG;
  return isDeceiving(text) ? DECEIVING : undefined;
}

/** What some systems take for the same name: wide letters and ligatures, and letters whose other case is longer. */
function compatible(text: string, { ignoresCase }: ReadingContext): readonly string[] {
  if (/^[\0-\x7F]*$/.test(text)) return [];
  const plain = text.normalize('NFKC');
  return [plain, ...(ignoresCase ? [plain.toUpperCase().toLowerCase()] : [])].filter((other) => other !== text);
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
