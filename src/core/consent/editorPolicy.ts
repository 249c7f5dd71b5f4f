import type { EditorPolicy, ServerIdentity, ServerMatcher } from '../model/serverPolicy.ts';
import { matchesServerUrl } from './serverUrlPattern.ts';

/** The raw values of the editor's settings. */
export interface EditorPolicyValues {
  /** Every value of `chat.mcp.access` that counts; the strictest wins. */
  readonly access: readonly unknown[];
  /** The same of `chat.mcp.enabled`, which older editors have instead. */
  readonly enabled: readonly unknown[];
  readonly allowed: unknown;
  /** The lists of all layers, where only managed servers are allowed. */
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

/** Like the editor, leaves out entries that do not name exactly one thing. */
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
 * The rule by which a server is not allowed, or nothing. Before variables are expanded, a rule about a part that has
 * some is left open: the decision is made again with the expanded connection before the server starts.
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
