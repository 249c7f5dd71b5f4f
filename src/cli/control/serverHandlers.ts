import type { ConsentStore, Host, Json } from '../../core/index.ts';
import type { Accounts } from '../nodeHost.ts';
import type { Handlers } from './commands.ts';
import { accountView, consentView, problemView, serverView, stateView, traceView } from './views.ts';
import type { Work } from './work.ts';

export interface ServerTools {
  readonly host: Host;
  readonly consents: ConsentStore;
  readonly accounts: Accounts;
  readonly work: Work;
}

type ServerCommand =
  | 'servers'
  | 'problems'
  | 'start'
  | 'stop'
  | 'restart'
  | 'refresh'
  | 'logLevel'
  | 'consents'
  | 'forget'
  | 'accounts'
  | 'signOut'
  | 'trace';

/** What a driver does with servers as a whole. */
export function serverHandlers({ host, consents, accounts, work }: ServerTools): Handlers<ServerCommand> {
  const afterwards = async (server: string, done: Promise<void>): Promise<Json> => {
    await done;
    const snapshot = host.server(server);
    return snapshot === undefined ? null : stateView(snapshot.state);
  };
  return {
    servers: () => host.servers().map(serverView),
    problems: () => host.problems().map(problemView),
    start: ({ server }) => afterwards(server, host.start(server)),
    stop: ({ server }) => afterwards(server, host.stop(server)),
    restart: ({ server }) => afterwards(server, host.restart(server)),
    refresh: async ({ server }, id) => {
      await work.run(id, (token) => host.refresh(server, token));
      const snapshot = host.server(server);
      return snapshot === undefined ? null : serverView(snapshot);
    },
    logLevel: async ({ server, level }) => {
      if (level !== undefined) await host.setLogLevel(server, level);
      return { level: host.logLevel(server) ?? null };
    },
    consents: async () => (await consents.list()).map(consentView),
    forget: async ({ server }) => {
      await host.forgetConsent(server);
      return null;
    },
    accounts: async () => (await accounts.list()).map(accountView),
    signOut: async ({ url }) => ({ signedOut: await accounts.signOut(url) }),
    trace: ({ server, on, limit }) => {
      const trace = host.trace(server);
      if (on !== undefined) trace.set(on);
      return traceView(trace, limit);
    },
  };
}
