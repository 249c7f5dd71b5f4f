import type { ServerResponse } from 'node:http';
import type { Disposable, JsonObject, Redact } from '../../core/index.ts';
import { cleanJson } from './cleanJson.ts';
import type { Heartbeat } from './heartbeat.ts';

interface SseStreamOptions {
  /** Sends keep-alive messages, because clients close streams that are silent for minutes. */
  readonly heartbeat: Heartbeat;
  /** Maximum bytes waiting for a slow client. */
  readonly backlogBytes: number;
  /** Removes secrets from a message's text. */
  readonly redact: Redact;
}

/**
 * Server-sent events to one client. Closed if the client reads nothing for a keep-alive period, or falls too far
 * behind, because unsent data stays in memory.
 */
export class SseStream {
  readonly #response: ServerResponse;
  readonly #backlogBytes: number;
  readonly #redact: Redact;
  readonly #beats: Disposable;
  #written = 0;
  #taken = 0;
  /** The value at the last beat. */
  #takenBefore: number | undefined;
  #ended = false;

  constructor(
    response: ServerResponse,
    { heartbeat, backlogBytes, redact }: SseStreamOptions,
    onClose: () => void = () => undefined,
  ) {
    this.#response = response;
    this.#backlogBytes = backlogBytes;
    this.#redact = redact;
    response.on('error', () => undefined);
    response.once('close', () => {
      this.#ended = true;
      this.#beats.dispose();
      onClose();
    });
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
    });
    // At once, because clients time out on headers.
    response.flushHeaders();
    this.#beats = heartbeat.add(() => this.#beat());
  }

  send(message: JsonObject): void {
    if (this.#ended) return;
    if (this.#response.writableLength > this.#backlogBytes) {
      this.#response.destroy();
      return;
    }
    this.#write(`event: message\ndata: ${cleanJson(message, this.#redact)}\n\n`);
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

  /** Also runs after `end`, until all bytes were sent. */
  #beat(): void {
    const waits = this.#taken < this.#written;
    if (waits && this.#taken === this.#takenBefore) {
      this.#response.destroy();
      return;
    }
    this.#takenBefore = this.#taken;
    if (!waits && !this.#ended) this.#write(': keep-alive\n\n');
  }
}
