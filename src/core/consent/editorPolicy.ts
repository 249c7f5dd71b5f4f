import type { EditorPolicy, ServerIdentity, ServerMatcher } from '../model/serverPolicy.ts';

/** The raw values of the editor's settings. */
export interface EditorPolicyValues {
  /** All relevant values of `chat.mcp.access`. The strictest wins. */
  readonly access: readonly unknown[];
  /** The same for `chat.mcp.enabled`, used by older editors. */
  readonly enabled: readonly unknown[];
  readonly allowed: unknown;
  /** The lists of all layers, or the managed ones only. */
  readonly denied: readonly unknown[];
}

const ACCESS = ['none', 'registry'] as const;

export function editorPolicy({ access, enabled, allowed, denied }: EditorPolicyValues): EditorPolicy {
  const isOff = enabled.includes(false);
  return {
    access: isOff ? 'none' : (ACCESS.find((value) => access.includes(value)) ?? 'all'),
    allowed: Array.isArray(allowed) ? matchersIn(allowed) : undefined,
    denied: denied.flatMap((list) => (Array.isArray(list) ? matchersIn(list) : [])),
  };
}

/** Like the editor, skips entries that do not name exactly one thing. */
function matchersIn(list: readonly unknown[]): readonly ServerMatcher[] {
  return list.flatMap((item) => {
    const { serverName, serverUrl, serverCommand } = membersOf(item);
    const found: ServerMatcher[] = [];
    if (typeof serverName === 'string' && serverName !== '') found.push({ kind: 'serverName', name: serverName });
    if (typeof serverUrl === 'string' && serverUrl !== '') found.push({ kind: 'serverUrl', url: serverUrl });
    if (isCommand(serverCommand)) found.push({ kind: 'serverCommand', command: serverCommand });
    return found.length === 1 ? found : [];
  });
}

function membersOf(item: unknown): {
  readonly serverName?: unknown;
  readonly serverUrl?: unknown;
  readonly serverCommand?: unknown;
} {
  return typeof item === 'object' && item !== null ? item : {};
}

function isCommand(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === 'string');
}

/**
 * The rule that forbids a server, if any. Parts with variables are skipped and checked again with the expanded
 * connection before the start.
 */
export function refusedBy(policy: EditorPolicy, server: ServerIdentity): string | undefined {
  if (policy.access === 'none') return '"chat.mcp.access" is "none"';
  if (policy.access === 'registry')
    return '"chat.mcp.access" is "registry", and servers of MCP Live come from no registry';
  const url = server.url !== undefined && hasVariable(server.url) ? undefined : server.url;
  const command = server.command?.some(hasVariable) === true ? undefined : server.command;
  const known: ServerIdentity = { name: server.name, url, command };
  const denial = policy.denied.find((matcher) => matches(matcher, known));
  if (denial !== undefined) return `"chat.mcp.deniedServers" lists ${describe(denial)}`;
  if (policy.allowed === undefined || policy.allowed.some((matcher) => matches(matcher, known))) return undefined;
  const isOpen = ({ kind }: ServerMatcher): boolean =>
    (kind === 'serverUrl' && url !== server.url) || (kind === 'serverCommand' && command !== server.command);
  return policy.allowed.some(isOpen) ? undefined : '"chat.mcp.allowedServers" does not list it';
}

function hasVariable(text: string): boolean {
  return /\$\{[^]*\}/.test(text);
}

function matches(matcher: ServerMatcher, { name, url, command }: ServerIdentity): boolean {
  switch (matcher.kind) {
    case 'serverName':
      return matcher.name === name;
    case 'serverUrl':
      return url !== undefined && matchesServerUrl(matcher.url, url);
    case 'serverCommand':
      return command?.length === matcher.command.length && matcher.command.every((part, at) => part === command[at]);
  }
}

function describe(matcher: ServerMatcher): string {
  switch (matcher.kind) {
    case 'serverName':
      return `the name ${JSON.stringify(matcher.name)}`;
    case 'serverUrl':
      return `the URL ${JSON.stringify(matcher.url)}`;
    case 'serverCommand':
      return `the command ${JSON.stringify(matcher.command.join(' '))}`;
  }
}

/** Whether a URL matches a pattern of the editor's server lists. Ignores case. */
export function matchesServerUrl(pattern: string, url: string): boolean {
  const actual = plainUrl(url);
  if (actual === undefined) return false;
  if (!pattern.includes('*')) return plainUrl(pattern)?.toLowerCase() === actual.toLowerCase();
  const normal = plainPattern(pattern);
  return normal !== undefined && globOf(normal).test(actual);
}

/** Without user name, default port and fragment. URLs of other schemes are unchanged. */
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

/** The same for a pattern, which URL parsers reject. */
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

/** A wildcard in scheme, host or port does not cross their borders. `:*` also matches an absent port. */
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
