import assert from 'node:assert/strict';
import { HostError, type HostErrorCode, isHostError } from '../../../../src/core/base/errors.ts';
import type { ServerDefinition, ServerState } from '../../../../src/core/model/server.ts';
import type { ConnectContext, OpenTransport } from '../../../../src/core/ports.ts';
import {
  type PreparedConnection,
  type RunnerOptions,
  ServerRunner,
} from '../../../../src/core/session/serverRunner.ts';
import type { SessionFeature } from '../../../../src/core/session/session.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { ScriptedServer } from '../../../support/scriptedServer.ts';
import { serverDefinition } from '../../../support/serverDefinition.ts';
// Loaded here, so that the lazy import of the first start takes no time in tests.
import '../../../../src/core/session/opener.ts';

const CONNECTION = { kind: 'stdio', command: 'node', args: [], env: {}, cwd: undefined } as const;
export const PREPARED: PreparedConnection = { connection: CONNECTION, fingerprint: 'f' };

export const failure = (code: HostErrorCode, message = 'it failed'): HostError =>
  new HostError(code, message, { layer: 'process' });

export function shown(state: ServerState): string {
  switch (state.kind) {
    case 'stopped':
      return `stopped (${state.reason})`;
    case 'failed':
      return `failed (${state.error.code}: ${state.error.message})`;
    case 'restarting':
      return `restarting at ${state.at} (${state.error.code})`;
    case 'running':
      return `running pid ${state.pid} since ${state.since}`;
    default:
      return state.kind;
  }
}

/** A runner whose ports the test controls. */
export class Bench {
  readonly clock = new FakeClock(0);
  readonly logs: string[] = [];
  readonly states: string[] = [];
  readonly servers: ScriptedServer[] = [];
  features: readonly SessionFeature[] = [];
  prepare: RunnerOptions['prepare'] = () => Promise.resolve(PREPARED);
  connect: (context: ConnectContext) => ScriptedServer = () => new ScriptedServer();
  opened: Partial<OpenTransport> = {};
  /** How often the features were loaded. */
  loads = 0;
  readonly runner: ServerRunner;

  constructor(definition: Partial<ServerDefinition> = {}, options: Partial<RunnerOptions> = {}) {
    this.runner = new ServerRunner(serverDefinition({ protocol: LEGACY, ...definition }), {
      id: 'a',
      clock: this.clock,
      ids: { uuid: () => 'id', random: () => 0.5, sha256: (text) => text },
      log: { log: (level, message) => void this.logs.push(`${level}: ${message}`) },
      redact: (text) => text.replaceAll('s3cret', '***'),
      connector: {
        open: (_, context) => {
          const server = this.connect(context);
          this.servers.push(server);
          return Promise.resolve({ transport: server.transport, pid: 100 + this.servers.length, ...this.opened });
        },
      },
      verdicts: {
        find: () => Promise.resolve(undefined),
        save: () => Promise.resolve(),
        forget: () => Promise.resolve(),
      },
      client: { name: 'test', title: 'Test', version: '0' },
      features: () => {
        this.loads++;
        return Promise.resolve(this.features);
      },
      prepare: (...given) => this.prepare(...given),
      ...options,
    });
    this.runner.onDidChangeState((state) => this.states.push(shown(state)));
  }

  get server(): ScriptedServer {
    return this.servers.at(-1) ?? assert.fail('No server was connected.');
  }

  /** Starts, and returns the outcome once everything has settled. */
  async start(): Promise<string> {
    let outcome = 'not yet';
    this.runner.start().then(
      () => (outcome = 'started'),
      (error: unknown) => (outcome = isHostError(error) ? error.code : String(error)),
    );
    await settle();
    return outcome;
  }

  /** The states since the last call. */
  news(): readonly string[] {
    return this.states.splice(0);
  }

  async crash(error = failure('SERVER_EXITED', 'The server ended.')): Promise<void> {
    this.server.crash(error);
    await settle();
  }

  async close(): Promise<void> {
    await this.runner.stop('byUser');
    this.runner.dispose();
    assert.equal(this.clock.waiting, 0);
  }
}

export const LEGACY = { era: 'legacy', dialect: 'off', mcpl: 'auto' } as const;
export const RUNNING = ['starting', 'running pid 101 since 0'];
