import { HostError } from '../base/errors.ts';
import {
  clip,
  isDeeperThan,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
  SHALLOW_LENGTH,
} from '../base/json.ts';
import { leaveUnread, type MemberPath } from '../base/unreadJson.ts';
import { ByteList, freeBytes } from './byteList.ts';
import { type DecodeUtf8, decodeWithTextDecoder } from './decodeUtf8.ts';
import { SNIFFED_HEAD, SNIFFED_TAIL, sniffEnvelope } from './envelopeSniff.ts';
import type { DroppedMessage } from './transport.ts';
import { type LiftedValue, LONG_MESSAGE, ValueLifter } from './valueLifter.ts';

const DEFAULT_LINE_CAP = 64 * 1024 * 1024;
const NOISE_CLIP = 500;
const NEWLINE = 0x0a;
const MAX_HEADER_LINES = 20;
/** From this size on, messages are long and their buffer is worth keeping. */
const LONG = 1024 * 1024;
/** Matches the start of an array, but not `[10:42:05] ready`. */
const ARRAY = /^\[\s*(?:[[{\]"]|(?:-?\d[\d.eE+-]*|true|false|null)\s*[,\]])/;
const CONTENT_LENGTH = /^content-length\s*:\s*(\d{1,15})\s*$/i;

interface FramingOptions {
  /** Maximum size of a message in bytes. */
  readonly lineCap?: number | undefined;
  /** A platform decoder that is faster than `TextDecoder` for short texts. */
  readonly decode?: DecodeUtf8 | undefined;
  /** Receives the buffer of a long message. While the caller keeps it alive, the next one is read into it. */
  readonly onLong?: ((memory: Uint8Array) => void) | undefined;
  /** Called for a line that is no message: a log line on stdout, or invalid JSON. */
  readonly onNoise: (line: string, why: string) => void;
  readonly onDropped: (dropped: DroppedMessage) => void;
}

/** A message above the limit. Its rest is discarded as it arrives. */
interface Oversized {
  readonly head: string;
  tail: Uint8Array;
  reported: boolean;
}

/**
 * Splits a byte stream into messages: one JSON text per line, or `Content-Length` framing if a server uses it. Bytes
 * are pushed and messages pulled, so that the caller can stop between two messages.
 */
export class MessageFramer {
  readonly #options: FramingOptions;
  readonly #cap: number;
  readonly #decode: DecodeUtf8;
  readonly #partial = new ByteList();
  #unread: readonly MemberPath[] = [];
  #lifter: ValueLifter | undefined;
  /** Values lifted from the text that is parsed next. */
  #lifted: readonly LiftedValue[] = [];
  #chunks: Uint8Array[] = [];
  #next = 0;
  #offset = 0;
  #batch: readonly Json[] = [];
  #batchAt = 0;
  #oversized: Oversized | undefined;
  /** The announced length, while reading header lines. */
  #announced: number | undefined;
  #headerLines = 0;
  /** Missing bytes of a body. `undefined` while reading lines. */
  #bodyLeft: number | undefined;
  #ended = false;

  constructor(options: FramingOptions) {
    this.#options = options;
    this.#cap = options.lineCap ?? DEFAULT_LINE_CAP;
    this.#decode = options.decode ?? decodeWithTextDecoder();
  }

  push(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#chunks.push(chunk);
  }

  /** From the next long message on, leaves the values at these paths as text (`base/unreadJson.ts`). */
  leaveUnread(paths: readonly MemberPath[]): void {
    this.#unread = paths;
  }

  /** The stream ended: the rest without a newline counts as a line. */
  end(): void {
    this.#ended = true;
  }

  /** Delivers messages until none is left or the time is up. Returns whether there may be more. */
  drain(deliver: (message: JsonObject) => void, timeIsUp: () => boolean): boolean {
    for (;;) {
      if (!this.#deliverNext(deliver)) return false;
      // Checked only if there is more, because reading a clock has a cost. Also after noise, because log lines can
      // flood too.
      if (this.#mayHaveMore && timeIsUp()) return true;
    }
  }

  get #mayHaveMore(): boolean {
    return this.#batchAt < this.#batch.length || this.#next < this.#chunks.length || this.#ended;
  }

  /** Takes the next line or batch member, whether message or noise. Returns false if there is none. */
  #deliverNext(deliver: (message: JsonObject) => void): boolean {
    if (this.#batchAt < this.#batch.length) {
      const member = this.#batch[this.#batchAt++];
      if (isJsonObject(member)) deliver(member);
      else this.#noise(JSON.stringify(member), 'a batch member that is no message');
      return true;
    }
    const text = this.#nextText();
    if (text === undefined) return false;
    const message = this.#parse(text);
    if (message !== undefined) deliver(message);
    else if (this.#batchAt < this.#batch.length) return this.#deliverNext(deliver);
    return true;
  }

  /** The text of the next line or body. `undefined` if more bytes are needed. */
  #nextText(): string | undefined {
    for (;;) {
      const chunk = this.#chunks[this.#next];
      if (chunk === undefined) {
        this.#chunks = [];
        this.#next = 0;
        return this.#ended ? this.#lastText() : undefined;
      }
      const start = this.#offset;
      const newline = this.#bodyLeft === undefined ? chunk.indexOf(NEWLINE, start) : -1;
      const end = this.#unitEnd(chunk, start, newline);
      const isComplete = this.#bodyLeft === undefined ? newline !== -1 : end - start === this.#bodyLeft;
      const text = this.#take(chunk, start, end, isComplete);
      if (this.#bodyLeft !== undefined) this.#bodyLeft = isComplete ? undefined : this.#bodyLeft - (end - start);
      this.#offset = newline === -1 ? end : end + 1;
      if (this.#offset >= chunk.length) {
        this.#next++;
        this.#offset = 0;
        // The whole chunk is discarded, and an endless line has many of them.
        if (this.#oversized !== undefined && start === 0) freeBytes(chunk);
      }
      if (text !== undefined) return text;
    }
  }

  #unitEnd(chunk: Uint8Array, start: number, newline: number): number {
    if (this.#bodyLeft !== undefined) return Math.min(chunk.length, start + this.#bodyLeft);
    return newline === -1 ? chunk.length : newline;
  }

  /** Adds a piece to the current message. Returns its text if it is complete and not too large. */
  #take(chunk: Uint8Array, start: number, end: number, isComplete: boolean): string | undefined {
    const size = (this.#lifter ?? this.#partial).size + (end - start);
    if (this.#oversized === undefined && size > this.#cap) {
      (this.#lifter?.rest ?? this.#partial).append(chunk, start, end);
      this.#oversized = this.#startDropping(chunk);
    } else if (this.#oversized !== undefined) {
      this.#oversized.tail = lastBytes(this.#oversized.tail, chunk.subarray(start, end));
    } else if (size >= LONG_MESSAGE && this.#unread.length > 0) this.#lift(chunk, start, end);
    else if (isComplete && this.#partial.size === 0) return this.#decode(chunk, start, end);
    else this.#partial.append(chunk, start, end);
    return isComplete ? this.#completePartial(chunk) : undefined;
  }

  #lift(chunk: Uint8Array, start: number, end: number): void {
    if (this.#lifter === undefined) {
      this.#lifter = new ValueLifter(this.#unread, this.#decode);
      const before = this.#partial.join();
      this.#partial.clear();
      this.#lifter.take(before, 0, before.length);
    }
    this.#lifter.take(chunk, start, end);
  }

  #completePartial(chunk: Uint8Array): string | undefined {
    if (this.#oversized !== undefined) {
      this.#reportOversized(this.#oversized, true);
      this.#oversized = undefined;
      return undefined;
    }
    if (this.#lifter !== undefined) {
      const { text, values } = this.#lifter.finish();
      this.#lifter = undefined;
      this.#lifted = values;
      return text;
    }
    const bytes = this.#partial.join();
    this.#partial.free(chunk, bytes);
    if (bytes.length >= LONG) this.#options.onLong?.(bytes);
    return this.#decode(bytes, 0, bytes.length);
  }

  #lastText(): string | undefined {
    this.#bodyLeft = undefined;
    if (this.#oversized === undefined && (this.#lifter ?? this.#partial).size === 0) return undefined;
    return this.#completePartial(NOTHING);
  }

  #startDropping(chunk: Uint8Array): Oversized {
    const bytes = this.#lifter?.rest ?? this.#partial;
    const head = bytes.head(SNIFFED_HEAD);
    const oversized: Oversized = {
      head: this.#decode(head, 0, head.length),
      tail: bytes.tail(SNIFFED_TAIL),
      reported: false,
    };
    bytes.free(chunk);
    this.#lifter = undefined;
    // Reports the id now if the start contains it, because the end may never come.
    this.#reportOversized(oversized, false);
    return oversized;
  }

  #reportOversized(oversized: Oversized, isComplete: boolean): void {
    if (oversized.reported) return;
    const tail = isComplete ? this.#decode(oversized.tail, 0, oversized.tail.length) : '';
    const { id, isRequest } = sniffEnvelope(oversized.head, tail);
    if (id === undefined && !isComplete) return;
    oversized.reported = true;
    this.#options.onDropped({ id, isRequest, error: tooLarge(this.#cap) });
  }

  #parse(line: string): JsonObject | undefined {
    const lifted = this.#lifted;
    if (lifted.length > 0) this.#lifted = [];
    let text = line;
    // Nearly every line starts with a brace, so other cases are checked only if it does not.
    if (line.charCodeAt(0) !== 0x7b) {
      text = line.replace(/^[\uFEFF\s]+/, '').trimEnd();
      if (!this.#mayBeMessage(text)) return undefined;
    }
    this.#announced = undefined;
    let value: Json;
    try {
      value = parseJson(text);
    } catch {
      this.#noise(text, 'not JSON');
      return undefined;
    }
    if (line.length > SHALLOW_LENGTH && isDeeperThan(value)) {
      this.#dropDeep(value);
      return undefined;
    }
    if (isJsonObject(value)) {
      for (const { path, text: unread } of lifted) leaveUnread(value, path, unread);
      return value;
    }
    if (!isJsonArray(value) || value.length === 0) {
      this.#noise(text, 'JSON, but no message');
      return undefined;
    }
    this.#batch = value;
    this.#batchAt = 0;
    return undefined;
  }

  /** Whether a trimmed line can be a message. Consumes header lines. */
  #mayBeMessage(text: string): boolean {
    const first = text.charCodeAt(0);
    // `[info] ready` is a common log format. Parsing it would cost an error with its stack and a copy of the text.
    if (first === 0x7b || (first === 0x5b && ARRAY.test(text))) return true;
    if (this.#announced !== undefined) {
      if (text === '') {
        this.#bodyLeft = this.#announced === 0 ? undefined : this.#announced;
        this.#announced = undefined;
        return false;
      }
      if (++this.#headerLines < MAX_HEADER_LINES) return false;
      this.#announced = undefined;
    }
    if (text === '') return false;
    const length = CONTENT_LENGTH.exec(text)?.[1];
    if (length === undefined) this.#noise(text, 'not a message');
    else {
      this.#announced = Number(length);
      this.#headerLines = 0;
    }
    return false;
  }

  #dropDeep(value: Json): void {
    const members = isJsonObject(value) ? [value] : isJsonArray(value) ? value : [];
    for (const member of members) {
      if (!isJsonObject(member)) continue;
      const { id, method } = member;
      const known = typeof id === 'number' || typeof id === 'string' ? id : undefined;
      this.#options.onDropped({ id: known, isRequest: method !== undefined, error: tooDeep() });
    }
  }

  #noise(text: string, why: string): void {
    this.#options.onNoise(clip(text, NOISE_CLIP), why);
  }
}

function tooLarge(cap: number): HostError {
  return new HostError('MESSAGE_TOO_LARGE', `The server sent a message of more than ${megabytes(cap)}.`, {
    layer: 'transport',
    effect: 'unknown',
    suggestion: 'Ask for less at once, or raise the limit in the settings.',
  });
}

function tooDeep(): HostError {
  return new HostError('INVALID_MESSAGE', 'The server sent a message that nests more than 512 levels deep.', {
    layer: 'protocol',
    effect: 'unknown',
    suggestion: 'Report this to the author of the server.',
  });
}

function megabytes(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024 / 1024)} MB`;
}

const NOTHING = new Uint8Array(0);

function lastBytes(before: Uint8Array, added: Uint8Array): Uint8Array {
  // A copy, because the original buffer may be freed.
  if (added.length >= SNIFFED_TAIL) return new Uint8Array(added.subarray(-SNIFFED_TAIL));
  const kept = before.subarray(Math.max(0, before.length + added.length - SNIFFED_TAIL));
  const joined = new Uint8Array(kept.length + added.length);
  joined.set(kept);
  joined.set(added, kept.length);
  return joined;
}
