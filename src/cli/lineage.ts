import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import {
  cleanLine,
  HostError,
  type Lineages,
  type LineageSummary,
  type LineageWindow,
  messageOf,
} from '../core/index.ts';
import { lineageView, windowView } from './control/lineageViews.ts';
import { lineageText } from './lineageText.ts';
import { errorText, type OneServerContext } from './oneServer.ts';
import { EXIT, safeJson } from './terminal.ts';
import { UsageError } from './usage.ts';

const OPTIONS = {
  store: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;

const SHOWN = 20;
const MOST = 1_000;

export interface LineageCommand {
  readonly store: string;
  readonly limit: number;
  readonly json: boolean;
  /** Absent: of all. */
  readonly server: string | undefined;
  readonly featureSet: string | undefined;
}

interface Shown {
  readonly summary: LineageSummary;
  readonly window: LineageWindow;
}

/** `--store <file> [options] [server [set]]` */
export function parseLineage(argv: readonly string[]): LineageCommand {
  const { values, positionals } = parseOwn(argv);
  const { store, limit, json } = values;
  if (store === undefined) throw new UsageError('Say with --store <file> where checkpoints are kept.');
  if (positionals.length > 2) throw new UsageError('Name at most a server and one of its feature sets.');
  const [server, featureSet] = positionals;
  return { store: resolve(store), limit: limitOf(limit), json: json === true, server, featureSet };
}

/** `mcpl lineage`: the checkpoints that a store holds. No server is started. */
export async function lineage(command: LineageCommand, context: LineageContext): Promise<number> {
  const { terminal } = context;
  const { store, limit } = command;
  await mustBeStore(store);
  const host = context.createHost({
    storageFile: store,
    onNotice: (text) => terminal.err(`${cleanLine(text)}\n`),
  });
  try {
    const shown = await read(host.lineages, command, limit);
    if (command.json) terminal.out(`${safeJson(shown.map(jsonOf), 2)}\n`);
    else if (shown.length === 0) terminal.err('There are no such checkpoints.\n');
    else terminal.out(`${shown.map(({ summary, window }) => lineageText(summary, window).join('\n')).join('\n\n')}\n`);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    terminal.err(errorText(error));
    return EXIT.callFailed;
  } finally {
    await host.close();
  }
}

export type LineageContext = Pick<OneServerContext, 'terminal' | 'createHost'>;

async function read(
  lineages: Lineages,
  { server, featureSet }: LineageCommand,
  count: number,
): Promise<readonly Shown[]> {
  await lineages.loaded();
  const meant = lineages
    .list()
    .filter((each) => server === undefined || each.server === server)
    .filter((each) => featureSet === undefined || each.featureSet === featureSet);
  const shown: Shown[] = [];
  for (const summary of meant) {
    const filter = { text: '', only: 'all' } as const;
    const key = { server: summary.server, featureSet: summary.featureSet };
    shown.push({ summary, window: await lineages.window({ ...key, filter, from: 0, count }) });
  }
  return shown;
}

function jsonOf({ summary, window }: Shown) {
  return { ...lineageView(summary), window: windowView(window) };
}

const SIGNATURE = 'SQLite format 3\0';

/** A host that opens what is no store puts it aside and begins a new one: whoever only looks must not have that done. */
async function mustBeStore(store: string): Promise<void> {
  const file = await open(store, 'r').catch((error: unknown) => {
    throw new UsageError(`The store cannot be read: ${messageOf(error)}`);
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SIGNATURE.length), 0, SIGNATURE.length, 0);
    if (buffer.toString('latin1', 0, bytesRead) !== SIGNATURE) throw new UsageError(`${store} is no store.`);
  } finally {
    await file.close();
  }
}

function parseOwn(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

function limitOf(given: string | undefined): number {
  const limit = given === undefined ? SHOWN : Number(given);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST) return limit;
  throw new UsageError(`--limit must be a whole number from 1 to ${MOST}.`);
}
