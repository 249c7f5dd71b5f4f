import type { IncomingHttpHeaders } from 'node:http';
import type { HttpHeaders } from './httpRequest.ts';

/** Adds credentials to the requests for one server, and gets them when the server asks. */
export interface Authorizer {
  /** The headers for a request to this address. Empty without credentials. */
  headersFor(request: AuthorizedRequest, signal: AbortSignal): Promise<HttpHeaders>;
  /** Call this for each reply, because some contain data for the next request (a DPoP nonce). */
  replied(reply: AuthReply): void;
  /**
   * Handles a 401, or a 403 with a challenge. Resolves with true to repeat the request, or false to report its failure.
   * Rejects with a `HostError` (SIGN_IN_REQUIRED, SIGN_IN_FAILED, CANCELLED) that has a suggestion. Limits the repeats
   * in a row.
   */
  challenged(reply: AuthReply, signal: AbortSignal): Promise<boolean>;
  dispose(): void;
}

export interface AuthorizedRequest {
  readonly method: string;
  readonly url: URL;
  /** The body, which a proof of possession may cover. */
  readonly body?: string | undefined;
}

export interface AuthReply {
  readonly status: number;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  /** The credentials of the request, because newer ones may exist by now. */
  readonly authorization?: string | undefined;
}
