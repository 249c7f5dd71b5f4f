import { isLoopback, isPrivate } from '../base/networkHosts.ts';

/** Parses an absolute web address. Returns `undefined` for any other text. */
export function webAddress(text: string): URL | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
}

/** The HTTP form of a server address. The metadata of a WebSocket server is found under HTTP on the same host. */
export function httpAddress(text: string): URL | undefined {
  return webAddress(text.replace(/^ws(s?):/i, 'http$1:'));
}

type AddressVerdict = { readonly url: URL } | { readonly refusal: string };

/**
 * Whether the host may send a request to an address that `server` named, directly or through its authorization server.
 * Requests must be encrypted, except on this machine. A server on the internet must not make the host probe the user's
 * own network (SSRF). The check covers host names only, not what DNS resolves them to; the server never sees the
 * replies.
 */
export function judgeAddress(text: string, server: URL): AddressVerdict {
  const url = webAddress(text);
  if (url === undefined) return { refusal: 'is no address of the web' };
  // Compares the text as `URL` parses it: without tabs, line breaks and leading spaces.
  if (/^\s*[a-z]+:\/*[^/?#]*@/i.test(text.replace(/[\t\r\n]/g, ''))) return { refusal: 'holds a name or a password' };
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) return { refusal: 'is not encrypted' };
  const refusal = inwardRefusal(url, server);
  return refusal === undefined ? { url } : { refusal };
}

/**
 * Why the host must not follow `server` to this address: it is on this machine or in a private network, and the server
 * is not.
 */
export function inwardRefusal(url: URL, server: URL): string | undefined {
  if (isLoopback(url.hostname) && !isLoopback(server.hostname)) return 'is on this machine, where the server is not';
  if (isPrivate(url.hostname) && !isPrivate(server.hostname)) return 'is in a private network, where the server is not';
  return undefined;
}

/**
 * The canonical address of a server as a resource (RFC 8707): without fragment, without query, which may contain a key,
 * and without the slash of an empty path.
 */
export function canonicalResource(server: URL): string {
  return `${server.origin}${server.pathname === '/' ? '' : server.pathname}`;
}

/** Whether a token for this resource is valid for the server: same origin, and a path at or above the server's. */
export function coversServer(resource: string, server: URL): boolean {
  const url = webAddress(resource);
  if (url === undefined || url.origin !== server.origin || resource.includes('#')) return false;
  const whole = (path: string): string => (path.endsWith('/') ? path : `${path}/`);
  return whole(server.pathname).startsWith(whole(url.pathname));
}
