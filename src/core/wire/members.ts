import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';

/** The result of decoding a value from a peer. */
export type Decoded<T> = { readonly kind: 'ok'; readonly value: T } | NotInRevision | Invalid;

/** MCP has the method, but not in this connection's revision. */
interface NotInRevision {
  readonly kind: 'notInRevision';
}

interface Invalid {
  readonly kind: 'invalid';
  /** The end of a sentence: "the answer holds no list of tools". */
  readonly why: string;
}

export const NOT_IN_REVISION: NotInRevision = { kind: 'notInRevision' };

export function ok<T>(value: T): Decoded<T> {
  return { kind: 'ok', value };
}

export function invalid(why: string): Invalid {
  return { kind: 'invalid', why };
}

/** Readers of single members. They return `undefined` for values of another type. */
export function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A finite number. JSON allows 1e999, which is infinite. */
export function number(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A number of milliseconds, bytes or items: never negative. */
export function count(value: Json | undefined): number | undefined {
  const found = number(value);
  return found === undefined || found < 0 ? undefined : found;
}

export function object(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function list(value: Json | undefined): readonly Json[] {
  return isJsonArray(value) ? value : [];
}

/** The texts in a list. Skips other items. */
export function texts(value: Json | undefined): readonly string[] {
  return list(value).filter((item) => typeof item === 'string');
}

export function isId(value: Json | undefined): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** A member of `_meta` with MCP's prefix. */
export function metaOf(value: JsonObject, key: string): Json | undefined {
  return object(value['_meta'])?.[META_PREFIX + key];
}

export const META_PREFIX = 'io.modelcontextprotocol/';

/** The id of the task that a request belongs to (MCP 2025-11-25 "Related task metadata"). */
export function relatedTask(params: JsonObject): string | undefined {
  return text(object(metaOf(params, 'related-task'))?.['taskId']);
}
