import assert from 'node:assert/strict';
import { createNodeHost, type NodeHostOptions } from '../../../src/cli/nodeHost.ts';
import type { CallOptions, Host, JsonObject, ResultView, ServerSnapshot } from '../../../src/core/index.ts';
import { isAlive, waitUntil } from '../../support/processes.ts';
import { type Answers, CASE_SERVER, type CaseLife, type CaseRevision, CaseServer, usualAnswers } from './caseServer.ts';

/** The server's id in the settings of every case. */
export const ID = 'case';

export interface CaseOptions extends Partial<CaseRevision> {
  /** Answers by method. Default: `usualAnswers`. */
  readonly answers?: Answers;
  /** Signals of the end that the server ignores. */
  readonly ignores?: readonly ('stdin end' | 'SIGTERM')[];
  /** Members of the server's entry in the settings. Default of `protocol`: `{ era: 'legacy' }`. */
  readonly entry?: JsonObject;
  /** Options of the host: `elicitor`, `sampler`, `folders`, `trusted` and so on. */
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
  /** Waits for a condition without an event. */
  until(what: string, condition: () => boolean): Promise<void>;
  /** Waits for a matching log line, and returns it. */
  logged(pattern: RegExp): Promise<string>;
  close(): Promise<void>;
}

/** A host like in a program, with one scripted server in a separate process. */
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
      // Skips the log line of each call, which no case tests.
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
