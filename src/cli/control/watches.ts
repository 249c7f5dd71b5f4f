import { type Disposable, disposeAll, type Host, type ResourceWatch } from '../../core/index.ts';

/** The driver's resource subscriptions. */
export class Watches implements Disposable {
  readonly #host: Host;
  readonly #tell: (server: string, uri: string) => void;
  readonly #byServer = new Map<string, Map<string, ResourceWatch>>();

  constructor(host: Host, tell: (server: string, uri: string) => void) {
    this.#host = host;
    this.#tell = tell;
  }

  /** Resolves once the server has accepted. Drops a rejected subscription. */
  async add(server: string, uri: string): Promise<void> {
    const watches = this.#byServer.get(server) ?? new Map<string, ResourceWatch>();
    const watch =
      watches.get(uri) ?? this.#host.subscribeResource(server, uri, (changed) => this.#tell(server, changed));
    this.#byServer.set(server, watches.set(uri, watch));
    try {
      await watch.agreed;
    } catch (error) {
      if (watches.get(uri) === watch) watches.delete(uri);
      watch.dispose();
      throw error;
    }
  }

  /** Returns false if there is no subscription. */
  remove(server: string, uri: string): boolean {
    const watches = this.#byServer.get(server);
    watches?.get(uri)?.dispose();
    return watches?.delete(uri) ?? false;
  }

  /** Drops the subscriptions of a server removed from settings. */
  drop(server: string): void {
    const watches = this.#byServer.get(server);
    this.#byServer.delete(server);
    disposeAll(watches?.values() ?? []);
  }

  dispose(): void {
    for (const server of this.#byServer.keys()) this.drop(server);
  }
}
