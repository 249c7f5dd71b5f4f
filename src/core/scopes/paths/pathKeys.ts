import { decodeOnce, isFileUri, MAX_TEXT } from './pathText.ts';

/** Members with one of these words in their name (`outputPath`, `files_to_stage`) name files. */
const PATH_WORDS = new Set([
  ...['path', 'paths', 'pathname', 'filepath', 'filepaths', 'filename', 'filenames', 'file', 'files'],
  ...['dir', 'dirs', 'dirname', 'dirpath', 'directory', 'directories', 'folder', 'folders', 'folderpath'],
  ...['uri', 'uris', 'cwd', 'workdir', 'basedir', 'rootdir', 'outdir', 'srcdir'],
]);
/** A member that ends in one of these describes a file, such as `fileType`. */
const QUALIFIERS = new Set([
  ...['id', 'ids', 'key', 'keys', 'type', 'types', 'kind', 'count', 'size', 'mode', 'hash', 'sha', 'extension', 'ext'],
  ...['extensions', 'format', 'encoding', 'mime', 'version', 'limit', 'status', 'line', 'lines', 'depth', 'system'],
  ...[
    'permission',
    'permissions',
    'owner',
    'token',
    'description',
    'title',
    'template',
    'separator',
    'regex',
    'offset',
  ],
]);
/** Members that end in one of these hold content, if the schema declares a string. */
const CONTENT_WORDS = new Set([
  ...['content', 'contents', 'text', 'texts', 'body', 'message', 'markdown', 'html', 'base64', 'blob', 'svg', 'css'],
]);
const EDITED = /^(?:old|new|insert|replacement)(?:str|string|text|content|body|code)?$/;
/** Members that end in one of these hold sentences, in which a path is only mentioned. */
const PROSE_WORDS = new Set([
  ...['description', 'title', 'summary', 'subject', 'comment', 'comments', 'note', 'notes', 'prompt', 'reason'],
  ...['question', 'query', 'instruction', 'instructions', 'thought', 'explanation', 'caption', 'observation'],
  ...['observations', 'task', 'goal', 'label', 'labels', 'tooltip', 'placeholder', 'intent', 'context'],
]);
/** Members that end in one of these name a channel or a person. A final "id" is ignored. */
const NAME_WORDS = new Set([
  ...['channel', 'channels', 'room', 'rooms', 'recipient', 'recipients', 'chat', 'conversation', 'group', 'groups'],
  ...['to', 'cc', 'bcc', 'user', 'users', 'person', 'people', 'topic', 'queue', 'mailbox', 'email', 'emails'],
]);
/**
 * These also name files, but sometimes hold a text, a person or a line number. They only count if they are the whole
 * name and have one line.
 */
const LOCATION_WORDS = new Set([
  ...['target', 'targets', 'source', 'sources', 'src', 'dest', 'destination', 'destinations', 'dst'],
  ...['from', 'to', 'root', 'roots'],
]);
const URL_WORDS = new Set(['url', 'urls']);

export type KeyKind =
  /** Names files. */
  | 'path'
  /** Names a file if its text can be a path. */
  | 'location'
  /** Names a file if it is a `file:` URI. */
  | 'url'
  /** Names a channel or a person. */
  | 'name'
  | 'other';

/** Members with commands, whose targets are unknown. Applies to the whole name or its last word. */
const COMMAND_WORDS = new Set([
  ...['command', 'commands', 'cmd', 'cmds', 'commandline', 'script', 'scripts', 'shell', 'exec', 'code'],
  ...['arg', 'args', 'argv', 'sql', 'statement', 'statements'],
]);
/** Members with one of these words name folders, which may be the base of other paths. */
const FOLDER_WORDS = new Set([
  ...['cwd', 'workdir', 'dir', 'dirs', 'directory', 'directories', 'folder', 'folders', 'basedir', 'rootdir'],
  ...['base', 'root', 'roots', 'repo', 'repository', 'project', 'workspace', 'prefix', 'parent'],
]);

const MAX_KEY = 100;

/** Classifies a member by its name, in any case and with any word separator. */
export function kindOfKey(key: string): KeyKind {
  if (key.length > MAX_KEY) return 'other';
  const words = wordsOf(key);
  const whole = words.join('');
  const last = words.at(-1) ?? '';
  if (URL_WORDS.has(last)) return 'url';
  if (PATH_WORDS.has(whole) || PATH_WORDS.has(last)) return 'path';
  if (LOCATION_WORDS.has(whole) || last === 'root' || last === 'roots') return 'location';
  if (isNameKey(key)) return 'name';
  const isAbout = QUALIFIERS.has(last) || CONTENT_WORDS.has(last) || PROSE_WORDS.has(last);
  return !isAbout && words.some((word) => PATH_WORDS.has(word)) ? 'path' : 'other';
}

/** Whether the member holds the name of a channel or a person. */
export function isNameKey(key: string): boolean {
  if (key.length > MAX_KEY) return false;
  const words = wordsOf(key);
  const last = words.at(-1) ?? '';
  return NAME_WORDS.has(/^(?:ids?|names?)$/.test(last) && words.length > 1 ? (words.at(-2) ?? '') : last);
}

/** Whether a text at this member is content that is written or sent. */
export function isContentKey(key: string): boolean {
  if (key.length > MAX_KEY) return false;
  const words = wordsOf(key);
  return CONTENT_WORDS.has(words.at(-1) ?? '') || EDITED.test(words.join(''));
}

export function isProseKey(key: string): boolean {
  return key.length <= MAX_KEY && PROSE_WORDS.has(wordsOf(key).at(-1) ?? '');
}

/** Whether a text at this member describes what other members name. */
export function isQualifierKey(key: string): boolean {
  const last = key.length <= MAX_KEY ? (wordsOf(key).at(-1) ?? '') : '';
  return QUALIFIERS.has(last) && !/^(?:ids?|keys?)$/.test(last);
}

/** In lower case, without the final number in names such as `path1`. */
function wordsOf(key: string): readonly string[] {
  return key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[^\p{L}\d]+/u)
    .map((word) => word.toLowerCase())
    .map((word) => (word === 'base64' ? word : word.replace(/\d+$/, '')))
    .filter((word) => word !== '');
}

/** Whether the member holds a command, whose targets are unknown. */
export function isActionKey(key: string): boolean {
  if (key.length > MAX_KEY) return false;
  const words = wordsOf(key);
  return COMMAND_WORDS.has(words.join('')) || COMMAND_WORDS.has(words.at(-1) ?? '');
}

/** Whether a text at this JSON Pointer may be the base folder of others. */
export function isFolderMember(from: string): boolean {
  return from
    .split('/')
    .slice(-2)
    .some((key) => key.length <= MAX_KEY && wordsOf(key).some((word) => FOLDER_WORDS.has(word)));
}

const CHILD_WORDS = new Set(['name', 'names', 'basename', 'filename', 'filenames', 'file', 'files', 'entry', 'child']);

/** Whether a text at this JSON Pointer may be a name inside a folder that another text names. */
export function isChildMember(from: string): boolean {
  return from
    .split('/')
    .slice(-2)
    .some((key) => key.length <= MAX_KEY && CHILD_WORDS.has(wordsOf(key).at(-1) ?? ''));
}

/** Whether a text at this member names a file. */
export function namesFile(text: string, kind: KeyKind): boolean {
  switch (kind) {
    case 'path':
      return true;
    case 'location':
      return text.length <= MAX_TEXT && !/[\r\n]/.test(text.trim());
    case 'url':
      return looksLikePath(text) && isFileUri(plainStart(text));
    case 'name':
    case 'other': {
      const outward = outwardOf(text);
      return outward !== undefined && !(outward.kind === 'absolute' && outward.isOdd);
    }
  }
}

const ABSOLUTE = /^(?:[\\/]|[a-z]:[\\/]|~(?:[\\/]|$)|\$\{?home\b|%userprofile%)/i;
const PARENT = /(?:^|[\\/])\.\.(?:[\\/]|$)/;

/** One line with an absolute path, a file URI, or a path out of its base folder. */
export function looksLikePath(text: string): boolean {
  // A longer text is not a path.
  if (text.length > MAX_TEXT) return false;
  const plain = plainStart(text);
  return !/[\r\n]/.test(plain) && (ABSOLUTE.test(plain) || isFileUri(plain) || PARENT.test(plain));
}

/** How a text leads out of its base folder, if it does. */
export type Outward =
  /** `..`, a file URI, or the home folder. */
  | { readonly kind: 'surely' }
  /** To an unknown location. */
  | { readonly kind: 'unknown' }
  /** An absolute path, if its first folder exists. Otherwise it is no path. */
  | { readonly kind: 'absolute'; readonly first: string; readonly isOdd: boolean };

/** Comments, expressions and closing tags begin with a slash too. */
const ODD_START = /^[\\/]{1,2}[\s*^(+|<>]|^\/[^/]*(?:[\\^*+()|]|\$\/)[^/]*\/[dgimsuvy]*$/;

export function outwardOf(text: string): Outward | undefined {
  if (!looksLikePath(text)) return undefined;
  const plain = plainStart(text);
  const first = /^[\\/]+([^\\/]*)/.exec(plain)?.[1] ?? /^[a-z]:[\\/]+[^\\/]*/i.exec(plain)?.[0];
  if (first === undefined || PARENT.test(plain)) return { kind: 'surely' };
  return {
    kind: 'absolute',
    first: /^[a-z]:/i.test(first) ? first : `/${decodeOnce(first) ?? first}`,
    isOdd: plain.startsWith('\\') || ODD_START.test(plain),
  };
}

const SIGNS: ReadonlyMap<string, string> = new Map([
  ['2e', '.'],
  ['2f', '/'],
  ['3a', ':'],
  ['5c', '\\'],
  ['7e', '~'],
]);

/** Decodes the characters that make a text a path, at any depth of encoding. */
function plainStart(text: string): string {
  const bare = text
    .trim()
    .replace(/^["'`]+/, '')
    .replace(/["'`]$/, '');
  if (!bare.includes('%')) return bare;
  return bare.replace(/%(?:25)*(2e|2f|3a|5c|7e)/gi, (_whole, code: string) => SIGNS.get(code.toLowerCase()) ?? '');
}
