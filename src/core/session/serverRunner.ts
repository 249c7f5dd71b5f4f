import { Deferred, ignoreFailure } from '../base/async.ts';
import { CancellationSource, type CancellationToken, unlessCancelled } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { cancelled, HostError, redactError, toHostError } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { Logger } from '../base/log.ts';
import type { Redact } from '../base/secrets.ts';
import type { ServerDefinition, ServerState, StopReason } from '../model/server.ts';
import type { Connector, Ids, OpenTransport, VerdictStore } from '../ports.ts';
import type { Transport, TransportClosed } from '../rpc/transport.ts';
import { type LifecycleEvent, transition } from './lifecycle.ts';
import { decideRestart, recentCrashes } from './restartPolicy.ts';
import type { OpenedSession, Opener } from './opener.ts';
import type { Session, SessionFeature } from './session.ts';
import type { ExpandedConnection } from './variables.ts';

/** A connection that may be opened, and the fingerprint for findings about it. */
export interface PreparedConnection extends Pick<ExpandedConnection, 'connection'> {
  readonly fingerprint: string;
}

export interface RunnerOptions {
  readonly id: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /** Removes secrets from displayed texts. */
  readonly redact: Redact;
  readonly connector: Connector;
  readonly verdicts: VerdictStore;
  readonly client: { readonly name: string; readonly title: string; readonly version: string };
  /** Created with the first start, because much of it is loaded then. */
  features(): Promise<readonly SessionFeature[]>;
  /** Wraps the transport to record its messages. */
  readonly tap?: ((transport: Transport) => Transport) | undefined;
  /** Settles when an earlier server with this id has ended. The first start waits for it. */
  readonly after?: Promise<void> | undefined;
  /** Asks for consent and inputs. Rejects if the server may not start. Calls `asking` before the user is asked. */
  prepare(definition: ServerDefinition, token: CancellationToken, asking: () => void): Promise<PreparedConnection>;
}

/** One start, from the consent prompt to the end of the process. */
class Attempt {
  readonly cancellation = new CancellationSource();
  /** Settles when the server runs or its start has failed. */
  readonly ready = new Deferred<void>();
  /** Settles when process and socket of this attempt are gone. */
  readonly over = new Deferred<void>();
  readonly automatic: boolean;
  stopReason: StopReason | undefined;

  constructor(automatic: boolean) {
    this.automatic = automatic;
    ignoreFailure(this.ready.promise);
  }
}

/** Errors that look like a crash during an automatic restart and are worth another try, unlike a missing command. */
const TRANSIENT = ['SERVER_EXITED', 'CONNECTION_CLOSED', 'TIMEOUT', 'HANDSHAKE_FAILED'] as const;

/** The lifecycle of one server: at most one process at a time, restarted after crashes, and ended in order. */
export class ServerRunner implements Disposable {
  readonly #options: RunnerOptions;
  readonly #changed = new Emitter<ServerState>();
  #state: ServerState = { kind: 'stopped', reason: 'notStarted' };
  #definition: ServerDefinition;
  #attempt: Attempt | undefined;
  #session: Session | undefined;
  #restart: Disposable | undefined;
  #crashes: readonly number[] = [];
  /** Number of the latest request. A restart continues with its start only if there is no newer request. */
  #intent = 0;

  constructor(definition: ServerDefinition, options: RunnerOptions) {
    this.#definition = definition;
    this.#options = options;
  }

  get onDidChangeState(): Event<ServerState> {
    return this.#changed.event;
  }

  get state(): ServerState {
    return this.#state;
  }

  get definition(): ServerDefinition {
    return this.#definition;
  }

  /** The open session while the server runs. */
  get session(): Session | undefined {
    return this.#session;
  }

  /** Sets the definition for the next start. A running server is not affected. */
  define(definition: ServerDefinition): void {
    this.#definition = definition;
  }

  /** Starts the server, or joins a start in progress. */
  start(): Promise<void> {
    this.#intent++;
    const joined = this.#current;
    if (joined !== undefined) return joined.ready.promise;
    this.#crashes = [];
    return this.#begin(false);
  }

  async stop(reason: StopReason): Promise<void> {
    this.#intent++;
    this.#restart?.dispose();
    this.#restart = undefined;
    const attempt = this.#attempt;
    if (attempt === undefined) {
      this.#apply({ kind: 'stopped', reason });
      return;
    }
    attempt.stopReason = reason;
    this.#apply({ kind: 'stopping' });
    attempt.cancellation.cancel();
    await attempt.over.promise;
  }

  async restart(): Promise<void> {
    const stopped = this.stop('byUser');
    const intent = this.#intent;
    await stopped;
    if (this.#intent === intent) await this.start();
  }

  dispose(): void {
    ignoreFailure(this.stop('byUser'));
    this.#changed.dispose();
  }

  /** The starting or running attempt. Absent while the last one is stopping. */
  get #current(): Attempt | undefined {
    return this.#attempt?.stopReason === undefined ? this.#attempt : undefined;
  }

  #begin(automatic: boolean): Promise<void> {
    this.#restart?.dispose();
    this.#restart = undefined;
    const before = this.#attempt?.over.promise ?? this.#options.after ?? Promise.resolve();
    const attempt = new Attempt(automatic);
    this.#attempt = attempt;
    // At once, so that changed settings find something to stop.
    this.#apply({ kind: 'connecting' });
    ignoreFailure(before.then(() => this.#run(attempt)));
    return attempt.ready.promise;
  }

  async #run(attempt: Attempt): Promise<void> {
    let error: HostError;
    try {
      const closed = await this.#connectAndServe(attempt);
      error = closed.error ?? closedByServer();
    } catch (thrown) {
      error = toHostError(thrown);
    }
    if (this.#attempt === attempt) this.#attempt = undefined;
    this.#settle(attempt, error);
    // A start is already waiting for this end, so the state is not at rest.
    if (this.#current !== undefined) this.#apply({ kind: 'connecting' });
    attempt.ready.reject(error);
    attempt.over.resolve();
  }

  /** Resolves when the connection has ended and its resources are gone. */
  async #connectAndServe(attempt: Attempt): Promise<TransportClosed> {
    const { token } = attempt.cancellation;
    throwIfCancelled(token);
    const asking = (): void => {
      // A newer start may be in progress by then.
      if (!token.isCancellationRequested) this.#apply({ kind: 'asked' });
    };
    const preparing = this.#options.prepare(this.#definition, token, asking);
    const prepared = await unlessCancelled(preparing, token, 'The start');
    throwIfCancelled(token);
    this.#apply({ kind: 'connecting' });

    const redact = (error: HostError): HostError => redactError(error, this.#options.redact);
    try {
      const closed = await this.#serve(attempt, prepared, redact);
      return closed.error === undefined ? closed : { error: redact(closed.error) };
    } catch (error) {
      throw redact(toHostError(error));
    }
  }

  async #serve(
    attempt: Attempt,
    prepared: PreparedConnection,
    redact: (error: HostError) => HostError,
  ): Promise<TransportClosed> {
    const { id, clock, log, connector, verdicts, client } = this.#options;
    const { token } = attempt.cancellation;
    const { protocol, timeouts } = this.#definition;
    // Protocol code is loaded with the first server.
    const [{ Opener }, features] = await Promise.all([import('./opener.ts'), this.#options.features()]);
    const opener = new Opener({
      serverId: id,
      connection: prepared.connection,
      fingerprint: prepared.fingerprint,
      protocol,
      connector,
      verdicts,
      clock,
      log,
      client,
      features,
      token,
      startTimeoutMs: timeouts.start * 1000,
      redact,
      redactText: this.#options.redact,
      tap: this.#options.tap,
      onWaiting: (isWaiting) => {
        // For a running server the lifecycle ignores this.
        if (!token.isCancellationRequested) this.#apply({ kind: isWaiting ? 'asked' : 'connecting' });
      },
      onOpened: (session, opened) => {
        throwIfCancelled(token);
        this.#session = session;
        this.#apply({ kind: 'ready', ...factsOf(session, opened), pid: opened.pid, since: clock.now() });
      },
    });
    const { session, opened, ended } = await this.#open(opener);
    const stopped = new Deferred<TransportClosed>();
    const life = new DisposableStore();
    try {
      life.add(session);
      throwIfCancelled(token);
      life.add(token.onCancellationRequested(() => stopped.resolve({})));
      attempt.ready.resolve();
      return await Promise.race([ended, stopped.promise]);
    } finally {
      this.#session = undefined;
      if (token.isCancellationRequested) await opened.transport.close();
      life.dispose();
      await opened.transport.close();
    }
  }

  async #open(opener: Opener): Promise<OpenedSession> {
    try {
      return await opener.open();
    } catch (error) {
      this.#session = undefined;
      throw error;
    }
  }

  /** Decides what the end of an attempt means. The only place that does. */
  #settle(attempt: Attempt, error: HostError): void {
    if (attempt.stopReason !== undefined) {
      this.#apply({ kind: 'stopped', reason: attempt.stopReason });
      return;
    }
    if (error.code === 'NOT_APPROVED' || error.code === 'CANCELLED') {
      this.#apply({ kind: 'stopped', reason: 'notApproved' });
      return;
    }
    const wasRunning = this.#state.kind === 'running';
    const { log, clock, ids } = this.#options;
    log.log('error', error.message);
    const mayRestart = wasRunning || (attempt.automatic && TRANSIENT.some((code) => code === error.code));
    if (!mayRestart || this.#definition.restart === 'never') {
      this.#apply({ kind: 'failed', error });
      return;
    }
    const now = clock.now();
    this.#crashes = [...recentCrashes(this.#crashes, now), now];
    const decision = decideRestart(this.#crashes, now, ids.random());
    if (decision.kind === 'giveUp') {
      this.#apply({ kind: 'failed', error: crashLoop(decision.crashes, error) });
      return;
    }
    log.log('info', `Starting again in ${(decision.delayMs / 1000).toFixed(1)} seconds.`);
    this.#apply({ kind: 'crashed', error, restartAt: now + decision.delayMs });
    this.#restart = clock.delay(decision.delayMs, () => ignoreFailure(this.#begin(true)));
  }

  #apply(event: LifecycleEvent): void {
    const next = transition(this.#state, event);
    if (next === this.#state) return;
    this.#state = next;
    this.#options.log.log('info', describe(next));
    this.#changed.fire(next);
  }
}

/** The facts about an open connection. */
function factsOf(
  { handshake }: Session,
  { transport }: OpenTransport,
): Omit<Extract<ServerState, { kind: 'running' }>, 'kind' | 'pid' | 'since'> {
  const { info, protocolVersion, era, isDialect, roundTripMs } = handshake;
  const { kind = 'stdio', session } = transport.details ?? {};
  return { info, protocolVersion, connection: { era, isDialect, roundTripMs, transport: kind, session } };
}

function throwIfCancelled(token: CancellationToken): void {
  if (token.isCancellationRequested) throw cancelled('The start');
}

function closedByServer(): HostError {
  return new HostError('CONNECTION_CLOSED', 'The server closed the connection.', {
    layer: 'transport',
    suggestion: 'See its log.',
  });
}

function crashLoop(crashes: number, error: HostError): HostError {
  return new HostError('CRASH_LOOP', `The server ended ${crashes} times within 3 minutes. Last: ${error.message}`, {
    layer: 'process',
    effect: 'none',
    suggestion: 'See its log, then restart it.',
    cause: error,
  });
}

const STOPPED: { readonly [R in StopReason]: string } = {
  notStarted: 'Stopped.',
  byUser: 'Stopped by hand.',
  notApproved: 'Stopped: it was not allowed to start.',
  restrictedMode: 'Stopped: this workspace is not trusted.',
  notAllowed: 'Stopped: it is not allowed by your organisation.',
};

/** A state as one line for the log. */
function describe(state: ServerState): string {
  switch (state.kind) {
    case 'running':
      return `Running: ${state.info.name || 'unnamed'} ${state.info.version}, MCP ${state.protocolVersion}${state.pid === undefined ? '' : `, process ${state.pid}`}.`;
    case 'failed':
      return `Failed: ${state.error.message}`;
    case 'restarting':
      return `Ended: ${state.error.message}`;
    case 'stopped':
      return STOPPED[state.reason];
    case 'asking':
      return 'Waiting for an answer.';
    case 'starting':
      return 'Starting.';
    case 'stopping':
      return 'Stopping.';
  }
}
