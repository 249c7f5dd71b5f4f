/** Whether a URL is one that a pattern of the editor's server lists means. Letter case never counts. */
export function matchesServerUrl(pattern: string, url: string): boolean {
  const actual = plainUrl(url);
  if (actual === undefined) return false;
  if (!pattern.includes('*')) return plainUrl(pattern)?.toLowerCase() === actual.toLowerCase();
  const normal = plainPattern(pattern);
  return normal !== undefined && globOf(normal).test(actual);
}

/** Without user name, default port and fragment. URLs of other schemes stay as written. */
function plainUrl(text: string): string | undefined {
  try {
    const { protocol, origin, pathname, search } = new URL(text);
    return protocol === 'http:' || protocol === 'https:' ? origin + pathname + search : text;
  } catch {
    return undefined;
  }
}

const DEFAULT_PORTS: ReadonlyMap<string, string> = new Map([
  ['http', '80'],
  ['https', '443'],
]);

/** The same for a pattern, which no URL parser reads. */
function plainPattern(pattern: string): string | undefined {
  const at = pattern.indexOf('://');
  const scheme = at < 0 ? '' : pattern.slice(0, at).toLowerCase();
  const defaultPort = DEFAULT_PORTS.get(scheme);
  if (defaultPort === undefined) return pattern;
  const rest = pattern.slice(at + 3);
  const end = authorityEnd(rest);
  const authority = rest.slice(0, end);
  const address = addressOf(authority.slice(authority.lastIndexOf('@') + 1));
  if (address === undefined) return undefined;
  const port = address.port === undefined || address.port === defaultPort ? '' : `:${address.port}`;
  const path = rest.slice(end).replaceAll('\\', '/').replace(/#.*$/s, '');
  const rooted = path === '' || path.startsWith('?') ? `/${path}` : path;
  return `${scheme}://${address.host}${port}${rooted}`;
}

interface Address {
  readonly host: string;
  readonly port: string | undefined;
}

function addressOf(text: string): Address | undefined {
  const [, host, rest] = /^(\[[^\]]*\])(.*)$/s.exec(text) ?? [];
  if (host !== undefined && rest !== undefined) {
    if (rest === '') return { host, port: undefined };
    return rest.startsWith(':') ? { host, port: rest.slice(1) } : undefined;
  }
  if (text === '' || text.startsWith('[')) return undefined;
  const colon = text.lastIndexOf(':');
  return colon < 0 ? { host: text, port: undefined } : { host: text.slice(0, colon), port: text.slice(colon + 1) };
}

function authorityEnd(text: string): number {
  const end = text.search(/[/\\?#]/);
  return end < 0 ? text.length : end;
}

/** In scheme, host and port a wildcard stays within them; `:*` also stands for no port at all. */
function globOf(pattern: string): RegExp {
  const at = pattern.indexOf('://');
  const start = at < 0 ? 0 : at + 3;
  const end = start + authorityEnd(pattern.slice(start));
  const head = escaped(pattern.slice(0, end)).replaceAll(':\\*', '(:[^/@\\\\?#]*)?').replaceAll('\\*', '[^/@\\\\?#]*');
  const tail = escaped(pattern.slice(end)).replaceAll('\\*', '.*');
  return new RegExp(`^${head}${tail}$`, 'i');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
