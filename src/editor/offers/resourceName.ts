const MAX_NAME = 80;

/** The editor selects languages and viewers by file extension. */
const ENDINGS: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/javascript': 'js',
  'application/xml': 'xml',
  'application/yaml': 'yaml',
  'application/pdf': 'pdf',
  'application/gzip': 'gz',
  'application/zip': 'zip',
  'application/sql': 'sql',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/html': 'html',
  'text/css': 'css',
  'text/csv': 'csv',
  'text/javascript': 'js',
  'text/typescript': 'ts',
  'text/x-python': 'py',
  'text/xml': 'xml',
  'text/yaml': 'yaml',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
};

/** A file name for a resource: the last part of its URI, with an extension for its type. */
export function resourceName(uri: string, mimeType: string | undefined, isText: boolean): string {
  const path = uri.replace(/[?#].*$/, '').replace(/\/+$/, '');
  const last = decoded(path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf(':')) + 1));
  const clean = last.replace(/[^\p{L}\p{N}._ -]+/gu, '-').replace(/^[. -]+|[ -]+$/g, '');
  const name = clean.slice(-MAX_NAME) || 'resource';
  const ending = endingOf(mimeType, isText);
  // Keeps an existing extension unless the type contradicts it.
  if (mimeType === undefined && /\.[A-Za-z0-9]{1,8}$/.test(name)) return name;
  return ending === undefined || name.toLowerCase().endsWith(`.${ending}`) ? name : withEnding(name, ending);
}

function withEnding(name: string, ending: string): string {
  // Plain text includes other types, so `notes.md` keeps its extension.
  return (ending === 'txt' || ending === 'bin') && /\.[A-Za-z0-9]{1,8}$/.test(name) ? name : `${name}.${ending}`;
}

function endingOf(mimeType: string | undefined, isText: boolean): string | undefined {
  const type = mimeType?.toLowerCase().replace(/;.*$/, '').trim() ?? '';
  const known = Object.hasOwn(ENDINGS, type) ? ENDINGS[type] : undefined;
  if (known !== undefined) return known;
  if (type.endsWith('+json')) return 'json';
  if (type.endsWith('+xml')) return 'xml';
  return isText ? 'txt' : 'bin';
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
