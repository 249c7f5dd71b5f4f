import { minimatch } from 'minimatch';
import { isDevice, type PathStyle, withoutTails } from './pathStyle.ts';
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

export interface ReadingContext {
  readonly style: PathStyle;
  readonly userHome: string;
  readonly ignoresCase: boolean;
}

/** Other readings of a text. Without any, returns only the text itself. */
type Respelling = (text: string, context: ReadingContext) => readonly string[] | Unreadable;

const one = (respell: (text: string) => string): Respelling => {
  return (text) => [respell(text)];
};

/** Applied by programs to any text. */
const OF_ANY_TEXT: readonly Respelling[] = [
  one((text) => text.normalize('NFC')),
  one((text) => text.trim()),
  one((text) => text.replace(/^["'`]|["'`]$/g, '')),
  // Each end separately: a resolved path hides its start from a later trim.
  one((text) => text.trimStart()),
  one((text) => text.trimEnd()),
  one((text) => text.replace(/^["'`]/, '')),
  one((text) => text.replace(/["'`]$/, '')),
];

/** Applied by programs that treat a text as a path. */
const OF_PATHS: readonly Respelling[] = [
  ...OF_ANY_TEXT,
  uriPaths,
  one((text) => text.replaceAll('\\', '/')),
  resolvedFirst,
  withoutDetours,
  homePath,
  one((text) => text.replace(/(?::\d+){1,2}$|#L\d[\dCL-]*$/, '')),
  embeddedPath,
  foreignDrive,
  withoutSystemTails,
];

const URI = /^[a-z][a-z-]+:(?:[\\/]{2}([^/?#]*))?(.*)$/is;

function uriPaths(text: string, { style }: ReadingContext): readonly string[] | Unreadable {
  if (!isFileUri(text)) return [];
  const [, host, rest = ''] = URI.exec(text) ?? [];
  const authority = host ?? '';
  const hasHost = host !== undefined;
  const isOfFiles = /^file:/i.test(text);
  const isLocal = !isOfFiles || authority === '' || authority.toLowerCase() === 'localhost';
  const bare = rest.replace(/[?#].*$/s, '');
  if (style.name === 'windows') {
    // The colon of a drive is often encoded. It is not part of a name.
    const path = bare.replace(/^[\\/]*([a-z])(?::|%3a)(?=[\\/]|$)/i, '$1:');
    const start = isLocal ? '' : /^[a-z](?::|%3a)$/i.test(authority) ? `${authority.charAt(0)}:` : `//${authority}`;
    return [path, withoutUriDots(path)].map((way) => `${start}${way}` || '/');
  }
  if (!isLocal) return { why: 'It is on another machine.' };
  // Without a leading slash, programs disagree on root or relative. Only some handle queries and fragments.
  return [bare, rest, withoutUriDots(bare)].flatMap((path) =>
    /^[\\/]/.test(path) ? [path] : [`/${path}`, ...(hasHost ? [] : [path])],
  );
}

/** URI resolution (RFC 3986 §5.2.4, WHATWG): `..` removes an empty segment too, and dots may be encoded. */
function withoutUriDots(path: string): string {
  const kept: string[] = [];
  for (const name of path.replaceAll('\\', '/').replace(/^\//, '').split('/')) {
    const dots = name.replace(/%2e/gi, '.');
    if (dots === '..') kept.pop();
    else if (dots !== '.') kept.push(name);
  }
  return `/${kept.join('/')}`;
}

const HOME =
  /^(?:~|\$home|\$\{home\}|\$\{env:home\}|\$\{userhome\}|\$env:(?:home|userprofile)|%userprofile%)(?=[\\/]|$)/i;
/** `~backup.txt` is a file. `~name/x` is in another user's home folder. */
const OTHER_HOME = /^~[\w+-][\w.-]*\$?(?=[\\/])|^~[\w+-][\w-]*\$?$/;
/** `$RECYCLE.BIN` and `$id.tsx` are file names. */
const VARIABLE = /\$(?:[A-Z_][A-Z\d_]+(?!\w|\.[A-Za-z])|env:|[{(])/;
const WINDOWS_VARIABLE = /^[\\/]*%(?!userprofile%)[a-z_][\w()]*%|%(?![\da-f]{2}|userprofile%)[a-z_][\w()]*%/i;

function homePath(text: string, { style, userHome }: ReadingContext): readonly string[] | Unreadable {
  const home = HOME.exec(text.replace(/^[\\/]+(?=[$%])/, ''));
  if (home !== null) {
    if (!style.isAbsolute(style.slashed(userHome)))
      return { why: 'It is relative to a home folder that is not known.' };
    return [`${userHome}${text.slice(text.indexOf(home[0]) + home[0].length)}`];
  }
  if (OTHER_HOME.test(text)) return { why: 'It is relative to a home folder that is not known. Write the whole path.' };
  const hasVariable =
    style.name === 'windows'
      ? VARIABLE.test(text.replace(/:\$data$/i, '')) || WINDOWS_VARIABLE.test(text)
      : VARIABLE.test(text);
  if (hasVariable) return { why: 'It has a variable with an unknown value. Write the whole path.' };
  return [];
}

const ANY_VARIABLE =
  /\$\{[^{}]*\}|\$\([^()]*\)|\$env:\w+|\$[A-Za-z_]\w*|\$[\d@*]|%(?![\da-f]{2}(?!\w*%))[A-Za-z_][\w()]*%/gi;
const DEFAULT_VALUE = /^\$\{[^:=?+-]*:?[-=+?]([^{}]*)\}$/;
const DEEPEST_VARIABLE = 3;

/** Expansions of variables: empty, the current folder, or their default value. */
export function expansionsOf(text: string): readonly string[] {
  if (!/[$%]/.test(text) || HOME.test(text)) return [];
  const expand = (value: (variable: string) => string): string => {
    let expanded = text;
    for (let depth = 0; depth < DEEPEST_VARIABLE; depth++) expanded = expanded.replace(ANY_VARIABLE, value);
    return expanded;
  };
  const values = [() => '', () => '.', (variable: string) => DEFAULT_VALUE.exec(variable)?.[1] ?? ''];
  return [...new Set(values.map(expand))].filter((other) => other !== text);
}

/** `~name` is a file to most programs, and another user's home folder to a shell. */
export function otherHome(text: string, { userHome }: ReadingContext): readonly string[] {
  const name = /^~(\w[\w.-]*)$/.exec(text)?.[1];
  return name === undefined ? [] : [userHome.replace(/[^\\/]+[\\/]*$/, name)];
}

/** Paths after other words of a label or in a command line: `write /etc/hosts`, `--file=../x`. */
const EMBEDDED = /[\s=,;|(>'"`](?=[\\/]|~[\\/]|[a-z]:[\\/]|\.{1,2}[\\/]|\$\{?home\b|file:)/i;
const LISTED = /:(?=[\\/])/;

function embeddedPath(text: string, { style }: ReadingContext): readonly string[] {
  if (isFileUri(text)) return [];
  return [EMBEDDED, style.name === 'posix' ? LISTED : undefined].flatMap((delimiter) => {
    const at = delimiter?.exec(text)?.index;
    if (at === undefined) return [];
    const rest = text.slice(at + 1);
    const before = text.slice(0, at);
    return [rest, rest.replace(/\s.*$/s, ''), ...(/[^\s"'`]/.test(before) ? [before] : [])];
  });
}

/** Drives on systems without drives (`/mnt/c`), and the reverse on Windows. */
function foreignDrive(text: string, { style }: ReadingContext): readonly string[] {
  if (style.name === 'windows') return [text.replace(/^\/(?:mnt\/|cygdrive\/)?([a-z])(?=\/|$)/i, '$1:/')];
  const drive = /^([a-z]):(?=[\\/])/i.exec(text)?.[1];
  return drive === undefined ? [] : [`/mnt/${drive.toLowerCase()}${text.slice(2).replaceAll('\\', '/')}`];
}

/** A program that resolves before it decodes treats an encoded absolute path or share as relative. */
function resolvedFirst(text: string, { style }: ReadingContext): readonly string[] {
  const start = style.name === 'windows' ? /^\/?(?=%)/ : /^(?=[%\\])/;
  return [text.replace(start, (slash) => `${slash === '' ? '.' : '/.'}/`)];
}

function withoutDetours(text: string, { style }: ReadingContext): readonly string[] {
  return isFileUri(text) ? [] : [style.normal(text)];
}

function withoutSystemTails(text: string, { style }: ReadingContext): readonly string[] {
  return style.name === 'windows' && !isFileUri(text) ? [withoutTails(text)] : [];
}

const MAX_BRACES = 64;

/** Expands the braces of a glob. */
export function bracesOf(text: string): readonly string[] {
  if (!/\{[^{}]*(?:,|\.\.)[^{}]*\}/.test(text)) return [];
  return minimatch.braceExpand(text, { braceExpandMax: MAX_BRACES }).filter((other) => other !== text);
}

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
