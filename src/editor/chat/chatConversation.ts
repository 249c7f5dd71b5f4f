import { isObject } from '../../core/index.ts';

/** The same limit as for ids of servers. */
const MAX_ID = 512;
const LOCAL = { scheme: 'vscode-chat-session', authority: 'local' } as const;

/**
 * The id of a request's chat, as used by gateway calls (`_meta["vscode.conversationId"]`) and hooks of the built-in
 * agent: a chat is one conversation, whoever answers. The editor passes it in an opaque token. If it cannot be read,
 * the conversation gets a new id.
 */
export function sessionOf(token: unknown): string | undefined {
  const resource = isObject(token) ? token['sessionResource'] : undefined;
  if (!isObject(resource)) return undefined;
  const { scheme, authority, path } = resource;
  if (typeof scheme !== 'string' || typeof path !== 'string') return undefined;
  const isLocal = scheme === LOCAL.scheme && authority === LOCAL.authority;
  const id = isLocal ? Buffer.from(path.slice(1), 'base64url').toString('utf8') : textOf(resource);
  return /^[!-~]+$/.test(id) && id.length <= MAX_ID ? id : undefined;
}

/** In the editor's `Uri` format. */
function textOf(resource: Readonly<Record<string, unknown>>): string {
  const write: unknown = Reflect.get(resource, 'toString');
  const text: unknown = typeof write === 'function' ? Reflect.apply(write, resource, []) : undefined;
  return typeof text === 'string' ? text : '';
}
