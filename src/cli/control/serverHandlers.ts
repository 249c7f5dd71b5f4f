import {
  type ConsentStore,
  type Host,
  type Json,
  type JsonObject,
  keptState,
  type Progress,
  type ServerSnapshot,
} from '../../core/index.ts';
import type { Accounts } from '../nodeHost.ts';
import { type CommandId, type Handlers, knownServer } from './controlCommands.ts';
import {
  accountView,
  consentView,
  keptView,
  problemView,
  promptResultView,
  readingView,
  resultView,
  serverView,
  stateView,
  toolView,
  traceView,
} from './controlViews.ts';
import type { Watches } from './watches.ts';
import type { Work } from './work.ts';

interface ServerTools {
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

/** Handles the driver's commands about servers. */
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

interface OfferTools {
  readonly host: Host;
  readonly work: Work;
  readonly watches: Watches;
  readonly write: (message: JsonObject) => void;
}

type OfferCommand =
  | 'tools'
  | 'resources'
  | 'templates'
  | 'prompts'
  | 'call'
  | 'read'
  | 'prompt'
  | 'complete'
  | 'subscribe'
  | 'unsubscribe'
  | 'cancel';

/** Handles the driver's commands about tools, resources and prompts. */
export function offerHandlers({ host, work, watches, write }: OfferTools): Handlers<OfferCommand> {
  const onProgress =
    (call: CommandId) =>
    ({ progress, total, message }: Progress): void =>
      write({ event: 'progress', call, progress, total, message });
  return {
    tools: ({ server }) => listed(host, server, ({ id, tools }) => tools.map((tool) => toolView(id, tool))),
    resources: ({ server }) => listed(host, server, ({ id, resources }) => resources.map(definitionOf(id))),
    templates: ({ server }) => listed(host, server, ({ id, templates }) => templates.map(definitionOf(id))),
    prompts: ({ server }) => listed(host, server, ({ id, prompts }) => prompts.map(definitionOf(id))),
    call: ({ server, tool, args, conversationId, meta }, id) => {
      const request = { server, tool, args, conversationId, meta, route: 'cli' } as const;
      return work.run(id, async (token) => {
        const result = await host.callTool(request, { token, onProgress: onProgress(id) });
        const kept = keptState(result);
        return { ...resultView(result), kept: kept && keptView(kept) };
      });
    },
    read: ({ server, uri }, id) =>
      work.run(id, async (token) =>
        readingView(await host.readResource(server, uri, { token, onProgress: onProgress(id) })),
      ),
    prompt: ({ server, name, args }, id) =>
      work.run(id, async (token) =>
        promptResultView(await host.getPrompt(server, name, args, { token, onProgress: onProgress(id) })),
      ),
    complete: ({ server, request }, id) =>
      work.run(id, async (token) => {
        const { values, total, hasMore } = await host.complete(server, request, { token });
        return { values, total, hasMore };
      }),
    subscribe: async ({ server, uri }) => {
      await watches.add(server, uri);
      return null;
    },
    unsubscribe: ({ server, uri }) => ({ unsubscribed: watches.remove(server, uri) }),
    cancel: ({ call }) => ({ cancelled: work.cancel(call) }),
  };
}

function listed(host: Host, id: string | undefined, items: (server: ServerSnapshot) => readonly Json[]): Json {
  const servers = id === undefined ? host.servers() : [knownServer(host, id)];
  return servers.flatMap(items);
}

/** The server's definition, with the server's id. */
function definitionOf(server: string): (item: { readonly raw: JsonObject }) => JsonObject {
  return ({ raw }) => ({ ...raw, server });
}
