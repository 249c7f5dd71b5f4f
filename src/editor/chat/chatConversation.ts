import { isObject } from '../../core/index.ts';

/** As long as a server's own ids may be. */
const LONGEST_ID = 512;
const LOCAL = { scheme: 'vscode-chat-session', authority: 'local' } as const;

/**
 * The id of the chat that a request belongs to, as calls over the gateway (`_meta["vscode.conversationId"]`) and hooks of
 * the built-in agent name it: a chat is one conversation, whoever answers in it. The editor hands it on in a token that
 * says of itself nothing; where it cannot be read, the conversation has an id of our own.
 */
export function sessionOf(token: unknown): string | undefined {
  const resource = isObject(token) ? token['sessionResource'] : undefined;
  if (!isObject(resource)) return undefined;
  const { scheme, authority, path } = resource;
  if (typeof scheme !== 'string' || typeof path !== 'string') return undefined;
  const isLocal = scheme === LOCAL.scheme && authority === LOCAL.authority;
  const id = isLocal ? Buffer.from(path.slice(1), 'base64url').toString('utf8') : textOf(resource);
  return /^[!-~]+$/.test(id) && id.length <= LONGEST_ID ? id : undefined;
}

/** As the editor writes a `Uri`. */
function textOf(resource: Readonly<Record<string, unknown>>): string {
  const write: unknown = Reflect.get(resource, 'toString');
  const text: unknown = typeof write === 'function' ? Reflect.apply(write, resource, []) : undefined;
  return typeof text === 'string' ? text : '';
}
