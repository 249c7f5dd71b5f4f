import type { IncomingMessage } from 'node:http';
import {
  HostError,
  isDeeperThan,
  isJsonArray,
  isJsonObject,
  type Json,
  leaveUnread,
  type LiftedMessage,
  parseJson,
  type SseHandlers,
  SseParser,
} from '../../core/index.ts';

/** Shorter texts cannot nest too deeply. */
const SHALLOW_LENGTH = 1024;

/** The media type of a reply, without parameters. */
export function contentType(response: IncomingMessage): string {
  const [type = ''] = (response.headers['content-type'] ?? '').split(';', 1);
  return type.trim().toLowerCase();
}

export async function readText(response: IncomingMessage, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}

/** The start of a body, for display only. */
export async function readBeginning(response: IncomingMessage, limit: number): Promise<string> {
  let text = '';
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      text += String(chunk);
      if (text.length > limit) break;
    }
  } catch {
    // The received part is more useful than the error.
  }
  return text;
}

/** Passes a stream's events to `handlers` until it ends. Rejects if it breaks. */
export async function readEvents(
  response: IncomingMessage,
  maxEvent: number,
  handlers: SseHandlers,
  onPosition: (lastEventId: string) => void,
): Promise<void> {
  const parser = new SseParser(handlers, maxEvent);
  const decoder = new TextDecoder();
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) continue;
    parser.push(decoder.decode(chunk, { stream: true }));
    if (parser.lastEventId !== '') onPosition(parser.lastEventId);
  }
}

/** Parses the messages in a JSON text. Returns `undefined` for invalid JSON, and throws if it nests too deep. */
export function parseMessages(content: string | LiftedMessage): readonly Json[] | undefined {
  const { text, values } = typeof content === 'string' ? { text: content, values: [] } : content;
  const value = readJson(text);
  if (value === undefined) return undefined;
  if (text.length > SHALLOW_LENGTH && isDeeperThan(value))
    throw new HostError('INVALID_MESSAGE', 'The server sent a message that nests too deep.', {
      layer: 'protocol',
      suggestion: 'Report this to the author of the server.',
    });
  if (isJsonObject(value)) for (const { path, text: unread } of values) leaveUnread(value, path, unread);
  return isJsonArray(value) ? value : [value];
}

/** Returns `undefined` for invalid JSON. */
export function readJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function tooLarge(limit: number): HostError {
  return new HostError(
    'MESSAGE_TOO_LARGE',
    `The server sent more than ${Math.floor(limit / 1024 / 1024)} MB at once.`,
    {
      layer: 'transport',
      suggestion: 'Ask for less at once.',
    },
  );
}
