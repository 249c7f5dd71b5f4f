import { type Disposable, disposeAll } from '../base/disposable.ts';
import { canonicalJson } from '../base/json.ts';
import type { Prompt, Resource, ResourceTemplate } from '../model/catalog.ts';
import type { ListKind } from './backChannels.ts';
import { isListed, listedPrompts, listedResources, listedTemplates } from './offerLists.ts';
import { GatewaySession, type GatewaySessionOptions } from './session.ts';
import { listedTools } from './toolList.ts';

const MAX_SESSIONS = 64;

export interface GatewayEndpointOptions extends GatewaySessionOptions {
  readonly maxSessions?: number | undefined;
}

/** What one server has, offered to any number of MCP clients. */
export class GatewayEndpoint implements Disposable {
  readonly #options: GatewayEndpointOptions;
  readonly #maxSessions: number;
  /** In the order of their last use. */
  readonly #sessions = new Map<string, GatewaySession>();
  readonly #subscription: Disposable;
  #seen: Seen;

  constructor(options: GatewayEndpointOptions) {
    this.#options = options;
    this.#maxSessions = options.maxSessions ?? MAX_SESSIONS;
    this.#seen = this.#look();
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
    const before = this.#seen;
    this.#seen = this.#look(before);
    for (const list of LIST_KINDS)
      if (this.#seen.texts[list] !== before.texts[list])
        for (const session of this.#sessions.values()) session.tellListChanged(list);
  }

  #look(before?: Seen): Seen {
    const { host, server } = this.#options;
    const snapshot = host.server(server);
    const { prompts, resources, templates } = isListed(snapshot) ? snapshot : NOTHING;
    return {
      prompts,
      resources,
      templates,
      texts: {
        tools: canonicalJson(listedTools(snapshot)),
        // Lists of thousands: most changes are of something else.
        prompts: before?.prompts === prompts ? before.texts.prompts : canonicalJson(listedPrompts(snapshot)),
        // MCP "Resources": one word for both lists.
        resources:
          before?.resources === resources && before.templates === templates
            ? before.texts.resources
            : canonicalJson([listedResources(snapshot), listedTemplates(snapshot)]),
      },
    };
  }
}

/** What clients see now, and what it was made of. */
interface Seen {
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly texts: Readonly<Record<ListKind, string>>;
}

const NOTHING: Pick<Seen, 'prompts' | 'resources' | 'templates'> = { prompts: [], resources: [], templates: [] };
const LIST_KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources'];
