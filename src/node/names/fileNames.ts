import { lstat, readlink, realpath } from 'node:fs/promises';
import {
  type CancellationToken,
  type Clock,
  type FileNames,
  type RealName,
  Semaphore,
  waitFor,
} from '../../core/index.ts';
import { nodeClock } from '../nodePorts.ts';
import { nameStyleOf, windowsNames } from './nameStyle.ts';
import { type NameLookups, NotText, unknown, walkName } from './nameWalk.ts';

/** Node has four threads for file access. A lookup on a dead drive blocks one until it ends. */
const MAX_LOOKUPS = 2;
/** Never reached while drives respond. */
export const MAX_WAITING = 5_000;
/** Longer than a disk needs to spin up. A disconnected network drive never answers. */
const DEADLINE_MS = 5_000;

interface FileNamesOptions {
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  readonly lookups: NameLookups;
  /** The open folders. On Windows, only the network machines of these may be contacted. */
  readonly folders: () => readonly string[];
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const nodeLookups: NameLookups = {
  isLink: async (path) => (await lstat(path)).isSymbolicLink(),
  targetOf: async (link) => textOf(await readlink(link, 'buffer')),
  realOf: async (path) => textOf(await realpath(path, 'buffer')),
};

function textOf(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new NotText();
  }
}

/** Name lookups in the local file system. */
export function createFileNames(options: Partial<FileNamesOptions> = {}): FileNames {
  const { platform = process.platform, clock = nodeClock, lookups = nodeLookups, folders = () => [] } = options;
  const style = nameStyleOf(platform);
  const ignoresCase = platform === 'win32' || platform === 'darwin';
  const isKnownMachine = (machine: string): boolean => folders().some((folder) => machineOf(folder) === machine);
  const lookupSlots = new Semaphore(MAX_LOOKUPS, MAX_WAITING);
  return {
    style: style.name,
    ignoresCase,
    real: async (path, token) => {
      if (token.isCancellationRequested) return CANCELLED;
      const waiting = { isOver: false };
      const answer = walkName(path, limited(lookups, lookupSlots, waiting), { style, ignoresCase, isKnownMachine });
      return inTime(answer, clock, token).finally(() => (waiting.isOver = true));
    },
  };
}

export const nodeFileNames: FileNames = createFileNames();

function machineOf(folder: string): string | undefined {
  const parts = windowsNames.split(folder);
  return parts === undefined ? undefined : windowsNames.machine(parts);
}

/** Limits how many lookups run at once, and skips those whose caller has stopped waiting. */
function limited(lookups: NameLookups, slots: Semaphore, waiting: { readonly isOver: boolean }): NameLookups {
  const run = <T>(lookup: () => Promise<T>): Promise<T> => {
    if (slots.isFull) return Promise.reject(new Error('Too many wait.'));
    return slots.run(() => (waiting.isOver ? Promise.reject(new Error('Too late.')) : lookup()));
  };
  return {
    isLink: (path) => run(() => lookups.isLink(path)),
    targetOf: (link) => run(() => lookups.targetOf(link)),
    realOf: (path) => run(() => lookups.realOf(path)),
  };
}

/** Resolves early on cancellation or timeout, because a hanging lookup cannot be aborted. */
async function inTime(answer: Promise<RealName>, clock: Clock, token: CancellationToken): Promise<RealName> {
  const waited = await waitFor(answer, { clock, ms: DEADLINE_MS, token });
  if (waited.kind === 'done') return waited.value;
  return waited.kind === 'cancelled' ? CANCELLED : unknown('The file system did not answer in time.');
}

const CANCELLED = unknown('Nobody waits for the answer any more.');
