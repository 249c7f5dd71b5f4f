import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import type { JsonObject } from '../base/json.ts';
import type { Progress } from '../model/operation.ts';
import type { RequestId } from './gatewayMessages.ts';
import { progressMessage } from './toolCall.ts';

/** Common clients time out calls after a minute of silence. */
const SIGN_MS = 10_000;
/** A power of two, so that sums are exact. */
const STEP = 2 ** -20;

/**
 * Progress notifications of one call. During an approval, they are repeated so that the client does not time out: its
 * timeout is meant for servers.
 */
export class CallProgress implements Disposable {
  readonly #token: RequestId | undefined;
  readonly #send: (message: JsonObject) => void;
  readonly #clock: Clock;
  #last: number | undefined;
  #signed = false;
  #timer: Disposable | undefined;
  #isOver = false;

  /** Without a token the client did not request progress, so nothing is sent. */
  constructor(token: RequestId | undefined, send: (message: JsonObject) => void, clock: Clock) {
    this.#token = token;
    this.#send = send;
    this.#clock = clock;
  }

  /** Reports progress from the server or the host. */
  report(progress: Progress): void {
    // Clients may ignore progress that does not increase (MCP "Progress"), so stay above the values sent in between.
    const value = this.#signed ? Math.max(progress.progress, this.#next()) : progress.progress;
    this.#tell({ ...progress, progress: value });
  }

  /** Sets whether the call waits for the user. */
  wait(waits: boolean): void {
    if (this.#token === undefined || this.#isOver || waits === (this.#timer !== undefined)) return;
    this.#timer?.dispose();
    this.#timer = undefined;
    if (waits) this.#sign();
    // The chat shows the last message, which may still be a question that was answered elsewhere.
    else this.#tell({ progress: this.#next(), total: undefined, message: 'The approval is decided' });
  }

  dispose(): void {
    this.#isOver = true;
    this.#timer?.dispose();
  }

  #sign(): void {
    this.#signed = true;
    this.#tell({ progress: this.#next(), total: undefined, message: 'Waiting for approval' });
    this.#timer = this.#clock.delay(SIGN_MS, () => this.#sign());
  }

  /** A minimal increase, which does not suggest real progress. */
  #next(): number {
    return this.#last === undefined ? 0 : this.#last + Math.max(1, Math.abs(this.#last)) * STEP;
  }

  #tell(progress: Progress): void {
    if (this.#token === undefined || this.#isOver) return;
    this.#last = progress.progress;
    this.#send(progressMessage(this.#token, progress));
  }
}
