import type { IncomingMessage } from 'node:http';
import type { AuthorizedRequest, Authorizer, AuthReply } from './authorizer.ts';
import { type HttpCall, type HttpRequester, skipBody } from './httpRequest.ts';

/** Maximum repeats for a server that rejects all credentials. */
const MAX_AGAIN = 4;

interface AuthorizedCall extends HttpCall {
  /**
   * Called when the request starts or stops waiting for credentials, possibly for the user. The time does not count as
   * the server's.
   */
  readonly onHeld?: ((isHeld: boolean) => void) | undefined;
}

/** With the body, which a proof of possession may cover. */
type SentRequest = AuthorizedRequest & { readonly body: string | undefined };
/** With the rejected credentials, because newer ones may exist by now. */
type SentReply = AuthReply & { readonly authorization: string | undefined };

/** Sends a request with credentials, and again with others if the server asks for them. */
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
    // After a redirect to another origin, the challenge there is not the server's own.
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
