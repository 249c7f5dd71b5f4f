import { type Disposable, disposeAll } from '../base/disposable.ts';
import { canonicalJson } from '../base/json.ts';
import { GatewaySession, type GatewaySessionOptions } from './session.ts';
import { listedTools } from './toolList.ts';

const MAX_SESSIONS = 64;

export interface GatewayEndpointOptions extends GatewaySessionOptions {
  readonly maxSessions?: number | undefined;
}

/** One server's tools, offered to any number of MCP clients. */
export class GatewayEndpoint implements Disposable {
  readonly #options: GatewayEndpointOptions;
  readonly #maxSessions: number;
  /** In the order of their last use. */
  readonly #sessions = new Map<string, GatewaySession>();
  readonly #subscription: Disposable;
  #seen: string;

  constructor(options: GatewayEndpointOptions) {
    this.#options = options;
    this.#maxSessions = options.maxSessions ?? MAX_SESSIONS;
    this.#seen = this.#listed();
    this.#subscription = options.host.onDidChangeServer((change) => {
      if (change.server === options.server) this.#compare();
    });
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  /** A new session; `undefined` when there are too many and every one of them is in use. */
  open(): GatewaySession | undefined {
    if (this.#sessions.size >= this.#maxSessions) {
      const idle = [...this.#sessions.values()].find((session) => session.isIdle);
      if (idle === undefined) return undefined;
      this.end(idle.id);
    }
    const session = new GatewaySession(this.#options);
    this.#sessions.set(session.id, session);
    return session;
  }

  session(id: string): GatewaySession | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session;
  }

  /** Whether there was such a session. */
  end(id: string): boolean {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    session?.dispose();
    return session !== undefined;
  }

  dispose(): void {
    this.#subscription.dispose();
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    disposeAll(sessions);
  }

  /** Most changes of a server change nothing that a client sees, and every notice costs the client a listing. */
  #compare(): void {
    const listed = this.#listed();
    if (listed === this.#seen) return;
    this.#seen = listed;
    for (const session of this.#sessions.values()) session.tellListChanged();
  }

  #listed(): string {
    const { host, server } = this.#options;
    return canonicalJson(listedTools(host.server(server)));
  }
}
