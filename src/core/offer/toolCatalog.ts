import type { CancellationToken } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import type { HostError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import type { Tool } from '../model/catalog.ts';
import type { Session, SessionFeature } from '../session/session.ts';
import { decodeToolChange, decodeToolPage } from '../wire/tools.ts';
import { CatalogReader } from './catalogReader.ts';

interface ToolCatalogOptions {
  readonly clock: Clock;
  readonly log: Logger;
  listTimeoutMs(): number;
  /** Called with the whole list after each reading. */
  onTools(tools: readonly Tool[]): void;
  /** Called when the list could not be read. */
  onFailed(error: HostError): void;
}

/** The tools of one server. */
export class ToolCatalog implements SessionFeature {
  readonly #reader: CatalogReader<Tool>;

  readonly notifications = {
    'notifications/tools/list_changed': (params: JsonObject): void => this.#reader.changed(decodeToolChange(params)),
  };

  constructor(options: ToolCatalogOptions) {
    this.#reader = new CatalogReader<Tool>(
      {
        noun: 'tools',
        method: 'tools/list',
        capability: 'tools',
        isOptional: false,
        key: ({ name }) => name,
        decode: decodeToolPage,
      },
      {
        clock: options.clock,
        log: options.log,
        listTimeoutMs: () => options.listTimeoutMs(),
        onItems: (tools) => options.onTools(tools),
        onFailed: (error) => options.onFailed(error),
      },
    );
  }

  started(session: Session): Disposable {
    return this.#reader.started(session);
  }

  /** The current tools, not older than the server allows. Rejects with a `HostError`. */
  fresh(token?: CancellationToken): Promise<readonly Tool[]> {
    return this.#reader.fresh(token);
  }

  /** The list may be out of date. */
  changed(): void {
    this.#reader.changed();
  }

  /** Reads the list again in any case. */
  reread(token?: CancellationToken): Promise<readonly Tool[]> {
    return this.#reader.reread(token);
  }
}
