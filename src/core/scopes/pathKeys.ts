import { isFileUri, LONGEST_TEXT } from './pathText.ts';

/** Members of these names, and such that end in one of these words (`outputPath`, `base_dir`), name files. */
const PATH_WORDS = new Set([
  ...['path', 'paths', 'pathname', 'filepath', 'filepaths', 'filename', 'filenames', 'file', 'files'],
  ...['dir', 'dirs', 'dirname', 'dirpath', 'directory', 'directories', 'folder', 'folders', 'folderpath'],
  ...['uri', 'uris', 'cwd', 'workdir', 'basedir', 'rootdir', 'outdir', 'srcdir'],
]);
/** These name files too, but now and then a text, a person or a number of a line: only as a whole, and only one line. */
const PLACE_WORDS = new Set([
  ...['target', 'targets', 'source', 'sources', 'src', 'dest', 'destination', 'destinations', 'dst'],
  ...['from', 'to', 'root', 'roots'],
]);
const URL_WORDS = new Set(['url', 'urls']);

export type KeyKind =
  /** Names files. */
  | 'path'
  /** Names files where it can. */
  | 'place'
  /** Names a file where it is a `file:` URI. */
  | 'url'
  | 'other';

const LONGEST_KEY = 100;

/** What a member is by its name, whatever its case and however its words are told apart. */
export function kindOfKey(key: string): KeyKind {
  if (key.length > LONGEST_KEY) return 'other';
  const words = key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
  const whole = words.join('');
  const last = words.at(-1) ?? '';
  if (PATH_WORDS.has(whole) || PATH_WORDS.has(last)) return 'path';
  if (PLACE_WORDS.has(whole)) return 'place';
  return URL_WORDS.has(last) ? 'url' : 'other';
}

/** Whether a text at such a member names a file. */
export function namesFile(text: string, kind: KeyKind): boolean {
  switch (kind) {
    case 'path':
      return true;
    case 'place':
      return text.length <= LONGEST_TEXT && !/[\r\n]/.test(text.trim());
    case 'url':
    case 'other':
      return looksLikePath(text) && (kind === 'other' || isFileUri(plainStart(text)));
  }
}

const ABSOLUTE = /^(?:[\\/]|[a-z]:[\\/]|~(?:[\\/]|$)|\$\{?home\b|%userprofile%)/i;
const PARENT = /(?:^|[\\/])\.\.(?:[\\/]|$)/;

/** One line that is an absolute path, a URI of a file, or leads out of where it is said. */
export function looksLikePath(text: string): boolean {
  // A longer one is no path but somebody's text.
  if (text.length > LONGEST_TEXT) return false;
  const plain = plainStart(text);
  return !/[\r\n]/.test(plain) && (ABSOLUTE.test(plain) || isFileUri(plain) || PARENT.test(plain));
}

const SIGNS: ReadonlyMap<string, string> = new Map([
  ['2e', '.'],
  ['2f', '/'],
  ['3a', ':'],
  ['5c', '\\'],
  ['7e', '~'],
]);

/** With the signs that make a path of a text as they are, however often they were encoded. */
function plainStart(text: string): string {
  const bare = text
    .trim()
    .replace(/^["'`]+/, '')
    .replace(/["'`]$/, '');
  if (!bare.includes('%')) return bare;
  return bare.replace(/%(?:25)*(2e|2f|3a|5c|7e)/gi, (_whole, code: string) => SIGNS.get(code.toLowerCase()) ?? '');
}
