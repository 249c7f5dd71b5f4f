import type { Host, Json, JsonObject, Progress, ServerSnapshot } from '../../core/index.ts';
import { callOutcome } from '../keptStates.ts';
import type { CommandId, Handlers } from './commands.ts';
import { knownServer } from './knownServer.ts';
import { keptView } from './lineageViews.ts';
import { promptResultView, readingView, resultView, toolView } from './views.ts';
import type { Watches } from './watches.ts';
import type { Work } from './work.ts';

export interface OfferTools {
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

/** What a driver does with what servers offer. */
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
        const { result, kept } = await callOutcome(host, request, { token, onProgress: onProgress(id) });
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

/** The definition as the server gave it, and whose it is. */
function definitionOf(server: string): (item: { readonly raw: JsonObject }) => JsonObject {
  return ({ raw }) => ({ ...raw, server });
}
