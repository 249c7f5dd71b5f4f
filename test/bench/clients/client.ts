import { join } from 'node:path';

export type Args = Readonly<Record<string, string | number>>;

/** What a variant has to be able to do to be measured. */
export interface BenchClient {
  /** Calls a tool of the bench's server; resolves with whatever the variant gives its caller. */
  readonly call: (tool: string, args: Args, onProgress?: () => void) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

export type OpenClient = (onNotification: () => void) => Promise<BenchClient>;

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

export const serverCommand: ServerCommand = {
  command: process.execPath,
  args: [join(import.meta.dirname, '../server.mjs')],
};

/** A server that pushes events, or one that also adds to the context of a turn, and takes so long for it. */
export const mcplServer = (answerAfterMs?: number): ServerCommand => ({
  command: process.execPath,
  args: [
    join(import.meta.dirname, '../mcplServer.mjs'),
    ...(answerAfterMs === undefined ? [] : [String(answerAfterMs)]),
  ],
});

/** What clients that know nothing of MCPL answer to every event. */
export const ACCEPTED = { accepted: true } as const;

/** Nothing of this bench takes as long; a variant that hangs must not look like a slow one. */
export const PATIENCE_MS = 300_000;
