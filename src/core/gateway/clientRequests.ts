import { Deferred, ignoreFailure } from '../base/async.ts';
import { CancellationSource, type CancellationToken } from '../base/cancellation.ts';
import type { Disposable } from '../base/disposable.ts';
import type { WireError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { Ids } from '../ports.ts';
import { notificationMessage, type RequestId, requestMessage } from './gatewayMessages.ts';

type SendToClient = (message: JsonObject) => void;

/** A place where a client can be asked. */
export interface ClientLocation {
  /** Rejects with the client's `WireError`. Resolves with `undefined` if no answer can come. */
  ask(method: string, params: JsonObject, token: CancellationToken): Promise<JsonObject | undefined>;
}

/** More than a user can answer. */
const MAX_OPEN = 16;

/** Open requests to one client. */
export class ClientRequests implements Disposable {
  readonly #ids: Pick<Ids, 'uuid'>;
  readonly #open = new Map<RequestId, Deferred<JsonObject | undefined>>();

  constructor(ids: Pick<Ids, 'uuid'>) {
    this.#ids = ids;
  }

  /** Cancelling the token cancels the request. */
  async ask(
    send: SendToClient,
    method: string,
    params: JsonObject,
    token: CancellationToken,
  ): Promise<JsonObject | undefined> {
    if (token.isCancellationRequested || this.#open.size >= MAX_OPEN) return undefined;
    // A UUID instead of a number: a client could confuse the id of a cancelled request with its own.
    const id = this.#ids.uuid();
    const answered = new Deferred<JsonObject | undefined>();
    ignoreFailure(answered.promise);
    this.#open.set(id, answered);
    const takesBack = token.onCancellationRequested(() => {
      if (!this.#open.delete(id)) return;
      send(
        notificationMessage('notifications/cancelled', { requestId: id, reason: 'It waits for no answer any more.' }),
      );
      answered.resolve(undefined);
    });
    send(requestMessage(id, method, params));
    try {
      return await answered.promise;
    } finally {
      takesBack.dispose();
      this.#open.delete(id);
    }
  }

  /** Ignores an answer that matches no open request. */
  answer(id: RequestId | undefined, result: JsonObject | undefined, error: WireError | undefined): void {
    const answered = id === undefined ? undefined : this.#open.get(id);
    if (id === undefined || answered === undefined) return;
    this.#open.delete(id);
    if (error === undefined) answered.resolve(result);
    else answered.reject(error);
  }

  dispose(): void {
    for (const answered of this.#open.values()) answered.resolve(undefined);
    this.#open.clear();
  }
}

/** A client's tool call. Its stream can carry requests until the call ends. */
export class CallLocation implements ClientLocation, Disposable {
  readonly conversation: string | undefined;
  readonly #requests: ClientRequests;
  readonly #send: SendToClient;
  readonly #asked = new Set<CancellationSource>();

  constructor(conversation: string | undefined, requests: ClientRequests, send: SendToClient) {
    this.conversation = conversation;
    this.#requests = requests;
    this.#send = send;
  }

  async ask(method: string, params: JsonObject, token: CancellationToken): Promise<JsonObject | undefined> {
    const source = new CancellationSource();
    const ends = token.onCancellationRequested(() => source.cancel());
    this.#asked.add(source);
    try {
      return await this.#requests.ask(this.#send, method, params, source.token);
    } finally {
      this.#asked.delete(source);
      ends.dispose();
      source.dispose();
    }
  }

  dispose(): void {
    for (const source of [...this.#asked]) source.cancel();
  }
}
