import type { Disposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { ServerLog } from '../hostTypes.ts';
import type { LogListeners } from './serverLogging.ts';

/** The logs of all servers, by server id. */
export class ServerLogs implements Disposable {
  readonly #logged: Emitter<ServerLog>;

  constructor(onError: (error: unknown) => void) {
    this.#logged = new Emitter<ServerLog>(onError);
  }

  get onDidLog(): Event<ServerLog> {
    return this.#logged.event;
  }

  of(server: string): LogListeners {
    const logged = this.#logged;
    return {
      get hasListeners(): boolean {
        return logged.hasListeners;
      },
      fire: (entry) => logged.fire({ server, ...entry }),
    };
  }

  dispose(): void {
    this.#logged.dispose();
  }
}
