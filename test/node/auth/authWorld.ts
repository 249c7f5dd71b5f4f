import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuthSettings, EnteredClient, SecretStore, SignInQuestion } from '../../../src/core/index.ts';
import { AuthService } from '../../../src/node/auth/authService.ts';
import { memorySecrets } from '../../../src/node/auth/memorySecrets.ts';
import type { Authorizer } from '../../../src/node/http/authorizer.ts';
import { FakeClock } from '../../support/fakeClock.ts';

export interface Visit {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly body: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export type Page = (visit: Visit) => void;

export const json =
  (value: unknown, status = 200, headers: Record<string, string> = {}): Page =>
  ({ response }) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

/** A site on this machine. Tests can replace each of its paths. */
export class Site {
  readonly pages: Record<string, Page> = {};
  /** Each request in one line: method, path and requested resource. */
  readonly visits: string[] = [];
  readonly #server: Server;
  readonly origin: string;

  private constructor(server: Server) {
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.origin = `http://127.0.0.1:${port}`;
    server.on('request', (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk) => (body += chunk));
      request.on('end', () => this.#serve(request, response, body));
    });
  }

  static async open(): Promise<Site> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Site(server);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #serve(request: IncomingMessage, response: ServerResponse, body: string): void {
    const url = new URL(request.url ?? '/', this.origin);
    const grant = new URLSearchParams(body).get('grant_type');
    this.visits.push([request.method, url.pathname, request.headers.authorization, grant].filter(Boolean).join(' '));
    const page = this.pages[url.pathname] ?? json({ error: 'not_found' }, 404);
    void page({
      path: url.pathname,
      query: url.searchParams,
      form: new URLSearchParams(body),
      body,
      request,
      response,
    });
  }
}

export interface WorldOptions {
  readonly settings?: Partial<AuthSettings>;
  readonly headers?: Record<string, string>;
  readonly serverId?: string;
}

/** A protected server, its authorization server, a user who agrees, and a browser that follows redirects. */
export class AuthWorld {
  readonly mcp: Site;
  readonly auth: Site;
  readonly clock = new FakeClock(Date.now());
  readonly secrets: SecretStore;
  /** All names under which something was stored. */
  readonly keys = new Set<string>();
  readonly service: AuthService;
  readonly questions: SignInQuestion[] = [];
  readonly opened: URL[] = [];
  readonly logged: string[] = [];
  readonly waits: boolean[] = [];
  /** The final pages in the browser. */
  readonly pages: string[] = [];
  readonly #authorizers: Authorizer[] = [];
  readonly #browsing: Promise<unknown>[] = [];
  consents = true;
  /** The client that the user enters when asked. */
  entered: EnteredClient | undefined;
  /** The browser's reaction to an address. */
  browse: (url: URL) => Promise<boolean> = (url) => this.follow(url);
  /** The members of the token replies, in order. The last one repeats. */
  readonly tokens: Record<string, unknown>[] = [{ access_token: 'access-1' }];
  /** Whether the server accepts a token. */
  accepts: (token: string) => boolean = (token) => token.startsWith('access-');

  private constructor(mcp: Site, auth: Site, secrets: SecretStore) {
    this.mcp = mcp;
    this.auth = auth;
    this.secrets = {
      ...secrets,
      set: (key, value) => {
        this.keys.add(key);
        return secrets.set(key, value);
      },
    };
    this.service = new AuthService({
      secrets: this.secrets,
      clock: this.clock,
      prompt: {
        consent: (question) => {
          this.questions.push(question);
          return Promise.resolve(this.consents);
        },
        askClient: () => Promise.resolve(this.entered),
      },
      browser: {
        open: (url) => {
          this.opened.push(new URL(url));
          return this.browse(new URL(url));
        },
      },
    });
    this.#furnish();
  }

  static async open(secrets: SecretStore = memorySecrets()): Promise<AuthWorld> {
    return new AuthWorld(await Site.open(), await Site.open(), secrets);
  }

  async close(): Promise<void> {
    for (const authorizer of this.#authorizers) authorizer.dispose();
    await Promise.allSettled(this.#browsing);
    this.service.dispose();
    await this.mcp.close();
    await this.auth.close();
  }

  get server(): string {
    return `${this.mcp.origin}/mcp`;
  }

  get challenge(): string {
    return `Bearer resource_metadata="${this.mcp.origin}/.well-known/oauth-protected-resource/mcp"`;
  }

  authorizer({ settings, headers = {}, serverId = 'notes' }: WorldOptions = {}): Authorizer {
    const auth = settings === undefined ? undefined : ({ flow: 'auto', ...settings } as const);
    const authorizer = this.service.authorizer({
      connection: { kind: 'remote', url: this.server, headers, transport: 'auto', auth },
      context: { serverId, log: { log: (level, message) => void this.logged.push(`${level} ${message}`) } },
      onWaiting: (isWaiting) => void this.waits.push(isWaiting),
    });
    if (authorizer === undefined) throw new Error('no authorizer');
    this.#authorizers.push(authorizer);
    return authorizer;
  }

  /** Sends a request like a transport, and repeats it while the authorizer asks for it. */
  async ask(authorizer: Authorizer, url = this.server, signal = new AbortController().signal): Promise<number> {
    for (let again = 0; again < 20; again++) {
      const headers = await authorizer.headersFor({ method: 'POST', url: new URL(url) }, signal);
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers },
        body: '{}',
        redirect: 'manual',
        signal,
      });
      await response.text();
      const reply = { status: response.status, url: new URL(url), headers: Object.fromEntries(response.headers) };
      authorizer.replied(reply);
      const isChallenge =
        response.status === 401 || (response.status === 403 && response.headers.has('www-authenticate'));
      const sent = { ...reply, authorization: headers['authorization'] ?? 'none' };
      if (!isChallenge || !(await authorizer.challenged(sent, signal))) return response.status;
    }
    throw new Error('asked without an end');
  }

  /** Follows redirects and records the last page. Reports at once that the browser is open. */
  follow(url: URL): Promise<boolean> {
    const walk = async (): Promise<void> => {
      const response = await fetch(url);
      this.pages.push(
        (await response.text())
          .replace(/<style>.*?<\/style>/, '')
          .replace(/<[^>]*>/g, ' ')
          .replace(/\s+/g, ' ')
          .trim(),
      );
    };
    const walked = walk().catch(() => undefined);
    this.#browsing.push(walked);
    return Promise.resolve(true);
  }

  /** Redirects the browser to the address that the user came from. */
  comeBack({ query, response }: Visit, parameters: Record<string, string>): void {
    const back = new URL(query.get('redirect_uri') ?? '');
    back.searchParams.set('state', query.get('state') ?? '');
    for (const [name, value] of Object.entries(parameters)) back.searchParams.set(name, value);
    response.writeHead(302, { location: back.href }).end();
  }

  metadata(members: Record<string, unknown> = {}): Record<string, unknown> {
    const { origin } = this.auth;
    return {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      revocation_endpoint: `${origin}/revoke`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      ...members,
    };
  }

  #furnish(): void {
    const { mcp, auth } = this;
    mcp.pages['/mcp'] = ({ request, response }) => {
      const [, token = ''] = (request.headers.authorization ?? '').split(' ');
      if (token !== '' && this.accepts(token)) response.writeHead(200).end('{}');
      else response.writeHead(401, { 'www-authenticate': this.challenge }).end();
    };
    mcp.pages['/.well-known/oauth-protected-resource/mcp'] = (visit) =>
      json({ resource: this.server, authorization_servers: [auth.origin] })(visit);
    auth.pages['/.well-known/oauth-authorization-server'] = (visit) => json(this.metadata())(visit);
    auth.pages['/register'] = json({ client_id: 'registered' }, 201);
    auth.pages['/authorize'] = (visit) => this.comeBack(visit, { code: 'code-1', iss: auth.origin });
    auth.pages['/token'] = (visit) => {
      const [token = {}] = this.tokens.length > 1 ? this.tokens.splice(0, 1) : this.tokens;
      json({ token_type: 'Bearer', expires_in: 3600, ...token }, typeof token['error'] === 'string' ? 400 : 200)(visit);
    };
    auth.pages['/revoke'] = json({});
  }
}
