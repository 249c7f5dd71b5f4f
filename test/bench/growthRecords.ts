import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fillCheckpoints, fillEvents, fillGrants, grantsIn } from './growthFill.ts';
import {
  createHost,
  entryOf,
  type GrowthProcedure,
  type Host,
  type HostOptions,
  inFolder,
  loadHost,
  longestOf,
  memoryNow,
  number,
  p50,
  type Watched,
  watched,
} from './growthReadings.ts';
import type { Metrics } from './measure.ts';

const SERVER = 'bench';
/** Below the limit of twelve prompts per server and minute. */
const GRANTS = 9;
/** The host's limit. */
const MAX_GRANTS = 10_000;

const call = (host: Host, tool: string, args: Readonly<Record<string, string>> = {}): ReturnType<Host['callTool']> =>
  host.callTool({ server: SERVER, tool, args, route: 'api' });

const checkText = async (answer: ReturnType<typeof call>, wanted: string): Promise<void> => {
  const { modelText } = await answer;
  if (!modelText.includes(wanted)) throw new Error(`The server was told ${modelText}.`);
};

interface Started {
  readonly host: Host;
  readonly open: Watched;
  readonly start: Watched;
  /** The current memory of the host and its data. */
  readonly memory: () => Metrics;
}

/** A host on a filled store. Measures until everything is loaded and the server runs. */
const started = async (
  entry: object,
  options: HostOptions,
  loaded: (host: Host) => Promise<unknown>,
): Promise<Started> => {
  loadHost();
  const before = memoryNow();
  let host: Host | undefined;
  const open = await watched(async () => {
    host = createHost({ [SERVER]: entry }, options);
    await loaded(host);
  });
  const running = host;
  if (running === undefined) throw new Error('There is no host.');
  const start = await watched(() => running.start(SERVER));
  const memory = (): Metrics => {
    const { heap, rss } = memoryNow();
    return { heap: heap - before.heap, rss: rss - before.rss };
  };
  return { host: running, open, start, memory };
};

const WINDOW = { server: SERVER, featureSet: 'bench.notes', from: 0, count: 100 } as const;
const ALL = { text: '', only: 'all' } as const;

const checkpoints: GrowthProcedure = (_variant, params) =>
  inFolder(async (folder) => {
    const count = number(params, 'size');
    const storageFile = join(folder, 'mcpl.sqlite');
    fillCheckpoints(storageFile, count);
    const entry = entryOf('growthStateServer.mjs', { characters: 250, from: `chk_${count}` });
    const limits = { maxCheckpoints: 1_000_000 };
    const { host, open, start, memory } = await started(entry, { storageFile, limits }, (opened) =>
      opened.lineages.loaded(),
    );
    const held = memory();
    const first = await watched(() => host.lineages.window({ ...WINDOW, filter: ALL }));
    let more = 0;
    const adding = await watched(async () => (more = await p50(30, () => call(host, 'edit'), 10)));
    let list = 0;
    const listing = await watched(async () => {
      list = await p50(5, async () => {
        await call(host, 'edit');
        await host.lineages.window({ ...WINDOW, filter: ALL });
      });
    });
    const search = await watched(() => host.lineages.window({ ...WINDOW, filter: { text: 'chk_77', only: 'all' } }));
    const { total } = await host.lineages.window({ ...WINDOW, filter: ALL });
    if (total < count + 40) throw new Error(`There are ${total} checkpoints.`);
    await host.close();
    return {
      open: open.took,
      more,
      list,
      first: first.took,
      search: search.took,
      ...held,
      ...longestOf({
        open: open.turn,
        start: start.turn,
        first: first.turn,
        more: adding.turn,
        list: listing.turn,
        search: search.turn,
      }),
    };
  });

const events: GrowthProcedure = (_variant, params) =>
  inFolder(async (folder) => {
    const count = number(params, 'size');
    const storageFile = join(folder, 'mcpl.sqlite');
    fillEvents(storageFile, count);
    const limits = { maxEvents: count + 1_000, pushPerMinute: 1_000_000 };
    const entry = entryOf('growthServer.mjs', { tools: 10 });
    const { host, open, start, memory } = await started(entry, { storageFile, limits }, (opened) =>
      opened.events.loaded(),
    );
    const held = memory();
    // Like a view, at each change.
    host.events.onDidChange(() => host.events.list());
    let more = 0;
    const adding = await watched(async () => {
      more = await p50(300, (i) => checkText(call(host, 'event', { name: `event-${i}` }), '"accepted'), 20);
    });
    const read = await watched(() => host.events.markRead(host.events.list().map(({ id }) => id)));
    const kept = host.events.list().length;
    const listing = await watched(async () => host.events.list());
    const cleared = await watched(() => host.events.clear());
    await host.close();
    return {
      open: open.took,
      more,
      read: read.took,
      clear: cleared.took,
      kept,
      ...held,
      ...longestOf({
        open: open.turn,
        start: start.turn,
        more: adding.turn,
        read: read.turn,
        list: listing.turn,
        clear: cleared.turn,
      }),
    };
  });

/** Allows every request for the workspace. */
const allowAll = (host: Host): void => {
  host.approvals.onDidAsk(({ id }) => void host.approvals.answer(id, 'workspace'));
};

const elevate = (host: Host, path: string): Promise<void> =>
  checkText(call(host, 'elevate', { path }), '"approved":true');

const grants: GrowthProcedure = (_variant, params) =>
  inFolder(async (folder) => {
    const count = number(params, 'size');
    const storageFile = join(folder, 'mcpl.sqlite');
    const entry = entryOf('growthServer.mjs', { tools: 10 });
    const writer = createHost({ [SERVER]: entry }, { storageFile });
    allowAll(writer);
    await writer.start(SERVER);
    await elevate(writer, '/project/known');
    await writer.close();
    fillGrants(storageFile, count - 1);
    const { host, open, start, memory } = await started(entry, { storageFile }, (opened) => opened.approvals.loaded());
    allowAll(host);
    // Like a view, at each change.
    host.approvals.onDidChange(() => host.approvals.remembered());
    // With more than its limit, the host first removes the oldest from the file.
    const settling = await watched(async () => {
      while (grantsIn(storageFile) > Math.min(count, MAX_GRANTS)) await wait(20);
    });
    const held = memory();
    let decide = 0;
    const deciding = await watched(async () => (decide = await p50(50, () => elevate(host, '/project/known'), 10)));
    let more = 0;
    const adding = await watched(async () => (more = await p50(GRANTS, (i) => elevate(host, `/project/new-${i}`))));
    const all = host.approvals.remembered().map(({ id }) => id);
    const expiry = await watched(() => host.approvals.setExpiry(all.slice(0, 500), Date.now() + 86_400_000));
    const revoked = await watched(() => host.approvals.revoke(all));
    await host.close();
    return {
      open: open.took,
      decide,
      more,
      revoke: revoked.took,
      kept: all.length,
      ...held,
      ...longestOf({
        open: open.turn,
        start: start.turn,
        settling: settling.turn,
        decide: deciding.turn,
        more: adding.turn,
        expiry: expiry.turn,
        revoke: revoked.turn,
      }),
    };
  });

export const recordProcedures = { growingCheckpoints: checkpoints, growingEvents: events, growingGrants: grants };
