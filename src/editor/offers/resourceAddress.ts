import { isJsonArray, type Json, parseJson, type ResourceContents } from '../../core/index.ts';
import { SCHEMES } from '../shared/ids.ts';
import { resourceName } from './resourceName.ts';

/** The address of one part of a resource. */
export interface ResourceAddress {
  readonly server: string;
  readonly uri: string;
  readonly part: number;
}

/** The members of a URI. */
interface FileAddress {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
}

/** `mcpl-resource://server/name`: server and name are for display. The query identifies the resource. */
export function resourceFile(
  { server, uri, part }: ResourceAddress,
  content: Pick<ResourceContents, 'uri' | 'mimeType' | 'kind'>,
): FileAddress {
  const name = resourceName(content.uri === '' ? uri : content.uri, content.mimeType, content.kind === 'text');
  const authority = server.toLowerCase().replace(/[^a-z0-9._-]+/g, '-');
  return { scheme: SCHEMES.resource, authority, path: `/${name}`, query: JSON.stringify([server, uri, part]) };
}

/** Anyone can create such a URI, so invalid ones are ignored. */
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
