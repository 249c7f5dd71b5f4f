import type { IncomingMessage } from 'node:http';
import type { AuthorizedRequest, Authorizer, AuthReply } from './authorizer.ts';
import { type HttpCall, type HttpRequester, skipBody } from './httpRequest.ts';

/** However often credentials are said to be new, a server that takes none of them is left at that. */
const MAX_AGAIN = 4;

export interface AuthorizedCall extends HttpCall {
  /** Whether the request waits for credentials, possibly for a person: the wait is not the server's. */
  readonly onHeld?: ((isHeld: boolean) => void) | undefined;
}

/** With what a proof of possession may cover. */
type SentRequest = AuthorizedRequest & { readonly body: string | undefined };
/** With the credentials that were turned away: others may be there by now. */
type SentReply = AuthReply & { readonly authorization: string | undefined };

/** Sends a request with credentials, and again with others where the server asks for them. */
export async function openAuthorized(
  requester: HttpRequester,
  authorizer: Authorizer | undefined,
  call: AuthorizedCall,
): Promise<IncomingMessage> {
  if (authorizer === undefined) return requester.open(call);
  const { method, body, signal } = call;
  for (let again = 0; ; again++) {
    let last: SentReply | undefined;
    let authorization: string | undefined;
    const response = await requester.open({
      ...call,
      credentials: async (url) => {
        const request: SentRequest = { method, url, body };
        const headers = await authorizer.headersFor(request, signal);
        ({ authorization } = headers);
        return headers;
      },
      onReply: (received, url) => {
        last = { status: received.statusCode ?? 0, url, headers: received.headers, authorization };
        authorizer.replied(last);
      },
    });
    // Where the server redirected to another origin, its last word is that: the other one's challenge is not its own.
    if (last === undefined || !isChallenge(last) || again === MAX_AGAIN) return response;
    if (!(await answered(authorizer, last, call))) return response;
    skipBody(response);
  }
}

async function answered(authorizer: Authorizer, reply: AuthReply, call: AuthorizedCall): Promise<boolean> {
  call.onHeld?.(true);
  try {
    return await authorizer.challenged(reply, call.signal);
  } finally {
    call.onHeld?.(false);
  }
}

function isChallenge({ status, headers }: AuthReply): boolean {
  return status === 401 || (status === 403 && headers['www-authenticate'] !== undefined);
}
