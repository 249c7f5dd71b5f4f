import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';

/** What requests are sent over: kept connections, proxies and trusted certificates are its business. */
export interface HttpAgents {
  /** `undefined` leaves all of it to the module `http`. */
  agentFor(url: URL): http.Agent | undefined;
  /** A certificate was not trusted over this agent. Whether trying once more, over another, makes sense. */
  distrusted(agent: http.Agent | undefined): boolean;
  close(): void;
}

/**
 * For an editor that replaces the functions of `http` by its own, with its settings for proxies and certificates: under
 * `"http.proxySupport": "on"` it leaves alone every request that brings an agent.
 */
export const ambientAgents: HttpAgents = {
  agentFor: () => undefined,
  distrusted: () => false,
  close: () => undefined,
};

/** Less than servers commonly keep a connection that is idle: one that they end while we use it fails a request. */
const IDLE_MS = 4_000;
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

interface AgentOptions extends https.AgentOptions {
  /** Node 24.5 and 22.21 and later take proxies from it; earlier ones do not know it, and connect directly. */
  readonly proxyEnv?: NodeJS.ProcessEnv | undefined;
}

/**
 * Outside an editor: proxies are those of `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. Trusted is what Node trusts
 * (`NODE_EXTRA_CA_CERTS` included), and what the system does where that is not enough: its store is slow to read.
 */
export class OwnAgents implements HttpAgents {
  readonly #env: NodeJS.ProcessEnv;
  readonly #readCertificates: () => readonly string[];
  readonly #agents = new Map<string, http.Agent>();
  readonly #outdated: http.Agent[] = [];
  #certificates: readonly string[] | undefined;

  constructor(env: NodeJS.ProcessEnv = process.env, readCertificates: () => readonly string[] = systemCertificates) {
    this.#env = env;
    this.#readCertificates = readCertificates;
  }

  agentFor({ protocol, hostname }: URL): http.Agent {
    // A proxy's own loopback is not the one that is meant.
    const isDirect = LOOPBACK.test(hostname);
    const key = `${protocol} ${isDirect}`;
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const options: AgentOptions = {
      keepAlive: true,
      timeout: IDLE_MS,
      ...(isDirect ? {} : { proxyEnv: this.#env }),
      ...(this.#certificates === undefined ? {} : { ca: [...this.#certificates] }),
    };
    const agent = protocol === 'https:' ? new https.Agent(options) : new http.Agent(options);
    this.#agents.set(key, agent);
    return agent;
  }

  distrusted(agent: http.Agent): boolean {
    // Another request may have found out meanwhile.
    if (this.#certificates !== undefined) return this.#outdated.includes(agent);
    this.#certificates = this.#readCertificates();
    if (this.#certificates.length === 0) return false;
    this.#outdated.push(...this.#agents.values());
    this.#agents.clear();
    return true;
  }

  close(): void {
    for (const agent of [...this.#outdated, ...this.#agents.values()]) agent.destroy();
  }
}

/** Everything that is trusted with the system's own store; nothing where Node cannot read that (before 22.15). */
function systemCertificates(): readonly string[] {
  if (!('getCACertificates' in tls)) return [];
  return [...new Set([...tls.getCACertificates('default'), ...tls.getCACertificates('system')])];
}
