import type { IncomingHttpHeaders } from 'node:http';
import type { HttpHeaders } from './httpRequest.ts';

/** What puts credentials on the requests to one server, and gets them when the server asks. */
export interface Authorizer {
  /** What to put on a request to this address now; nothing where no credentials are there yet. */
  headersFor(request: AuthorizedRequest, signal: AbortSignal): Promise<HttpHeaders>;
  /** Every reply passes here: some carry what the next request needs (a DPoP nonce). */
  replied(reply: AuthReply): void;
  /**
   * The server answered 401, or 403 with a challenge. Resolves true when the request is worth sending again; false
   * when its failure is simply to be told. Rejects with a `HostError` (SIGN_IN_REQUIRED, SIGN_IN_FAILED, CANCELLED)
   * that says what to do. Bounds by itself how often it says true in a row.
   */
  challenged(reply: AuthReply, signal: AbortSignal): Promise<boolean>;
  dispose(): void;
}

export interface AuthorizedRequest {
  readonly method: string;
  readonly url: URL;
  /** What a proof of possession may cover. */
  readonly body?: string | undefined;
}

export interface AuthReply {
  readonly status: number;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  /** The credentials that the request carried: others may be there by now. */
  readonly authorization?: string | undefined;
}
