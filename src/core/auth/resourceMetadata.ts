import { isJsonArray, isJsonObject, type Json } from '../base/json.ts';
import { coversServer } from './address.ts';

/** Metadata of a protected resource (RFC 9728). */
export interface ResourceMetadata {
  /** Exactly as published, because authorization servers may compare it exactly. */
  readonly resource: string;
  /** At least one, in the server's order and exact spelling. */
  readonly issuers: readonly string[];
  readonly scopes: readonly string[] | undefined;
  readonly demandsProof: boolean;
}

export type DecodedMetadata<T> = { readonly value: T } | { readonly problem: string };

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const MAX_ISSUERS = 8;
const MAX_SCOPES = 200;

/**
 * Candidate addresses of a server's metadata, in the order to try (MCP 2025-11-25, "Authorization Server Location").
 */
export function resourceMetadataUrls(server: URL, named: string | undefined): readonly string[] {
  const path = server.pathname === '/' ? [] : [`${server.origin}${WELL_KNOWN}${server.pathname}`];
  const all = [...(named === undefined ? [] : [named]), ...path, `${server.origin}${WELL_KNOWN}`];
  return [...new Set(all)];
}

/** Whether a document is resource metadata. Some servers answer every path with a page. */
export function isResourceMetadata(document: Json | undefined): boolean {
  return (
    isJsonObject(document) && (document['resource'] !== undefined || document['authorization_servers'] !== undefined)
  );
}

/**
 * Rejects metadata of another resource (RFC 9728 §3.3). Otherwise the host would get a token for a different server.
 */
export function decodeResourceMetadata(document: Json | undefined, server: URL): DecodedMetadata<ResourceMetadata> {
  if (!isJsonObject(document)) return { problem: 'is not a JSON object' };
  const { resource } = document;
  if (typeof resource !== 'string') return { problem: 'names no resource' };
  if (!coversServer(resource, server)) return { problem: `is that of another resource, ${resource}` };
  const issuers = textList(document['authorization_servers'], MAX_ISSUERS) ?? [];
  if (issuers.length === 0) return { problem: 'names no authorization server' };
  return {
    value: {
      resource,
      issuers,
      scopes: textList(document['scopes_supported'], MAX_SCOPES),
      demandsProof: document['dpop_bound_access_tokens_required'] === true,
    },
  };
}

/** The texts in a list. Returns `undefined` if the value is no list. */
export function textList(value: Json | undefined, max: number): readonly string[] | undefined {
  if (!isJsonArray(value)) return undefined;
  return value.filter((item): item is string => typeof item === 'string' && item !== '').slice(0, max);
}
