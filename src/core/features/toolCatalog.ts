import { CancellationSource, type CancellationToken } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { type Disposable, toDisposable } from '../base/disposable.ts';
import { type HostError, isHostError, RPC, toHostError } from '../base/errors.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import type { Tool } from '../model/catalog.ts';
import type { Session, SessionFeature } from '../session/session.ts';
import { decodeToolPage } from '../wire/tools.ts';

export interface ToolCatalogOptions {
  readonly clock: Clock;
  readonly log: Logger;
  listTimeoutMs(): number;
  /** Called with the whole list whenever it has been read again. */
  onTools(tools: readonly Tool[]): void;
  /** Called when the list could not be read. */
  onFailed(error: HostError): void;
}

/** Servers announce a change several times in a row, five of them right after the start. */
const DEBOUNCE_MS = 200;
const MAX_PAGES = 1_000;
const MAX_TOOLS = 20_000;
/** Of all tools of one server, as JSON. */
const MAX_CHARACTERS = 64_000_000;

/** Keeps the list of one server's tools as the server has it. */
export class ToolCatalog implements SessionFeature {
  readonly #options: ToolCatalogOptions;
  #reader: CatalogReader | undefined;

  readonly notifications = {
    'notifications/tools/list_changed': (): void => this.#reader?.changed(),
  };

  constructor(options: ToolCatalogOptions) {
    this.#options = options;
  }

  started(session: Session): Disposable {
    const reader = new CatalogReader(session, this.#options);
    this.#reader = reader;
    // MCP "Capabilities": a server without `tools` is never asked for them.
    if (isJsonObject(session.handshake.capabilities['tools'])) void reader.read();
    else this.#options.onTools([]);
    return toDisposable(() => {
      if (this.#reader === reader) this.#reader = undefined;
      reader.end();
    });
  }
}

/** Reads the list on one connection: never twice at once, and once more when it changed meanwhile. */
class CatalogReader {
  readonly #session: Session;
  readonly #options: ToolCatalogOptions;
  readonly #ended = new CancellationSource();
  #reading = false;
  #stale = false;
  #timer: Disposable | undefined;

  constructor(session: Session, options: ToolCatalogOptions) {
    this.#session = session;
    this.#options = options;
  }

  changed(): void {
    if (this.#ended.isCancelled || !isJsonObject(this.#session.handshake.capabilities['tools'])) return;
    if (this.#reading) {
      this.#stale = true;
      return;
    }
    this.#timer ??= this.#options.clock.delay(DEBOUNCE_MS, () => {
      this.#timer = undefined;
      void this.read();
    });
  }

  async read(): Promise<void> {
    this.#reading = true;
    this.#stale = false;
    try {
      const tools = await this.#readAll();
      if (!this.#ended.isCancelled) this.#options.onTools(tools);
    } catch (error) {
      if (!this.#ended.isCancelled && !isHostError(error, 'CONNECTION_CLOSED')) this.#fail(toHostError(error));
    } finally {
      this.#reading = false;
    }
    if (this.#stale) this.changed();
  }

  end(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#ended.cancel();
  }

  #fail(error: HostError): void {
    this.#options.log.log('error', `The list of tools could not be read: ${error.message}`);
    this.#options.onFailed(error);
  }

  async #readAll(): Promise<readonly Tool[]> {
    const { token } = this.#ended;
    try {
      return await this.#readPages(token);
    } catch (error) {
      // MCP "Pagination": a cursor that is no longer valid (-32602). The list is read once more from its beginning.
      if (!isHostError(error, 'REMOTE_ERROR') || error.rpcCode !== RPC.invalidParams) throw error;
      return this.#readPages(token);
    }
  }

  async #readPages(token: CancellationToken): Promise<readonly Tool[]> {
    const byName = new Map<string, Tool>();
    const seen = new Set<string>();
    let cursor: string | undefined;
    let size = 0;
    do {
      const params: JsonObject = cursor === undefined ? {} : { cursor };
      const result = await this.#session.request('tools/list', params, {
        timeoutMs: this.#options.listTimeoutMs(),
        token,
      });
      const page = decodeToolPage(result);
      for (const tool of page.tools) byName.set(tool.name, tool);
      for (const reason of page.rejected) this.#options.log.log('warn', `Left out of the tools: ${reason}.`);
      size += page.size;
      cursor = this.#follow(page.nextCursor, seen, byName.size, size);
    } while (cursor !== undefined);
    return [...byName.values()];
  }

  /** The cursor to go on with, unless the server leads in a circle or without end. */
  #follow(cursor: string | undefined, seen: Set<string>, count: number, size: number): string | undefined {
    if (cursor === undefined) return undefined;
    const isWithin = seen.size < MAX_PAGES && count < MAX_TOOLS && size < MAX_CHARACTERS;
    if (isWithin && !seen.has(cursor)) {
      seen.add(cursor);
      return cursor;
    }
    this.#options.log.log('warn', `The list of tools has no end; it was cut after ${count} tools.`);
    return undefined;
  }
}
