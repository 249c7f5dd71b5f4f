import {
  type CancellationToken,
  type FeatureSetView,
  type Host,
  type JsonObject,
  type McplSnapshot,
  type TurnRequest,
  unlessCancelled,
} from '../../core/index.ts';
import { type CommandId, type ControlCommand, type Handlers, knownServer, Refused } from './controlCommands.ts';
import { auditView, eventView, mcplView, turnView } from './controlViews.ts';
import type { DriverModels } from './driverModels.ts';
import { type LayerChange, type ServerLayers, withFeatureSets, withPushPolicy } from './entryChanges.ts';
import type { Work } from './work.ts';

interface McplTools {
  readonly host: Host;
  readonly models: DriverModels;
  readonly work: Work;
  readonly write: (message: JsonObject) => void;
  /** The servers of all layers, and how to change one of them. */
  readonly layers: () => ServerLayers;
  readonly configure: (change: LayerChange) => void;
}

type McplCommand =
  | 'featureSets'
  | 'toggle'
  | 'pushPolicy'
  | 'allowEvents'
  | 'model'
  | 'turn'
  | 'events'
  | 'markRead'
  | 'clearEvents'
  | 'askModel'
  | 'audit'
  | 'modelUse';

/** Handles the driver's commands about feature sets, events, turns and the audit. */
export function mcplHandlers(tools: McplTools): Handlers<McplCommand> {
  const { host, models, work } = tools;
  const viewOf = (server: string): JsonObject | null => {
    const { mcpl } = knownServer(host, server);
    return mcpl === undefined ? null : mcplView(mcpl);
  };
  return {
    featureSets: ({ server }) => viewOf(server),
    toggle: async (command, id) => {
      await work.run(id, (token) => toggle(tools, command, token));
      return viewOf(command.server);
    },
    pushPolicy: async (command, id) => {
      await work.run(id, (token) => setPolicy(tools, command, token));
      return viewOf(command.server);
    },
    allowEvents: ({ server, featureSet, allowed }) => {
      host.alsoEvents.choose(server, featureSet, allowed);
      return viewOf(server);
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
    audit: async ({ limit, server, before }) => (await host.audit.list({ limit, server, before })).map(auditView),
    modelUse: async ({ since }) => ({
      budgets: host
        .servers()
        .flatMap(({ id }) => host.modelUses.budget(id) ?? [])
        .map((budget) => ({ ...budget })),
      used: (await host.modelUses.totals(since)).map((total) => ({ ...total })),
    }),
  };
}

/**
 * As in the editor: allows the set first, then writes settings, which the driver keeps. Waits while the server's
 * consent question is open.
 */
async function toggle(
  tools: McplTools,
  { server, names, on }: ControlCommand<'toggle'>,
  token: CancellationToken,
): Promise<void> {
  const { sets } = declaring(tools.host, server);
  const wanted = [...new Set(names)];
  for (const name of wanted) {
    const { set, state } = setNamed(sets, server, name);
    if (on && state === 'invalid')
      throw new Refused(
        'INVALID_FEATURE_SET',
        `The feature set "${name}" cannot be switched on. ${set.problem ?? ''}`.trim(),
        'Its server has to declare it as MCPL wants.',
      );
  }
  await unlessCancelled(tools.host.allowFeatureSets(server, wanted, on), token, 'The choice');
  const declared = sets.map(({ set }) => set.name);
  // Reads the layers again, because other commands may have changed them.
  tools.configure(withFeatureSets(tools.layers(), server, declared, { names: wanted, on }));
}

async function setPolicy(
  tools: McplTools,
  command: ControlCommand<'pushPolicy'>,
  token: CancellationToken,
): Promise<void> {
  const { server, featureSet, policy } = command;
  setNamed(declaring(tools.host, server).sets, server, featureSet);
  await unlessCancelled(tools.host.allowPushPolicy(server, featureSet, policy), token, 'The choice');
  tools.configure(withPushPolicy(tools.layers(), server, featureSet, policy));
}

function declaring(host: Host, server: string): McplSnapshot {
  const { mcpl, definition } = knownServer(host, server);
  if (mcpl === undefined)
    throw new Refused('NO_FEATURE_SETS', `No feature sets of "${server}" are known.`, 'Start it first.');
  if (definition === undefined)
    throw new Refused('INVALID_SETTINGS', `The settings of "${server}" have an error.`, 'See "problems".');
  return mcpl;
}

function setNamed(sets: readonly FeatureSetView[], server: string, name: string): FeatureSetView {
  const found = sets.find(({ set }) => set.name === name);
  if (found !== undefined) return found;
  throw new Refused('UNKNOWN_FEATURE_SET', `"${server}" has no feature set "${name}".`, 'See "featureSets".');
}

function turnOf(
  { write }: McplTools,
  { conversationId, turnIndex, message, history }: ControlCommand<'turn'>,
  turn: CommandId,
  token: CancellationToken,
): TurnRequest {
  const said = message === null ? [] : [{ role: 'user', content: [{ type: 'text', text: message }] } as const];
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
