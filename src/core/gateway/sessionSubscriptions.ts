import { type Disposable, disposeAll } from '../base/disposable.ts';
import { HostError, RPC, WireError } from '../base/errors.ts';
import type { Host, ResourceWatch } from '../hostTypes.ts';
import { isRunning } from '../model/server.ts';

/** More than any client needs. */
const MOST_WATCHED = 256;

/** One client's resource subscriptions. They end with its session. */
export class SessionSubscriptions implements Disposable {
  readonly #host: Pick<Host, 'server' | 'subscribeResource'>;
  readonly #server: string;
  readonly #tell: (uri: string) => void;
  readonly #watches = new Map<string, ResourceWatch>();
  #isDisposed = false;

  constructor(host: Pick<Host, 'server' | 'subscribeResource'>, server: string, tell: (uri: string) => void) {
    this.#host = host;
    this.#server = server;
    this.#tell = tell;
  }

  get size(): number {
    return this.#watches.size;
  }

  /** Resolves once the server has accepted. A stopped server never would. */
  async subscribe(uri: string): Promise<void> {
    const snapshot = this.#host.server(this.#server);
    if (snapshot === undefined || !isRunning(snapshot.state))
      throw new HostError('SERVER_NOT_RUNNING', `The server "${this.#server}" is not running.`, { layer: 'host' });
    if (this.#isDisposed) throw new WireError(RPC.invalidRequest, 'This session has ended.');
    const known = this.#watches.get(uri);
    if (known === undefined && this.#watches.size >= MOST_WATCHED)
      throw new WireError(RPC.invalidRequest, `More than ${MOST_WATCHED} resources are subscribed to.`);
    const watch = known ?? this.#host.subscribeResource(this.#server, uri, this.#tell);
    this.#watches.set(uri, watch);
    try {
      await watch.agreed;
    } catch (error) {
      // A newer subscription of the same client may have replaced it.
      if (this.#watches.get(uri) === watch) this.unsubscribe(uri);
      throw error;
    }
  }

  unsubscribe(uri: string): void {
    const watch = this.#watches.get(uri);
    this.#watches.delete(uri);
    watch?.dispose();
  }

  dispose(): void {
    this.#isDisposed = true;
    const watches = [...this.#watches.values()];
    this.#watches.clear();
    disposeAll(watches);
  }
}
