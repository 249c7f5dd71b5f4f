import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import type { JsonObject } from '../base/json.ts';
import type { Progress } from '../model/operation.ts';
import type { RequestId } from './messages.ts';
import { progressMessage } from './toolCall.ts';

/** Well within the minute after which common clients give up a call that says nothing. */
const SIGN_MS = 10_000;
/** A power of two, so that sums of it are exact. */
const STEP = 2 ** -20;

/**
 * What a client hears of a call before its answer. While a person is waited for, it hears so again and again: the client
 * cannot know that, and its time-out is meant for servers.
 */
export class CallProgress implements Disposable {
  readonly #token: RequestId | undefined;
  readonly #send: (message: JsonObject) => void;
  readonly #clock: Clock;
  #last: number | undefined;
  #signed = false;
  #timer: Disposable | undefined;
  #isOver = false;

  /** Without a token nothing is told: the client did not ask for it. */
  constructor(token: RequestId | undefined, send: (message: JsonObject) => void, clock: Clock) {
    this.#token = token;
    this.#send = send;
    this.#clock = clock;
  }

  /** What the server, or the host, says of it. */
  report(progress: Progress): void {
    // A client may take progress that does not grow for none (MCP "Progress"): ours in between must not lead to that.
    const value = this.#signed ? Math.max(progress.progress, this.#next()) : progress.progress;
    this.#tell({ ...progress, progress: value });
  }

  /** Whether it waits for a person. */
  wait(waits: boolean): void {
    if (this.#token === undefined || this.#isOver || waits === (this.#timer !== undefined)) return;
    this.#timer?.dispose();
    this.#timer = undefined;
    if (waits) this.#sign();
    // The chat shows what it heard last, and may go on showing a question that was answered elsewhere.
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

  /** Just more than before: it says nothing of how far the call is. */
  #next(): number {
    return this.#last === undefined ? 0 : this.#last + Math.max(1, Math.abs(this.#last)) * STEP;
  }

  #tell(progress: Progress): void {
    if (this.#token === undefined || this.#isOver) return;
    this.#last = progress.progress;
    this.#send(progressMessage(this.#token, progress));
  }
}
