import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Ids } from '../../core/index.ts';

const PREFIX = '/mcp/';

/**
 * Access control of the gateway: requests need the token and the right address. Checking `Host` and `Origin` blocks web
 * pages, which can reach loopback ports through DNS names that resolve to 127.0.0.1.
 */
export class GatewayAccess {
  readonly #token: string;
  readonly #digest: Buffer;
  readonly #ids: Ids;
  readonly #hosts: readonly string[];
  readonly #origins: readonly string[];

  /** `hosts` are the valid values of `Host`, in lower case. */
  constructor(hosts: readonly string[], ids: Ids) {
    this.#ids = ids;
    this.#token = `${ids.uuid()}${ids.uuid()}`.replaceAll('-', '');
    this.#digest = this.#digestOf(`Bearer ${this.#token}`);
    this.#hosts = hosts;
    this.#origins = this.#hosts.map((host) => `http://${host}`);
  }

  get token(): string {
    return this.#token;
  }

  get headers(): Record<string, string> {
    return { Authorization: `Bearer ${this.#token}` };
  }

  path(serverId: string): string {
    return `${PREFIX}${encodeURIComponent(serverId)}`;
  }

  /** The server that a valid request addresses. `undefined` for a request to reject. */
  admit(request: IncomingMessage): string | undefined {
    return this.knows(request) ? serverOf(request.url ?? '') : undefined;
  }

  /** Whether the request has the token and does not come from a web page. */
  knows({ headers: { host, origin, authorization = '' } }: IncomingMessage): boolean {
    if (host === undefined || !this.#hosts.includes(host.toLowerCase())) return false;
    if (origin !== undefined && !this.#origins.includes(origin.toLowerCase())) return false;
    // Digests have equal lengths and do not reveal how much of a guess was right.
    return timingSafeEqual(this.#digestOf(authorization), this.#digest);
  }

  #digestOf(text: string): Buffer {
    return Buffer.from(this.#ids.sha256(text), 'hex');
  }
}

function serverOf(url: string): string | undefined {
  const [path = ''] = url.split('?', 1);
  const encoded = path.slice(PREFIX.length);
  if (!path.startsWith(PREFIX) || encoded === '' || encoded.includes('/')) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
