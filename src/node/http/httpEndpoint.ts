import type { IncomingMessage } from 'node:http';
import { openAuthorized } from './authorizedRequest.ts';
import type { Authorizer } from './authorizer.ts';
import type { FeedPosition, FeedReply } from './eventFeed.ts';
import { contentType } from './httpBody.ts';
import { type HttpHeaders, HttpRequester } from './httpRequest.ts';
import type { RemoteServer } from './remoteServer.ts';

interface EndpointPost {
  readonly body: string;
  readonly session: string | undefined;
  /** Whether to send the negotiated revision. Not with `initialize`, which negotiates it. */
  readonly isNegotiated: boolean;
  /** Additional headers for any server, and those that only this server may see. */
  readonly headers: HttpHeaders | undefined;
  readonly bound: HttpHeaders | undefined;
  readonly signal: AbortSignal;
  readonly onSent: () => void;
  readonly onHeld: (isHeld: boolean) => void;
}

/** A server's endpoint, with the headers of its requests. */
export class HttpEndpoint {
  readonly url: URL;
  /** The version negotiated with `initialize`. */
  version: string | undefined;
  readonly #headers: HttpHeaders;
  readonly #authorizer: Authorizer | undefined;
  readonly #requester: HttpRequester;

  constructor({ url, headers, authorizer, agents }: RemoteServer) {
    this.url = url;
    this.#headers = headers;
    this.#authorizer = authorizer;
    this.#requester = new HttpRequester(agents);
  }

  post({
    body,
    session,
    isNegotiated,
    headers,
    bound,
    signal,
    onSent,
    onHeld,
  }: EndpointPost): Promise<IncomingMessage> {
    return openAuthorized(this.#requester, this.#authorizer, {
      method: 'POST',
      url: this.url,
      headers: {
        ...this.#common('application/json, text/event-stream', isNegotiated),
        ...headers,
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      },
      bound: this.#bound(session, bound),
      body,
      signal,
      onSent,
      onHeld,
    });
  }

  /** Opens a stream for unrequested messages, or for the rest of a reply. */
  async stream({ lastEventId, session }: FeedPosition, signal: AbortSignal): Promise<FeedReply> {
    const response = await openAuthorized(this.#requester, this.#authorizer, {
      method: 'GET',
      url: this.url,
      headers: {
        ...this.#common('text/event-stream', true),
        ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }),
      },
      bound: this.#bound(session),
      signal,
    });
    const status = response.statusCode ?? 0;
    if (status === 200 && contentType(response) === 'text/event-stream') return { kind: 'stream', response };
    response.destroy();
    if (status === 404 && session !== undefined) return { kind: 'lost' };
    return { kind: status >= 500 || status === 429 ? 'later' : 'never', status };
  }

  /** Does not ask the user to sign in just to end a session. */
  async leave(session: string, signal: AbortSignal): Promise<void> {
    const authorizer = this.#authorizer;
    const reply = await this.#requester.open({
      method: 'DELETE',
      url: this.url,
      headers: this.#common('application/json', true),
      bound: this.#bound(session),
      signal,
      credentials: authorizer && ((url) => authorizer.headersFor({ method: 'DELETE', url }, signal)),
    });
    reply.destroy();
  }

  close(): void {
    this.#requester.close();
  }

  #common(accept: string, isNegotiated: boolean): HttpHeaders {
    return { accept, ...(isNegotiated && this.version !== undefined ? { 'mcp-protocol-version': this.version } : {}) };
  }

  #bound(session: string | undefined, more?: HttpHeaders): HttpHeaders {
    return { ...this.#headers, ...more, ...(session === undefined ? {} : { 'mcp-session-id': session }) };
  }
}
