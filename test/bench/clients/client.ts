import { join } from 'node:path';

export type Args = Readonly<Record<string, string | number>>;

/** The interface of a measured variant. */
export interface BenchClient {
  /** Calls a tool of the bench's server. Resolves with the variant's result. */
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

/** A server that pushes events. With a delay, it also adds context to a turn after this time. */
export const mcplServer = (answerAfterMs?: number): ServerCommand => ({
  command: process.execPath,
  args: [
    join(import.meta.dirname, '../mcplServer.mjs'),
    ...(answerAfterMs === undefined ? [] : [String(answerAfterMs)]),
  ],
});

/** The answer of clients without MCPL to every event. */
export const ACCEPTED = { accepted: true } as const;

/** Longer than any measurement, so that a hanging variant does not look slow. */
export const PATIENCE_MS = 300_000;
