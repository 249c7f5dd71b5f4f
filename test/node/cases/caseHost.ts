import assert from 'node:assert/strict';
import { createNodeHost, type NodeHostOptions } from '../../../src/cli/nodeHost.ts';
import type { CallOptions, Host, JsonObject, ResultView, ServerSnapshot } from '../../../src/core/index.ts';
import { isAlive, waitUntil } from '../../support/processes.ts';
import { type Answers, CASE_SERVER, type CaseLife, type CaseRevision, CaseServer, usualAnswers } from './caseServer.ts';

/** The server's id in the settings of every case. */
export const ID = 'case';

/** Real processes on a busy machine take their time. */
export const CASE_TIMEOUT = 30_000;

export interface CaseOptions extends Partial<CaseRevision> {
  /** By method, over `usualAnswers`. */
  readonly answers?: Answers;
  /** What the server does not mind when it is to end. */
  readonly ignores?: readonly ('stdin end' | 'SIGTERM')[];
  /** Members of the server's entry in the settings. `protocol` is `{ era: 'legacy' }` unless it is given. */
  readonly entry?: JsonObject;
  /** Of the host itself: `elicitor`, `sampler`, `folders`, `trusted` and so on. */
  readonly host?: NodeHostOptions;
  /** Whether to start the server and wait until its tools are listed. Default: true. */
  readonly start?: boolean;
}

export interface Case {
  readonly host: Host;
  readonly server: CaseServer;
  /** The newest process of the server. */
  readonly life: CaseLife;
  /** Every line of every log, as `level: message`. */
  readonly log: readonly string[];
  snapshot(): ServerSnapshot;
  call(tool: string, args?: JsonObject, options?: CallOptions): Promise<ResultView>;
  /** Waits for something that no event tells of. */
  until(what: string, condition: () => boolean): Promise<void>;
  /** Waits until a line of the log matches, and gives it. */
  logged(pattern: RegExp): Promise<string>;
  close(): Promise<void>;
}

/** A host as a program has it, with one scripted server in a process of its own. */
export async function openCase(options: CaseOptions = {}): Promise<Case> {
  const { version = '2024-11-05', capabilities = { tools: { listChanged: true } } } = options;
  const server = await CaseServer.listen({ ...usualAnswers({ version, capabilities }), ...options.answers });
  const flags = (options.ignores ?? []).map((what) => `--ignore-${what.toLowerCase().replace(' ', '-')}`);
  const entry = {
    command: process.execPath,
    args: [CASE_SERVER, String(server.port), ...flags],
    protocol: { era: 'legacy' },
    ...options.entry,
  };
  const log: string[] = [];
  const host = createNodeHost({
    servers: { [ID]: entry },
    ...options.host,
    onLog: ({ level, message }) => {
      // Each call has a line of its own, which no case is about.
      if (!message.startsWith('Called ')) log.push(`${level}: ${message}`);
    },
  });
  const opened = caseOf(host, server, log);
  if (options.start === false) return opened;
  try {
    await host.start(ID);
    const needsTools = 'tools' in opened.snapshot().capabilities;
    await opened.until('the first list', () => !needsTools || opened.snapshot().listing.kind !== 'unread');
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

function caseOf(host: Host, server: CaseServer, log: readonly string[]): Case {
  const snapshot = (): ServerSnapshot => {
    const found = host.server(ID);
    assert.ok(found !== undefined);
    return found;
  };
  return {
    host,
    server,
    get life() {
      return server.life;
    },
    log,
    snapshot,
    call: (tool, args = {}, options) => host.callTool({ server: ID, tool, args, route: 'api' }, options),
    until: (what, condition) => waitUntil(what, condition),
    logged: async (pattern) => {
      const find = (): string | undefined => log.find((line) => pattern.test(line));
      await waitUntil(`a line of the log like ${String(pattern)}; there are:\n${log.join('\n')}`, () => !!find());
      return find() ?? '';
    },
    close: async () => {
      await host.close();
      await server.close();
      const left = server.lives.map(({ pid }) => pid).filter(isAlive);
      assert.deepEqual(left, [], 'Closing the host ends every process of its servers.');
    },
  };
}
