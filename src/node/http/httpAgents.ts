import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';

/** Manages connections, proxies and trusted certificates. */
export interface HttpAgents {
  /** `undefined` leaves everything to Node's `http` module. */
  agentFor(url: URL): http.Agent | undefined;
  /** Reports an untrusted certificate. Returns whether to retry with a new agent. */
  distrusted(agent: http.Agent | undefined): boolean;
  close(): void;
}

/**
 * For editors that patch `http` with their proxy and certificate settings. With `"http.proxySupport": "on"`, the patch
 * ignores requests with an agent.
 */
export const ambientAgents: HttpAgents = {
  agentFor: () => undefined,
  distrusted: () => false,
  close: () => undefined,
};

/** Shorter than common idle timeouts of servers. A request fails if its connection is closed meanwhile. */
const IDLE_MS = 4_000;
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

interface AgentOptions extends https.AgentOptions {
  /** Supported by Node 24.5, 22.21 and later. Earlier versions ignore it and connect directly. */
  readonly proxyEnv?: NodeJS.ProcessEnv | undefined;
}

/**
 * Outside an editor: uses proxies from `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. Trusts Node's certificates
 * (including `NODE_EXTRA_CA_CERTS`), and those of the system if they do not suffice, because the system store is slow
 * to read.
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
    // A proxy's loopback is another machine.
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
    // Another request may have reported it already.
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

/** All certificates including the system store. Empty if Node cannot read it (before 22.15). */
function systemCertificates(): readonly string[] {
  if (!('getCACertificates' in tls)) return [];
  return [...new Set([...tls.getCACertificates('default'), ...tls.getCACertificates('system')])];
}
