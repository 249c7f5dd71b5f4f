/** The servers that the editor's settings and an organization's policies allow. */
export interface EditorPolicy {
  readonly access: 'all' | 'registry' | 'none';
  /** Absent if all servers are allowed, except denied ones. */
  readonly allowed: readonly ServerMatcher[] | undefined;
  readonly denied: readonly ServerMatcher[];
}

/** One entry of `chat.mcp.allowedServers` or `chat.mcp.deniedServers`. */
export type ServerMatcher =
  | { readonly kind: 'serverName'; readonly name: string }
  /** With `*` as a wildcard. */
  | { readonly kind: 'serverUrl'; readonly url: string }
  /** The program and all arguments. */
  | { readonly kind: 'serverCommand'; readonly command: readonly string[] };

/** The facts about a server that policies match. */
export interface ServerIdentity {
  readonly name: string;
  readonly url?: string | undefined;
  readonly command?: readonly string[] | undefined;
}
