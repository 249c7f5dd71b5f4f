import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';

/** Readers of single members: the value where it has the right type, `undefined` for everything else. */
export function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A number that can be reckoned with; JSON may say 1e999. */
export function number(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A number of milliseconds, bytes or things: never negative. */
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

/** The texts in a list, without what is none. */
export function texts(value: Json | undefined): readonly string[] {
  return list(value).filter((item) => typeof item === 'string');
}

export function isId(value: Json | undefined): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** A member of `_meta`, under a key of MCP. */
export function metaOf(value: JsonObject, key: string): Json | undefined {
  return object(value['_meta'])?.[META_PREFIX + key];
}

export const META_PREFIX = 'io.modelcontextprotocol/';

/** The task on whose behalf a request is made (MCP 2025-11-25 "Related task metadata"). */
export function relatedTask(params: JsonObject): string | undefined {
  return text(object(metaOf(params, 'related-task'))?.['taskId']);
}
