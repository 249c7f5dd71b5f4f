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

/** What is done there no name of a file tells: as a whole, or as the last word. */
const DEED_WORDS = new Set([
  ...['command', 'commands', 'cmd', 'cmds', 'commandline', 'script', 'scripts', 'shell', 'exec', 'code'],
  ...['arg', 'args', 'argv', 'sql', 'statement', 'statements'],
]);
/** Members with one of these words in them name folders that others may be relative to. */
const FOLDER_WORDS = new Set([
  ...['cwd', 'workdir', 'dir', 'dirs', 'directory', 'directories', 'folder', 'folders', 'basedir', 'rootdir'],
  ...['base', 'root', 'roots', 'repo', 'repository', 'project', 'workspace', 'prefix', 'parent'],
]);

const LONGEST_KEY = 100;

/** What a member is by its name, whatever its case and however its words are told apart. */
export function kindOfKey(key: string): KeyKind {
  if (key.length > LONGEST_KEY) return 'other';
  const words = wordsOf(key);
  const whole = words.join('');
  const last = words.at(-1) ?? '';
  if (PATH_WORDS.has(whole) || PATH_WORDS.has(last)) return 'path';
  if (PLACE_WORDS.has(whole)) return 'place';
  return URL_WORDS.has(last) ? 'url' : 'other';
}

function wordsOf(key: string): readonly string[] {
  return key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

/** Whether what stands at such a member is to be carried out: what that touches nobody can tell. */
export function isDeed(key: string): boolean {
  if (key.length > LONGEST_KEY) return false;
  const words = wordsOf(key);
  return DEED_WORDS.has(words.join('')) || DEED_WORDS.has(words.at(-1) ?? '');
}

/** Whether a text found at such a place (a JSON Pointer) may be the folder that others are relative to. */
export function isFolderPlace(from: string): boolean {
  return from
    .split('/')
    .slice(-2)
    .some((key) => key.length <= LONGEST_KEY && wordsOf(key).some((word) => FOLDER_WORDS.has(word)));
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
