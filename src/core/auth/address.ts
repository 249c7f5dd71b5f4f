import { isLoopback, isPrivate } from '../base/networkHosts.ts';

/** Text that is an absolute address of the web, as a URL; `undefined` for all else. */
export function webAddress(text: string): URL | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
}

/** A server's address as one of HTTP: WebSocket servers are protected by what is found under the same name there. */
export function httpAddress(text: string): URL | undefined {
  return webAddress(text.replace(/^ws(s?):/i, 'http$1:'));
}

export type AddressVerdict = { readonly url: URL } | { readonly refusal: string };

/**
 * Whether the host may send a request to an address that `server` led to (directly or through its authorization
 * server). Everything must be encrypted, except on this machine; and a server that is reached over the internet must
 * not make the host ask around in the person's own network (SSRF). Only names are judged: what a name resolves to is
 * the network's affair, and the replies are never shown to the server.
 */
export function judgeAddress(text: string, server: URL): AddressVerdict {
  const url = webAddress(text);
  if (url === undefined) return { refusal: 'is no address of the web' };
  // As it is parsed: without tabs and line breaks, and without what stands before it.
  if (/^\s*[a-z]+:\/*[^/?#]*@/i.test(text.replace(/[\t\r\n]/g, ''))) return { refusal: 'holds a name or a password' };
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) return { refusal: 'is not encrypted' };
  const refusal = inwardRefusal(url, server);
  return refusal === undefined ? { url } : { refusal };
}

/** Why the host must not follow `server` to this address: it is nearer to the person than the server is. */
export function inwardRefusal(url: URL, server: URL): string | undefined {
  if (isLoopback(url.hostname) && !isLoopback(server.hostname)) return 'is on this machine, where the server is not';
  if (isPrivate(url.hostname) && !isPrivate(server.hostname)) return 'is in a private network, where the server is not';
  return undefined;
}

/**
 * The canonical address of a server as a resource (RFC 8707): no fragment, no query, which may hold a key, and no
 * slash after a mere host.
 */
export function canonicalResource(server: URL): string {
  return `${server.origin}${server.pathname === '/' ? '' : server.pathname}`;
}

/** Whether a token for this resource is one for that server: the same origin, and a path that contains the other. */
export function coversServer(resource: string, server: URL): boolean {
  const url = webAddress(resource);
  if (url === undefined || url.origin !== server.origin || resource.includes('#')) return false;
  const whole = (path: string): string => (path.endsWith('/') ? path : `${path}/`);
  return whole(server.pathname).startsWith(whole(url.pathname));
}
