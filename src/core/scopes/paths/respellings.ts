import { minimatch } from 'minimatch';
import { isFileUri, type Unreadable } from './pathText.ts';
import type { PathStyle } from './pathStyle.ts';
import { withoutTails } from './windowsPath.ts';

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
export const OF_ANY_TEXT: readonly Respelling[] = [
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
export const OF_PATHS: readonly Respelling[] = [
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
