import type { CancellationToken } from '../base/cancellation.ts';
import { cleanLine } from '../base/cleanText.ts';
import type { Clock } from '../base/clock.ts';
import { type Disposable, DisposableStore, toDisposable } from '../base/disposable.ts';
import { HostError, isHostError, RPC } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { Prompt } from '../model/catalog.ts';
import type { PromptResult } from '../model/content.ts';
import type { Session, SessionFeature, SessionRequest } from '../session/session.ts';
import { decodePromptPage, decodePromptResult } from '../wire/prompts.ts';
import { CatalogReader } from './catalogReader.ts';
import { valueOf } from './decodedValue.ts';
import { offering } from './offering.ts';

interface PromptCatalogOptions {
  readonly clock: Clock;
  readonly log: Logger;
  listTimeoutMs(): number;
  /** Called with the whole list after each reading. */
  onPrompts(prompts: readonly Prompt[]): void;
  /** Called when the list could not be read. */
  onFailed(error: HostError): void;
}

/** The prompts of one server. */
export class PromptCatalog implements SessionFeature {
  readonly #reader: CatalogReader<Prompt>;
  #names: ReadonlySet<string> = new Set();
  #session: Session | undefined;

  readonly notifications = {
    'notifications/prompts/list_changed': (): void => this.changed(),
  };

  constructor(options: PromptCatalogOptions) {
    this.#reader = new CatalogReader<Prompt>(
      {
        noun: 'prompts',
        method: 'prompts/list',
        capability: 'prompts',
        isOptional: false,
        key: ({ name }) => name,
        decode: decodePromptPage,
      },
      {
        clock: options.clock,
        log: options.log,
        listTimeoutMs: () => options.listTimeoutMs(),
        onItems: (prompts) => {
          this.#names = new Set(prompts.map(({ name }) => name));
          options.onPrompts(prompts);
        },
        onFailed: (error) => options.onFailed(error),
      },
    );
  }

  started(session: Session): Disposable {
    this.#session = session;
    const store = new DisposableStore();
    store.add(this.#reader.started(session));
    store.add(
      toDisposable(() => {
        if (this.#session === session) this.#session = undefined;
      }),
    );
    return store;
  }

  /** The current prompts, not older than the server allows. Rejects with a `HostError`. */
  fresh(token?: CancellationToken): Promise<readonly Prompt[]> {
    return this.#reader.fresh(token);
  }

  /** The list may be out of date. */
  changed(): void {
    this.#reader.changed();
  }

  /** Reads the list again in any case. */
  reread(token?: CancellationToken): Promise<readonly Prompt[]> {
    return this.#reader.reread(token);
  }

  /** A prompt with its arguments filled in. Rejects with a `HostError`. */
  async get(name: string, args: Readonly<Record<string, string>>, options: SessionRequest): Promise<PromptResult> {
    const session = offering(this.#session, 'prompts');
    // Some servers reject an empty object for a prompt without arguments.
    const params = Object.keys(args).length === 0 ? { name } : { name, arguments: { ...args } };
    try {
      return await session.decoded('prompts/get', params, options, (result) => valueOf(decodePromptResult(result)));
    } catch (error) {
      throw this.#explained(name, error);
    }
  }

  /** MCP "Prompts": the same code means an unknown name or invalid arguments. */
  #explained(name: string, error: unknown): unknown {
    if (!isHostError(error, 'REMOTE_ERROR') || error.rpcCode !== RPC.invalidParams) return error;
    const { rpcCode, data } = error;
    const details = { layer: 'server', rpcCode, data, effect: 'none', cause: error } as const;
    const shown = cleanLine(name, 300);
    if (this.#names.has(name))
      return new HostError('INVALID_ARGUMENTS', `The prompt "${shown}" does not take these: ${error.message}`, {
        ...details,
        suggestion: 'Correct the arguments, then try again.',
      });
    return new HostError('UNKNOWN_PROMPT', `The server has no prompt "${shown}": ${error.message}`, {
      ...details,
      suggestion: 'List its prompts again.',
    });
  }
}
