import type {
  CancellationToken,
  CheckpointInfo,
  Disposable as Registration,
  EventInfo,
  LineageInfo,
  McpLiveError,
  ServerInfo,
  ServerProvider,
  ToolResult,
} from '../../../media/mcp-live.d.ts';
import {
  type Clock,
  type Contributor,
  type Disposable,
  DisposableStore,
  type Event,
  type Host,
  HostError,
  isJsonObject,
  type Logger,
  messageOf,
  NO_CANCELLATION,
  type ServerSnapshot,
  Throttle,
  toHostError,
} from '../../core/index.ts';
import { checkpointInfo, eventInfo, lineageInfo, resultOf, serverInfo } from './apiViews.ts';
import type { ContributedLayers } from '../settings/contributedLayers.ts';
import { EventArrivals } from '../events/eventArrivals.ts';
import { ServerContribution } from './serverContribution.ts';
import { toJson } from '../shared/settingsJson.ts';

/** Merges changes within this time, because there may be thousands. */
const BURST_MS = 50;
const MAX_EVENTS_COUNT = 1_000;
const MAX_CHECKPOINTS = 100;

export interface ExtensionApiOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly host: Pick<Host, 'servers' | 'onDidChangeServer' | 'callTool' | 'events' | 'lineages' | 'redact'>;
  readonly layers: ContributedLayers;
}

/** The implementation of `getApi(1)`. */
export interface ExtensionApi {
  registerServers(provider: ServerProvider, by: Contributor): Registration;
  servers(): readonly ServerInfo[];
  onDidChangeServers(listener: (value: void) => unknown): Registration;
  callTool(server: unknown, tool: unknown, args: unknown, token: CancellationToken | undefined): Promise<ToolResult>;
  events(): Promise<readonly EventInfo[]>;
  onDidReceiveEvent(listener: (event: EventInfo) => unknown, since: number): Registration;
  lineages(): Promise<readonly LineageInfo[]>;
  checkpoints(server: unknown, featureSet: unknown, from: unknown): Promise<readonly CheckpointInfo[]>;
  onDidChangeLineages(listener: (value: void) => unknown): Registration;
}

export function openExtensionApi({ clock, log, host, layers }: ExtensionApiOptions): ExtensionApi {
  const infos = new WeakMap<ServerSnapshot, ServerInfo>();
  const infoOf = (server: ServerSnapshot): ServerInfo => {
    const info = infos.get(server) ?? serverInfo(server, host.redact);
    infos.set(server, info);
    return info;
  };
  const heard = <T>(listener: (value: T) => unknown, value: T): void => {
    try {
      listener(value);
    } catch (error) {
      log.log('warn', `A listener of an extension failed: ${messageOf(error)}`);
    }
  };
  const inBursts = (event: Event<unknown>, listener: (value: void) => unknown): Registration => {
    const store = new DisposableStore();
    const telling = store.add(new Throttle(clock, BURST_MS, () => heard(listener, undefined)));
    store.add(event(() => telling.request()));
    return { dispose: () => store.dispose() };
  };
  return {
    registerServers: (provider, by) => new ServerContribution(provider, by, { clock, log, layers }),
    servers: () => Object.freeze(host.servers().map(infoOf)),
    onDidChangeServers: (listener) => inBursts(host.onDidChangeServer, listener),
    callTool: (server, tool, args, token) => callTool(host, { server, tool, args }, token),
    events: async () => {
      await host.events.loaded();
      return Object.freeze(host.events.list().slice(0, MAX_EVENTS_COUNT).map(eventInfo));
    },
    onDidReceiveEvent: (listener, since) => {
      const arrivals = new EventArrivals(host.events, since);
      const look = (): void => arrivals.next().forEach((event) => heard(listener, eventInfo(event)));
      // Events that arrived while this part was loaded. Skipped if there are none.
      if (host.events.unread > 0) look();
      return host.events.onDidChange(look);
    },
    lineages: async () => {
      await host.lineages.loaded();
      return Object.freeze(host.lineages.list().map(lineageInfo));
    },
    checkpoints: async (server, featureSet, from = 0) => {
      if (typeof server !== 'string' || typeof featureSet !== 'string' || !isCount(from)) throw invalid();
      const filter = { text: '', only: 'all' } as const;
      const query = { server, featureSet, filter, from, count: MAX_CHECKPOINTS };
      const { rows } = await host.lineages.window(query).catch((error: unknown) => Promise.reject(apiError(error)));
      return Object.freeze(rows.map(({ node }) => checkpointInfo(node)));
    },
    onDidChangeLineages: (listener) => inBursts(host.lineages.onDidChange, listener),
  };
}

interface Call {
  readonly server: unknown;
  readonly tool: unknown;
  readonly args: unknown;
}

/** Runs all interceptors of the host, and has the rights of a model: hidden tools are hidden here too. */
async function callTool(
  host: ExtensionApiOptions['host'],
  { server, tool, args }: Call,
  token: CancellationToken = NO_CANCELLATION,
): Promise<ToolResult> {
  try {
    const given = toJson(args);
    if (typeof server !== 'string' || typeof tool !== 'string' || !isJsonObject(given)) throw invalid();
    const request = { server, tool, args: given, route: 'extension' } as const;
    const redact = (text: string): string => host.redact(text);
    return resultOf(await host.callTool(request, { token: tokenOf(token) }), redact);
  } catch (error) {
    throw apiError(error);
  }
}

function invalid(): HostError {
  return new HostError('INVALID_ARGUMENTS', 'Give the names as texts, and the arguments as an object.', {
    layer: 'host',
    effect: 'none',
  });
}

/** Callers may pass their own token, so its subscription result is not trusted. */
function tokenOf(token: CancellationToken) {
  return {
    get isCancellationRequested() {
      return token.isCancellationRequested;
    },
    onCancellationRequested: (listener: (value: unknown) => void): Disposable => {
      const listening = token.onCancellationRequested(listener);
      return { dispose: () => void listening.dispose() };
    },
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Only the parts of an error that are meant to be shown. Its cause may contain more. */
function apiError(error: unknown): McpLiveError {
  const { message, code, effect, suggestion } = toHostError(error);
  return Object.assign(new Error(message), { name: 'McpLiveError', code, effect, suggestion });
}
