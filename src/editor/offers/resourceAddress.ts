import { isJsonArray, type Json, parseJson, type ResourceContents } from '../../core/index.ts';
import { SCHEMES } from '../shared/ids.ts';
import { resourceName } from './resourceName.ts';

/** One part of a resource of a server. */
export interface ResourceAddress {
  readonly server: string;
  readonly uri: string;
  readonly part: number;
}

/** A URI by its members. */
export interface FileAddress {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
}

/** `mcpl-resource://server/name`: the server and the name are for people; what counts is in the query. */
export function resourceFile(
  { server, uri, part }: ResourceAddress,
  content: Pick<ResourceContents, 'uri' | 'mimeType' | 'kind'>,
): FileAddress {
  const name = resourceName(content.uri === '' ? uri : content.uri, content.mimeType, content.kind === 'text');
  const authority = server.toLowerCase().replace(/[^a-z0-9._-]+/g, '-');
  return { scheme: SCHEMES.resource, authority, path: `/${name}`, query: JSON.stringify([server, uri, part]) };
}

/** Anybody can write such a URI: what is not understood is no resource. */
export function resourceOfFile({ scheme, query }: Pick<FileAddress, 'scheme' | 'query'>): ResourceAddress | undefined {
  if (scheme !== SCHEMES.resource) return undefined;
  let value: Json;
  try {
    value = parseJson(query);
  } catch {
    return undefined;
  }
  if (!isJsonArray(value)) return undefined;
  const [server, uri, part] = value;
  if (typeof server !== 'string' || typeof uri !== 'string' || typeof part !== 'number') return undefined;
  return { server, uri, part };
}
