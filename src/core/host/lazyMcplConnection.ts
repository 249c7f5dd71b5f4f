import type { Tool } from '../model/catalog.ts';
import type { McplSnapshot } from '../model/mcpl.ts';
import type { McplConnection } from '../mcpl/connection.ts';
import type { McplEngine, UnitConnection } from './engine.ts';

interface McplSideOptions extends UnitConnection {
  engine(): Promise<McplEngine>;
}

/** The MCPL side of a server, without loading any MCPL code before the first start. */
export class LazyMcplConnection {
  readonly #options: McplSideOptions;
  #connecting: Promise<McplConnection> | undefined;
  #connection: McplConnection | undefined;

  constructor(options: McplSideOptions) {
    this.#options = options;
  }

  get member(): McplConnection | undefined {
    return this.#connection;
  }

  /** The same object for all connections of the server. */
  connection(): Promise<McplConnection> {
    this.#connecting ??= this.#connect();
    return this.#connecting;
  }

  async #connect(): Promise<McplConnection> {
    try {
      const engine = await this.#options.engine();
      this.#connection = await engine.connection(this.#options);
      return this.#connection;
    } catch (error) {
      this.#connecting = undefined;
      throw error;
    }
  }

  /** The settings have changed. */
  update(): void {
    this.#connection?.update();
  }

  accept(names: readonly string[]): void {
    this.#connection?.accept(names);
  }

  view(tools: readonly Tool[]): McplSnapshot | undefined {
    return this.#connection?.view(tools);
  }
}
