import type { IncomingMessage } from 'node:http';
import { isDeeperThan, type Json, sniffEnvelope } from '../../core/index.ts';
import { readJson } from '../http/httpBody.ts';

export type RequestBody =
  | { readonly kind: 'json'; readonly value: Json }
  | { readonly kind: 'notJson' }
  /** `id` is the id of the request, if the start of the body contains it. */
  | { readonly kind: 'tooLarge'; readonly id: string | number | undefined }
  | { readonly kind: 'tooDeep' }
  /** The client disconnected. */
  | { readonly kind: 'aborted' };

const SNIFFED = 4096;

/** Reads a body of at most `limit` bytes. */
export async function readBody(request: IncomingMessage, limit: number): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) continue;
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) return { kind: 'tooLarge', id: idOf(chunks) };
    }
  } catch {
    return { kind: 'aborted' };
  }
  return parse(Buffer.concat(chunks, size).toString('utf8'));
}

function parse(text: string): RequestBody {
  const value = readJson(text);
  if (value === undefined) return { kind: 'notJson' };
  return isDeeperThan(value) ? { kind: 'tooDeep' } : { kind: 'json', value };
}

function idOf(chunks: readonly Buffer[]): string | number | undefined {
  const head = Buffer.concat(chunks.slice(0, 8)).subarray(0, SNIFFED).toString('utf8');
  return sniffEnvelope(head, '').id;
}
