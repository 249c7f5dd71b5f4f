/** Which servers the editor's own settings and an organisation's policies allow. */
export interface EditorPolicy {
  readonly access: 'all' | 'registry' | 'none';
  /** Absent: every server that is not denied is allowed. */
  readonly allowed: readonly ServerMatcher[] | undefined;
  readonly denied: readonly ServerMatcher[];
}

/** One entry of `chat.mcp.allowedServers` or `chat.mcp.deniedServers`. */
export type ServerMatcher =
  | { readonly kind: 'serverName'; readonly name: string }
  /** With `*` as a wildcard. */
  | { readonly kind: 'serverUrl'; readonly url: string }
  /** The program and all of its arguments. */
  | { readonly kind: 'serverCommand'; readonly command: readonly string[] };

/** What a policy is compared with. */
export interface ServerIdentity {
  readonly name: string;
  readonly url?: string | undefined;
  readonly command?: readonly string[] | undefined;
}
