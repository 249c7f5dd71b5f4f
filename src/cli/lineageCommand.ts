import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import {
  type Checkpoint,
  checkpointName,
  cleanLine,
  HostError,
  type KeptState,
  type LineageRow,
  type Lineages,
  type LineageSummary,
  type LineageWindow,
  messageOf,
  plural,
  type RowGraph,
} from '../core/index.ts';
import { lineageView, windowView } from './control/controlViews.ts';
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

interface LineageCommand {
  readonly store: string;
  readonly limit: number;
  readonly json: boolean;
  /** Absent for all servers. */
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

/** `mcpl lineage`: shows the checkpoints in a store. Starts no server. */
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

type LineageContext = Pick<OneServerContext, 'terminal' | 'createHost'>;

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

/** A host would set an invalid store aside and create a new one. A read-only command must not cause that. */
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

const MAX_NAME = 100;
const MAX_ARGS = 80;
const MAX_PROBLEM = 200;

/** A lineage for display: the newest checkpoints and their tree. */
export function lineageText(summary: LineageSummary, { rows, total }: LineageWindow): readonly string[] {
  const { server, featureSet, keeper, count, blocked } = summary;
  const older = total - rows.length;
  return [
    `${cleanLine(server, MAX_NAME)} ${setText(featureSet)}: ${plural(count, 'checkpoint')}, kept by the ${keeper}`,
    ...(blocked === undefined
      ? []
      : [`! Calls are refused until a rollback: there is no state at ${nameOf(blocked)}.`]),
    ...rows.flatMap(rowLines),
    ...(older > 0 ? [`… and ${older} older. Show more with --limit.`] : []),
  ];
}

/** The outcome for a state, as one line for standard error. */
export function keptText(kept: KeptState, featureSet: string | undefined, isStored: boolean): string {
  const where = featureSet === undefined || featureSet === '' ? '' : ` (${cleanLine(featureSet, MAX_NAME)})`;
  const name = kept.checkpoint === undefined ? '' : cleanLine(kept.checkpoint, MAX_NAME);
  switch (kept.kind) {
    case 'kept':
      return isStored
        ? `checkpoint ${name} kept${where}`
        : `checkpoint ${name} kept until this command ends${where}; --store <file> keeps it longer`;
    case 'known':
      return `checkpoint ${name} was known already${where}`;
    case 'broken':
      return `! checkpoint ${name} has no state${where}: ${cleanLine(kept.problem, MAX_PROBLEM)}`;
    case 'lost':
      return `! The state was not kept${where}: ${cleanLine(kept.problem, MAX_PROBLEM)}`;
  }
}

function rowLines({ node, isHead, conversations, rollbacks, graph }: LineageRow): readonly string[] {
  const { above, row } = graph === undefined ? { above: undefined, row: '*' } : graphLines(graph);
  const marks = [
    ...(isHead ? ['head'] : []),
    ...rollbackMark(rollbacks),
    ...(conversations === 0 ? [] : [plural(conversations, 'conversation')]),
    ...(node.isPinned ? ['pinned'] : []),
    ...(node.isPruned ? ['no longer at the server'] : []),
    ...(node.form === 'placeholder' ? ['only its name is known'] : []),
    ...(node.link === 'assumed' ? ['parent assumed'] : []),
  ];
  const words = [
    row,
    nameOf(node),
    ...(node.name === undefined ? [] : [`"${cleanLine(node.name, MAX_NAME)}"`]),
    ...(marks.length === 0 ? [] : [`(${marks.join(', ')})`]),
    new Date(node.at).toISOString().replace(/\.\d+Z$/, 'Z'),
    ...(node.tool === undefined ? [] : [cleanLine(node.tool, MAX_NAME)]),
    ...(node.args === undefined ? [] : [cleanLine(node.args, MAX_ARGS)]),
    ...(node.problem === undefined ? [] : [`! ${cleanLine(node.problem, MAX_PROBLEM)}`]),
  ];
  return [...(above === undefined ? [] : [above]), words.join(' ')];
}

function rollbackMark(count: number): readonly string[] {
  if (count === 0) return [];
  return [count === 1 ? 'rolled back to' : `rolled back to ${count} times`];
}

function nameOf(node: Checkpoint): string {
  return cleanLine(checkpointName(node), MAX_NAME);
}

function setText(featureSet: string): string {
  return featureSet === '' ? '(of no feature set)' : cleanLine(featureSet, MAX_NAME);
}

/** A checkpoint in the style of `git log --graph`: the lines that join above it, then its row. */
export function graphLines(graph: RowGraph): { readonly above: string | undefined; readonly row: string } {
  const { lane, through, children, folded } = graph;
  const last = Math.max(lane, ...through, ...children);
  const row = Array.from({ length: last + 1 }, (_, at) => (at === lane ? '*' : through.includes(at) ? '|' : ' '));
  const more = folded === 0 ? '' : ` (+${folded})`;
  const joining = children.filter((child) => child !== lane);
  return {
    above: joining.length === 0 ? undefined : joinsOf(graph, joining, last),
    row: `${row.join(' ').trimEnd()}${more}`,
  };
}

/** One line for joins across any number of lanes: `|_|/`. */
function joinsOf({ lane, through, children }: RowGraph, joining: readonly number[], last: number): string {
  const cells = Array.from({ length: 2 * last + 1 }, () => ' ');
  for (const at of through) cells[2 * at] = '|';
  if (children.includes(lane)) cells[2 * lane] = '|';
  for (const child of joining) {
    const [from, to] = child > lane ? [2 * lane + 1, 2 * child - 1] : [2 * child + 1, 2 * lane - 1];
    for (let at = from; at <= to; at++) if (cells[at] === ' ') cells[at] = '_';
  }
  for (const child of joining) {
    if (child > lane) cells[2 * child - 1] = '/';
    else cells[2 * child + 1] = '\\';
  }
  return cells.join('').trimEnd();
}
