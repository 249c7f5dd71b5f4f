import type { ServerResponse } from 'node:http';
import type { Clock, Disposable, JsonObject } from '../core/index.ts';

export interface SseStreamOptions {
  readonly clock: Clock;
  /** Between two signs of life: clients give up streams that are silent for minutes. */
  readonly keepAliveMs: number;
  /** Bytes that may wait for a client that reads slowly. */
  readonly backlogBytes: number;
}

/**
 * Server-sent events to one client. It is given up when its client takes nothing for a whole keep-alive period, or
 * when it falls too far behind: what waits for it is kept in memory.
 */
export class SseStream {
  readonly #response: ServerResponse;
  readonly #options: SseStreamOptions;
  #timer: Disposable | undefined;
  #written = 0;
  #taken = 0;
  #ended = false;

  constructor(response: ServerResponse, options: SseStreamOptions, onClose: () => void = () => undefined) {
    this.#response = response;
    this.#options = options;
    response.on('error', () => undefined);
    response.once('close', () => {
      this.#ended = true;
      this.#timer?.dispose();
      onClose();
    });
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
    });
    // At once, although nothing is known yet: clients time how long headers take.
    response.flushHeaders();
    this.#watch();
  }

  send(message: JsonObject): void {
    if (this.#ended) return;
    if (this.#response.writableLength > this.#options.backlogBytes) {
      this.#response.destroy();
      return;
    }
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#response.end();
  }

  #write(text: string): void {
    this.#written++;
    this.#response.write(text, () => this.#taken++);
  }

  /** Goes on after `end`, until the last byte is taken. */
  #watch(): void {
    const taken = this.#taken;
    this.#timer = this.#options.clock.delay(this.#options.keepAliveMs, () => {
      const waits = this.#taken < this.#written;
      if (waits && this.#taken === taken) {
        this.#response.destroy();
        return;
      }
      if (!waits && !this.#ended) this.#write(': keep-alive\n\n');
      this.#watch();
    });
  }
}
