import type { ServerResponse } from 'node:http';
import type { Disposable, JsonObject, Redact } from '../../core/index.ts';
import { cleanJson } from '../http/cleanJson.ts';
import type { Heartbeat } from './heartbeat.ts';

export interface SseStreamOptions {
  /** A sign of life each time: clients give up streams that are silent for minutes. */
  readonly heartbeat: Heartbeat;
  /** Bytes that may wait for a client that reads slowly. */
  readonly backlogBytes: number;
  /** Takes secrets out of the text of a message. */
  readonly redact: Redact;
}

/**
 * Server-sent events to one client. It is given up when its client takes nothing for a whole keep-alive period, or
 * when it falls too far behind: what waits for it is kept in memory.
 */
export class SseStream {
  readonly #response: ServerResponse;
  readonly #backlogBytes: number;
  readonly #redact: Redact;
  readonly #beats: Disposable;
  #written = 0;
  #taken = 0;
  /** As it was at the last beat. */
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
    // At once, although nothing is known yet: clients time how long headers take.
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

  /** Comes after `end` too, until the last byte is taken. */
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
