import { type Clock, type ConnectContext, HostError, type RemoteConnection } from '../../core/index.ts';
import { backgroundClock } from '../backgroundClock.ts';
import type { Authorizer } from './authorizer.ts';
import { Delivery } from './delivery.ts';
import type { HttpAgents } from './httpAgents.ts';
import { type HttpHeaders, inLowerCase } from './httpRequest.ts';

/** The longest message, reply or event in bytes. */
const MAX_MESSAGE = 64 * 1024 * 1024;

/** Options of all transports to a server with a URL. */
export interface RemoteTransportOptions {
  readonly clock?: Clock | undefined;
  /** Default: 64 MB. */
  readonly maxMessage?: number | undefined;
  /** Gets credentials when the server asks for them. The transport does not dispose of it. */
  readonly authorizer?: Authorizer | undefined;
  /** Default: separate connections, with the proxies of the environment. */
  readonly agents?: HttpAgents | undefined;
}

/** A server with a URL, and the common parts of the transports to it. */
export interface RemoteServer {
  readonly url: URL;
  /** From settings. They may contain secrets. */
  readonly headers: HttpHeaders;
  readonly context: ConnectContext;
  readonly clock: Clock;
  readonly maxMessage: number;
  readonly authorizer: Authorizer | undefined;
  readonly agents: HttpAgents | undefined;
  readonly delivery: Delivery;
}

/** Throws a `HostError` if the address in the settings has none of these schemes. */
export function remoteServer(
  connection: RemoteConnection,
  schemes: readonly string[],
  context: ConnectContext,
  { clock = backgroundClock, maxMessage = MAX_MESSAGE, authorizer, agents }: RemoteTransportOptions,
): RemoteServer {
  return {
    url: addressOf(connection, schemes),
    headers: inLowerCase(connection.headers),
    context,
    clock,
    maxMessage,
    authorizer,
    agents,
    delivery: new Delivery(clock, context),
  };
}

function addressOf({ url: text }: RemoteConnection, schemes: readonly string[]): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && schemes.includes(url.protocol.slice(0, -1))) return url;
  const [plain = '', secure = ''] = schemes;
  throw new HostError('INVALID_SETTINGS', `“${text}” is not an address that begins with ${plain} or ${secure}.`, {
    layer: 'settings',
    effect: 'none',
    suggestion: "Correct the server's `url`.",
  });
}
