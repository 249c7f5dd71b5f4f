import { HostError } from '../base/errors.ts';

/** One event of a `text/event-stream` (WHATWG HTML, "Server-sent events"). */
export interface SseEvent {
  /** `message` unless the stream names another type. */
  readonly type: string;
  readonly data: string;
}

export interface SseHandlers {
  onEvent(event: SseEvent): void;
  /** Called with the server's delay before reconnecting, in milliseconds. */
  onRetry?(ms: number): void;
}

const NO_BREAK = Number.POSITIVE_INFINITY;

/** Splits a text stream, in pieces of any size, into events. */
export class SseParser {
  readonly #handlers: SseHandlers;
  readonly #maxEvent: number;
  /** The start of an incomplete line, in pieces because joining them each time would be quadratic. */
  #pieces: string[] = [];
  #data: string[] = [];
  /** Characters in `#pieces` and `#data`. */
  #held = 0;
  #type = '';
  #id = '';
  #lastId = '';
  #afterCarriageReturn = false;

  constructor(handlers: SseHandlers, maxEvent: number) {
    this.#handlers = handlers;
    this.#maxEvent = maxEvent;
  }

  /** The id of the last complete event with one, for resuming. '' before the first. */
  get lastEventId(): string {
    return this.#lastId;
  }

  /** Throws a `HostError` if an event exceeds the limit. The parser is then unusable. */
  push(text: string): void {
    if (text === '') return;
    let start = this.#afterCarriageReturn && text.startsWith('\n') ? 1 : 0;
    this.#afterCarriageReturn = false;
    let feed = find(text, '\n', start);
    let carriage = find(text, '\r', start);
    while (feed !== NO_BREAK || carriage !== NO_BREAK) {
      const end = Math.min(feed, carriage);
      this.#endLine(text.slice(start, end));
      start = end + 1;
      if (end === carriage && start === feed) start++;
      this.#afterCarriageReturn = end === carriage && end === text.length - 1;
      // Searches for each kind of line break only after the last one was passed, so that each chunk is scanned once.
      if (feed < start) feed = find(text, '\n', start);
      if (carriage < start) carriage = find(text, '\r', start);
    }
    if (start < text.length) this.#hold(this.#pieces, text.slice(start));
  }

  #hold(list: string[], text: string): void {
    // Counts one more per piece, because a flood of empty lines uses memory too.
    this.#held += text.length + 1;
    if (this.#held > this.#maxEvent)
      throw new HostError('MESSAGE_TOO_LARGE', `An event is longer than ${this.#maxEvent} characters.`, {
        layer: 'transport',
        suggestion: 'Ask the server for less at a time.',
      });
    list.push(text);
  }

  #endLine(rest: string): void {
    const line = this.#pieces.length === 0 ? rest : this.#pieces.join('') + rest;
    for (const piece of this.#pieces) this.#held -= piece.length + 1;
    this.#pieces = [];
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line.charAt(colon + 1) === ' ' ? colon + 2 : colon + 1);
    this.#field(field, value);
  }

  #field(field: string, value: string): void {
    switch (field) {
      case 'data':
        return this.#hold(this.#data, value);
      case 'event':
        this.#type = value;
        return;
      case 'id':
        if (!value.includes('\0')) this.#id = value;
        return;
      case 'retry':
        if (/^\d{1,12}$/.test(value)) this.#handlers.onRetry?.(Number(value));
        return;
      default:
        return;
    }
  }

  #dispatch(): void {
    const data = this.#data.join('\n');
    const type = this.#type === '' ? 'message' : this.#type;
    this.#data = [];
    this.#held = 0;
    this.#type = '';
    this.#lastId = this.#id;
    // An event without data only marks the position.
    if (data !== '') this.#handlers.onEvent({ type, data });
  }
}

function find(text: string, char: string, from: number): number {
  const index = text.indexOf(char, from);
  return index === -1 ? NO_BREAK : index;
}
