import { type Host, isJsonObject, type Json, type JsonObject, type TurnRequest, withChoice } from '../../core/index.ts';
import { type CommandId, type Handlers, Refused } from './commands.ts';
import type { DriverModels } from './driverModels.ts';
import { auditView, eventView, mcplView, turnView } from './mcplViews.ts';
import type { Work } from './work.ts';

export interface McplTools {
  readonly host: Host;
  readonly models: DriverModels;
  readonly work: Work;
  readonly write: (message: JsonObject) => void;
  /** The user's servers as they are now, and how to set them anew. */
  readonly servers: () => Json | undefined;
  readonly configure: (servers: Json) => void;
}

type McplCommand =
  'featureSets' | 'toggle' | 'model' | 'turn' | 'events' | 'markRead' | 'clearEvents' | 'askModel' | 'audit';

/** What a driver does with what servers say by themselves: feature sets, events, turns, the audit. */
export function mcplHandlers(tools: McplTools): Handlers<McplCommand> {
  const { host, models, work } = tools;
  return {
    featureSets: ({ server }) => {
      const snapshot = known(host, server);
      return snapshot.mcpl === undefined ? null : mcplView(snapshot.mcpl);
    },
    toggle: async ({ server, names, on }) => {
      await toggle(tools, server, names, on);
      const { mcpl } = known(host, server);
      return mcpl === undefined ? null : mcplView(mcpl);
    },
    model: ({ model }) => {
      models.use(model);
      return null;
    },
    turn: (command, id) =>
      work.run(id, async (token) => turnView(await host.runTurn(turnOf(tools, command, id, token)))),
    events: async ({ limit }) => {
      await host.events.loaded();
      return { unread: host.events.unread, events: host.events.list().slice(0, limit).map(eventView) };
    },
    markRead: async ({ ids }) => {
      await host.events.markRead(ids);
      return { unread: host.events.unread };
    },
    clearEvents: async ({ server }) => {
      await host.events.clear(server);
      return null;
    },
    askModel: ({ event }, id) => work.run(id, async (token) => eventView(await host.events.ask(event, token))),
    audit: async ({ limit, server }) => (await host.audit.list({ limit, server })).map(auditView),
  };
}

function known(host: Host, server: string) {
  const snapshot = host.server(server);
  if (snapshot !== undefined) return snapshot;
  throw new Refused('UNKNOWN_SERVER', `There is no server "${server}".`, 'List them with "servers".');
}

/** As a person does it in the editor: allowed first, then written where settings are kept, which here is the driver's. */
async function toggle(tools: McplTools, server: string, names: readonly string[], on: boolean): Promise<void> {
  const { mcpl, definition } = known(tools.host, server);
  if (mcpl === undefined || definition === undefined)
    throw new Refused('NO_FEATURE_SETS', `The server "${server}" has no feature sets.`, 'Start it first.');
  const declared = mcpl.sets.map(({ set }) => set.name);
  const unknown = names.find((name) => !declared.includes(name));
  if (unknown !== undefined)
    throw new Refused('UNKNOWN_FEATURE_SET', `"${server}" has no feature set "${unknown}".`, 'See "featureSets".');
  await tools.host.allowFeatureSets(server, names, on);
  const { enabled, disabled } = withChoice(definition.mcpl.featureSets, declared, names, on);
  const servers = tools.servers();
  const all = isJsonObject(servers) ? servers : {};
  const entry = isJsonObject(all[server]) ? all[server] : {};
  tools.configure({ ...all, [server]: { ...entry, featureSets: { enabled, disabled } } });
}

function turnOf(
  { write }: McplTools,
  { conversationId, turnIndex, message, history }: Extract<Parameters<Handlers<'turn'>['turn']>[0], object>,
  turn: CommandId,
  token: TurnRequest['token'],
): TurnRequest {
  const said = message === null ? [] : [{ role: 'user' as const, content: [{ type: 'text' as const, text: message }] }];
  return {
    conversationId,
    turnIndex,
    userMessage: message,
    messages: [...history, ...said],
    justification: 'The driver takes a turn.',
    onText: (text) => write({ event: 'text', turn, text }),
    token,
  };
}
