import {
  DECEIVING,
  decodeOnce,
  hasScheme,
  hasSigil,
  isDeceiving,
  isFileUri,
  isName,
  isUnreadable,
  MAX_TEXT,
  OVERENCODED,
  partlyDecoded,
  TOO_LONG,
  UNDECODABLE,
  type Unreadable,
  withoutIgnorable,
} from './pathText.ts';
import { isDevice } from './windowsPath.ts';
import { bracesOf, expansionsOf, OF_ANY_TEXT, OF_PATHS, otherHome, type ReadingContext } from './respellings.ts';

/** Everything that a server may read a text as. */
export interface Readings {
  readonly kind: 'path' | 'name';
  /** Likely readings, as written first. Paths are absolute, or relative to any base. */
  readonly texts: readonly string[];
  /** Readings that count only if the text can be a path. */
  readonly possible: readonly string[];
  /** Readings by careless programs. For a name, also the paths that it could be. */
  readonly unlikely: readonly string[];
  /** Readings as names, which can only deny. */
  readonly names: readonly string[];
}

/** How to read an ambiguous text: by its form, or as its member requires. */
export type ReadAs = 'any' | 'path' | 'name';

const MAX_DECODINGS = 3;
const MAX_TEXTS = 128;
export const TOO_MANY: Unreadable = { why: 'It can be read in too many ways.' };

/** Letters, digits and single separators. Every program reads these alike. */
const PLAIN = /^\w[\w.-]*(?<![.])(?:[ /]\w[\w.-]*(?<![.]))*$/;

/**
 * Every reading of a text. Programs decode, trim, resolve and expand in any order, so each of these steps is applied to
 * every reading.
 */
export function readingsOf(text: string, context: ReadingContext, as: ReadAs = 'any'): Readings | Unreadable {
  if (text.length > MAX_TEXT) return TOO_LONG;
  if (as !== 'name' && PLAIN.test(text)) return { ...PLAIN_READINGS, texts: [text] };
  const written = new Spellings(text, OF_ANY_TEXT, context);
  if (written.trouble !== undefined) return written.trouble;
  const paths = new Spellings(context.style.slashed(text), OF_PATHS, context);
  if (paths.trouble === TOO_MANY) return TOO_MANY;
  if (as === 'name' || isNameOf(written.all, context, as)) return nameReadings(written.all, paths.all, context);
  if (paths.trouble !== undefined) return paths.trouble;
  return pathReadings(paths.all, hasSigil(text.trim()) ? namesOf(written.all, context) : [], context);
}

const PLAIN_READINGS: Readings = { kind: 'path', texts: [], possible: [], unlikely: [], names: [] };

/** Every reading of a text that may or may not name something. `trouble` says why a part of it is unreadable. */
export function looseReadingsOf(
  text: string,
  context: ReadingContext,
): { readonly readings: Readings; readonly trouble: Unreadable | undefined } {
  if (PLAIN.test(text)) {
    const readings: Readings = { ...PLAIN_READINGS, texts: [text], names: namesOf([text], context) };
    return { readings, trouble: undefined };
  }
  const written = new Spellings(text, OF_ANY_TEXT, context);
  const paths = new Spellings(context.style.slashed(text), OF_PATHS, context);
  const names = namesOf(written.all, context);
  const readings = pathReadings(paths.all, names, context);
  const bare = paths.all.filter(hasSigil).map((path) => path.slice(1));
  return {
    readings: { ...readings, unlikely: unique([...readings.unlikely, ...bare]) },
    trouble: written.trouble ?? paths.trouble,
  };
}

function nameReadings(written: readonly string[], paths: readonly string[], context: ReadingContext): Readings {
  const texts = unique(written.map((spelling) => spelling.normalize('NFC')));
  // A file with an NTFS stream looks like a name with a scheme.
  const files = context.style.name === 'windows' ? paths.map((path) => path.replace(/:.*$/s, '')) : [];
  const others = texts.flatMap((name) => compatible(name, context));
  const bare = paths.filter(hasSigil).map((path) => path.slice(1));
  return {
    kind: 'name',
    texts,
    possible: [],
    unlikely: unique([...others, ...paths, ...files, ...bare, ...paths.flatMap(bracesOf)]),
    names: namesOf(written, context).filter((name) => !texts.includes(name)),
  };
}

/** With and without the sign that programs add or remove: some call the channel "general" "#general". */
function namesOf(written: readonly string[], context: ReadingContext): readonly string[] {
  const plain = unique(
    written.flatMap((text) => {
      const name = text.normalize('NFC');
      return [name, withoutIgnorable(name), ...compatible(name, context)];
    }),
  );
  const words = plain.filter((name) => name !== '' && !/\s/.test(name));
  return unique([
    ...plain,
    ...words.flatMap((name) => (hasSigil(name) ? [name.slice(1)] : isName(name) ? [] : [`#${name}`, `@${name}`])),
  ]).filter((name) => name !== '');
}

function pathReadings(paths: readonly string[], names: readonly string[], context: ReadingContext): Readings {
  const uris = paths.filter(isFileUri);
  const wide = paths.flatMap((path) => compatible(path, context).map((other) => ({ path, other })));
  return {
    kind: 'path',
    texts: paths.filter((path) => !isFileUri(path)),
    possible: unique([
      ...wide.filter(({ path, other }) => pathShape(other) !== pathShape(path)).map(({ other }) => other),
      // An empty variable makes `..` lead further up.
      ...paths.filter((path) => path.includes('..')).flatMap(expansionsOf),
    ]),
    // Programs without URI support read `file:` as a folder name, or remove the scheme.
    unlikely: unique([
      ...uris,
      ...uris.map((uri) => uri.replace(/^[a-z-]+:\/\//i, '')),
      ...wide.map(({ other }) => other),
      ...paths.flatMap((path) => otherHome(path, context)),
      ...[...paths, ...wide.map(({ other }) => other)]
        .flatMap((path) => [path, ...expansionsOf(path)])
        .flatMap((path) => [path, ...bracesOf(path)]),
    ]).filter((path) => isFileUri(path) || !paths.includes(path)),
    names,
  };
}

/** The shape of a path without its names, because some wide characters become separators or dots. */
function pathShape(path: string): string {
  return path
    .replaceAll('\\', '/')
    .split('/')
    .map((name) => (name === '.' || name === '..' ? name : ''))
    .join('/');
}

function isNameOf(spellings: readonly string[], { style }: ReadingContext, as: ReadAs): boolean {
  const isOne = as === 'path' ? hasScheme : isName;
  return spellings.some((text) => isOne(text) && !(style.name === 'windows' && isDevice(text)));
}

/** All respellings of a text, including those of up to three decodings. */
class Spellings {
  readonly #ways: typeof OF_PATHS;
  readonly #context: ReadingContext;
  readonly #found = new Set<string>();
  /** Why the list is incomplete. */
  #trouble: Unreadable | undefined;

  constructor(text: string, ways: typeof OF_PATHS, context: ReadingContext) {
    this.#ways = ways;
    this.#context = context;
    this.#add([text]);
    while (this.#decode()) {
      // The limit of decodings ends the loop.
    }
    if (isOverencoded(text)) this.#trouble = OVERENCODED;
  }

  get all(): readonly string[] {
    return [...this.#found];
  }

  get trouble(): Unreadable | undefined {
    return this.#trouble;
  }

  /** Adds texts and, recursively, their respellings. */
  #add(texts: readonly string[]): void {
    const left = [...texts];
    for (const text of left) {
      if (this.#found.has(text)) continue;
      const trouble = this.#found.size >= MAX_TEXTS ? TOO_MANY : troubleOf(text);
      if (trouble !== undefined) {
        // As a path, the text has an unknown meaning. Only this trouble also affects names.
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

  /** Decodes each text once, as a whole and in part. Returns whether that added a text. */
  #decode(): boolean {
    if (this.#trouble === TOO_MANY) return false;
    const decoded = this.all.flatMap((text) => {
      if (decodeOnce(text) === undefined) this.#trouble ??= UNDECODABLE;
      return partlyDecoded(text).map((other) => this.#context.style.slashed(other));
    });
    const before = this.#found.size;
    this.#add(decoded);
    return this.#found.size > before;
  }
}

function isOverencoded(text: string): boolean {
  let at: string | undefined = text;
  for (let decodings = 0; decodings < MAX_DECODINGS && at !== undefined; decodings++) at = decodeOnce(at);
  return at !== undefined && decodeOnce(at) !== at;
}

function troubleOf(text: string): Unreadable | undefined {
  if (text.length > MAX_TEXT) return TOO_LONG;
  return isDeceiving(text) ? DECEIVING : undefined;
}

/**
 * Spellings that some systems treat as the same name: wide letters, ligatures, and letters with a longer other case.
 */
function compatible(text: string, { ignoresCase }: ReadingContext): readonly string[] {
  if (/^[\0-\x7F]*$/.test(text)) return [];
  const plain = text.normalize('NFKC');
  return [plain, ...(ignoresCase ? [plain.toUpperCase().toLowerCase()] : [])].filter((other) => other !== text);
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
