import { Deferred, ignoreFailure } from '../base/async.ts';
import type { CancellationToken } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { Emitter } from '../base/event.ts';
import { cancelled, HostError, isHostError, messageOf } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { waitFor } from '../base/patience.ts';
import type { ProtocolSettings } from '../model/server.ts';
import type { Connection, Connector, OpenTransport, VerdictStore } from '../ports.ts';
import type { Transport, TransportClosed } from '../rpc/transport.ts';
import { MODERN_REVISIONS, offeredVersions } from '../wire/handshake.ts';
import { decodeServerInfo } from '../wire/serverInfo.ts';
import { decodeAdvert } from '../wire/mcpl/advert.ts';
import { discover, type Discovery } from './discovery.ts';
import { EraMemory } from './eraMemory.ts';
import { FirstQuestion } from './firstQuestion.ts';
import { InitializedSession } from './initializedSession.ts';
import { type OpeningPlan, planOpening } from './openingPlan.ts';
import type { Session, SessionFeature } from './session.ts';
import { stoppedEarly } from './stoppedEarly.ts';
import { modernCapabilities, StatelessSession } from './statelessSession.ts';

export interface OpenerOptions {
  readonly serverId: string;
  readonly connection: Connection;
  /** The fingerprint of the connection in settings, under which findings are stored. */
  readonly fingerprint: string;
  readonly protocol: ProtocolSettings;
  readonly connector: Connector;
  readonly verdicts: VerdictStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly client: { readonly name: string; readonly title: string; readonly version: string };
  readonly features: readonly SessionFeature[];
  readonly token: CancellationToken;
  readonly startTimeoutMs: number;
  readonly redact: (error: HostError) => HostError;
  readonly redactText: (text: string) => string;
  /** Wraps the transport to record its messages. */
  readonly tap?: ((transport: Transport) => Transport) | undefined;
  /** Called when the connection starts or stops waiting for the user. */
  onWaiting(isWaiting: boolean): void;
  /** Called before the features start. */
  onOpened(session: Session, opened: OpenTransport): void;
}

export interface OpenedSession {
  readonly session: Session;
  readonly opened: OpenTransport;
  /** Settles when the connection has ended, on purpose or not. */
  readonly ended: Promise<TransportClosed>;
}

/** How long a process may take to answer the probe before it also gets `initialize`. */
const QUESTION_MS = 3_000;
/** Launchers that may download a program first need longer. */
const LAUNCHERS =
  /(^|[/\\])(npx|npm|pnpm|pnpx|yarn|bunx|bun|uvx|uv|pipx|docker|podman|dotnet|deno)(\.(cmd|exe|bat))?$/i;
const LAUNCHER_QUESTION_MS = 30_000;
/** How long `initialize` may stay unanswered after the probe before another process is started. */
const SILENCE_MS = 10_000;
/** The probe stays open while the session runs: a late answer still shows the era. */
const LATE_MS = 24 * 3600 * 1000;
/** Ids reserved for the handshake. Later ids start here. */
const HANDSHAKE_IDS = 10;
/** Errors of `initialize` after which the address may be one of the older HTTP+SSE transport. */
const MAYBE_SSE = ['http-400', 'http-404', 'http-405', 'http-406', 'http-415'];

type Found = Discovery & { readonly lastId: number };

interface Link {
  readonly opened: OpenTransport;
  readonly negotiated: Emitter<string>;
  readonly ended: Deferred<TransportClosed>;
}

/**
 * Opens a session with a server of any version. Remembers findings, probes unknown servers, and falls back or forward
 * as MCP 2026-07-28 "Versioning" and the older transports require. There is at most one connection, and so at most one
 * process, at any time.
 */
export class Opener {
  readonly #options: OpenerOptions;
  readonly #memory: EraMemory;

  constructor(options: OpenerOptions) {
    this.#options = options;
    this.#memory = new EraMemory(options);
  }

  async open(): Promise<OpenedSession> {
    const { protocol, connection, clock } = this.#options;
    // Explicit settings need no memory.
    const isOpen = protocol.era === 'auto' && protocol.dialect !== 'force';
    const verdict = isOpen ? await this.#memory.find() : undefined;
    const plan = planOpening({ protocol, connection, verdict, now: clock.now() });
    const result = await this.#follow(plan).catch(async (error: unknown) => {
      // The remembered verdict may be the reason for the failure, so the next start probes again.
      const isOutside = isHostError(error, 'CANCELLED', 'SIGN_IN_REQUIRED', 'SIGN_IN_FAILED');
      if (verdict !== undefined && !isOutside) await this.#memory.forget();
      throw error;
    });
    // Not awaited: if it fails, the next start probes again.
    if (isOpen) ignoreFailure(this.#memory.opened(result.session.handshake, verdict));
    return result;
  }

  async #follow(plan: OpeningPlan): Promise<OpenedSession> {
    switch (plan.kind) {
      case 'initialize':
        return this.#withLink((link) => this.#initialize(link, plan.mayFallForward));
      case 'stateless':
        return this.#stateless();
      case 'probe':
        return this.#options.connection.kind === 'stdio' ? this.#askProcess(plan.isExpected) : this.#askRemote();
    }
  }

  #askRemote(): Promise<OpenedSession> {
    return this.#withLink(async (link) => {
      const found = await this.#discover(link, this.#options.startTimeoutMs, false);
      return this.#openAs(found, link);
    });
  }

  /**
   * Probes the process that is then used. Starts another one only if the first ended or stayed silent: some programs
   * exit, or lose later messages, after a first message other than `initialize`.
   */
  async #askProcess(isExpected: boolean): Promise<OpenedSession> {
    const { clock, token, log } = this.#options;
    const began = clock.now();
    try {
      return await this.#withLink((link) => this.#askAndContinue(link, isExpected));
    } catch (error) {
      if (!endedOrSilent(error) || token.isCancellationRequested) throw error;
      const restarted = clock.now();
      log.log('info', `${messageOf(error)} Starting it once more, with "initialize" as the first message.`);
      const opened = await this.#withLink((link) => this.#initialize(link, true));
      this.#memory.replaced(restarted - began, clock.now() - restarted);
      return opened;
    }
  }

  async #askAndContinue({ opened, ...link }: Link, isExpected: boolean): Promise<Session> {
    const { clock, log, startTimeoutMs, connection } = this.#options;
    const isLauncher = connection.kind === 'stdio' && LAUNCHERS.test(connection.command);
    const question = new FirstQuestion(opened.transport);
    const asked = this.#discover({ ...link, opened: { ...opened, transport: question.asking } }, LATE_MS, true);
    ignoreFailure(asked);
    const questionMs = isExpected ? startTimeoutMs : isLauncher ? LAUNCHER_QUESTION_MS : QUESTION_MS;
    const patience = { clock, ms: Math.min(startTimeoutMs, questionMs) };
    const found = await waitFor(asked, patience);
    const silenceMs = Math.min(startTimeoutMs, SILENCE_MS);
    const forSession = { ...link, opened: { ...opened, transport: question.forSession() } };
    if (found.kind === 'done') return this.#openAs(found.value, forSession, silenceMs);
    log.log('info', 'The server did not answer server/discover in time: continuing with "initialize".');
    this.#memory.wasSilent();
    ignoreFailure(asked.then(({ kind }) => this.#memory.answeredLate(kind)));
    // A launcher may still be downloading. Ending it now would leave a partial download.
    return this.#initialize(forSession, true, HANDSHAKE_IDS, isLauncher ? startTimeoutMs : silenceMs);
  }

  #openAs(found: Found, link: Link, initializeMs?: number): Promise<Session> {
    this.#tell(found);
    if (found.kind === 'modern' && !this.#isMcpl(found)) return this.#openStateless(link, found);
    return this.#initialize(link, true, found.lastId, initializeMs);
  }

  #stateless(): Promise<OpenedSession> {
    return this.#withLink(async (link) => {
      const found = await this.#discover(link, this.#options.startTimeoutMs, false);
      if (found.kind === 'modern') return this.#openStateless(link, found);
      // A server that fails to describe itself may still work. Only its tools are used then.
      this.#options.log.log('warn', `The server does not describe itself (${found.why}): only its tools are used.`);
      return this.#openStateless(link, withoutDescription(found.lastId));
    });
  }

  async #openStateless(
    { opened }: Link,
    found: Extract<Discovery, { kind: 'modern' }> & { readonly lastId: number },
  ): Promise<Session> {
    const { clock, log, features, redact, client, token } = this.#options;
    if (this.#isMcpl(found))
      log.log(
        'warn',
        'The server speaks MCPL, which needs a connection that begins with "initialize": used as a plain MCP server.',
      );
    return Promise.resolve(
      StatelessSession.open({
        transport: opened.transport,
        clock,
        log,
        features,
        redact,
        client,
        stopping: token,
        onWaiting: opened.onWaiting,
        onOpened: (session) => this.#options.onOpened(session, opened),
        ...found,
      }),
    );
  }

  async #initialize(link: Link, mayFallForward: boolean, lastId = 0, timeoutMs?: number): Promise<Session> {
    try {
      return await this.#initializeOn(link, lastId, timeoutMs);
    } catch (error) {
      if (!mayFallForward || !offersOnlyModern(error)) throw error;
      const after = lastId + HANDSHAKE_IDS;
      const found = await this.#discover(link, this.#options.startTimeoutMs, false, after);
      if (found.kind === 'legacy') throw error;
      return this.#openStateless(link, found);
    }
  }

  #initializeOn({ opened, negotiated }: Link, lastId: number, timeoutMs?: number): Promise<Session> {
    const { clock, log, client, features, token, redact, protocol } = this.#options;
    return InitializedSession.open({
      transport: opened.transport,
      clock,
      log,
      client,
      features,
      token,
      redact,
      startTimeoutMs: timeoutMs ?? this.#options.startTimeoutMs,
      lastId,
      onWaiting: opened.onWaiting,
      dialect: protocol.dialect,
      onNegotiated: (version) => negotiated.fire(version),
      onOpened: (session) => this.#options.onOpened(session, opened),
    });
  }

  /** Opens a connection for `use`, and closes it if that fails. Then possibly tries an older kind. */
  async #withLink(use: (link: Link) => Promise<Session>): Promise<OpenedSession> {
    const { connection } = this.#options;
    try {
      return await this.#useLink(await this.#connect(connection), use);
    } catch (error) {
      const older = olderConnection(connection, error, this.#options.protocol);
      if (older === undefined || this.#options.token.isCancellationRequested) throw error;
      this.#options.log.log('info', `${messageOf(error)} Trying ${older.words} instead.`);
      const link = await this.#connect(older.connection).catch(() => Promise.reject(toError(error)));
      return this.#useLink(link, (again) => this.#initializeOn(again, 0)).catch((failure: unknown) =>
        // The failure of the newer transport is more useful than that of the older one.
        Promise.reject(older.isGuess && !isOwnWord(failure) ? toError(error) : toError(failure)),
      );
    }
  }

  async #useLink(link: Link, use: (link: Link) => Promise<Session>): Promise<OpenedSession> {
    try {
      const session = await use(link);
      return { session, opened: { ...link.opened, transport: session.transport }, ended: link.ended.promise };
    } catch (error) {
      await this.#close(link);
      const stopped = stoppedEarly(error);
      throw stopped === undefined ? error : this.#options.redact(stopped);
    }
  }

  async #connect(connection: Connection): Promise<Link> {
    const { connector, serverId, token, log, redactText, tap } = this.#options;
    // The start may have been cancelled in the meantime.
    if (token.isCancellationRequested) throw cancelled('The start');
    const negotiated = new Emitter<string>();
    const plain = await connector.open(connection, {
      serverId,
      token,
      log,
      redact: redactText,
      negotiated: negotiated.event,
    });
    const opened = tap === undefined ? plain : { ...plain, transport: tap(plain.transport) };
    const ended = new Deferred<TransportClosed>();
    opened.transport.onClose((closed) => ended.resolve(closed));
    opened.onWaiting?.((isWaiting) => this.#options.onWaiting(isWaiting));
    const link = { opened, negotiated, ended };
    if (!token.isCancellationRequested) return link;
    await this.#close(link);
    throw cancelled('The start');
  }

  async #close({ opened, negotiated }: Link): Promise<void> {
    await opened.transport.close();
    negotiated.dispose();
  }

  #discover({ opened }: Link, timeoutMs: number, isProcess: boolean, lastId = 0): Promise<Found> {
    const { clock, log, client, token, features } = this.#options;
    const capabilities = modernCapabilities(features);
    const { transport, onWaiting } = opened;
    return discover({ transport, onWaiting, clock, log, client, token, capabilities, timeoutMs, isProcess, lastId });
  }

  #isMcpl(found: Discovery): boolean {
    if (found.kind !== 'modern' || this.#options.protocol.mcpl === 'off') return false;
    return decodeAdvert(found.discovered.capabilities) !== undefined;
  }

  #tell(found: Discovery): void {
    const text =
      found.kind === 'modern'
        ? `The server speaks the stateless MCP ${found.protocolVersion}.`
        : `The server is opened with "initialize": ${found.why}.`;
    this.#options.log.log('info', text);
  }
}

/** MCP 2026-07-28: a server that does not support `initialize` lists its versions. */
function offersOnlyModern(error: unknown): boolean {
  const offered = error instanceof HostError ? offeredVersions(error.data) : [];
  return MODERN_REVISIONS.some((version) => offered.includes(version));
}

interface OlderConnection {
  readonly connection: Connection;
  readonly words: string;
  /** Only the failure suggests it. */
  readonly isGuess: boolean;
}

/** The older kind of connection that a failure suggests. */
function olderConnection(
  connection: Connection,
  error: unknown,
  protocol: ProtocolSettings,
): OlderConnection | undefined {
  if (!(error instanceof HostError) || isOwnWord(error)) return undefined;
  if (connection.kind === 'remote') {
    const category = error.category ?? causeCategory(error);
    const isSse = connection.transport === 'auto' && category !== undefined && MAYBE_SSE.includes(category);
    if (!isSse || protocol.era === 'modern') return undefined;
    return { connection: { ...connection, transport: 'sse' }, words: 'HTTP with server-sent events', isGuess: true };
  }
  // The dialect does not define its framing. Its shutdown and exit are those of the language server protocol, so try
  // that framing.
  const isSilent =
    protocol.dialect === 'force' && error.code === 'HANDSHAKE_FAILED' && isHostError(error.cause, 'TIMEOUT');
  if (!isSilent || connection.framing === 'contentLength') return undefined;
  return {
    connection: { ...connection, framing: 'contentLength' },
    words: 'messages with a length in front',
    isGuess: false,
  };
}

/** The process exited or is silent. */
function endedOrSilent(error: unknown): boolean {
  if (isHostError(error, 'CONNECTION_CLOSED', 'SERVER_EXITED')) return true;
  return isHostError(error, 'HANDSHAKE_FAILED') && isHostError(error.cause, 'TIMEOUT');
}

/** The server is reachable, but the user must act or declined. */
function isOwnWord(failure: unknown): boolean {
  return isHostError(failure, 'SIGN_IN_REQUIRED', 'SIGN_IN_FAILED', 'CANCELLED');
}

function causeCategory(error: HostError): string | undefined {
  return error.cause instanceof HostError ? error.cause.category : undefined;
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(messageOf(error));
}

function withoutDescription(lastId: number): Extract<Discovery, { kind: 'modern' }> & { readonly lastId: number } {
  const info = decodeServerInfo(undefined, undefined);
  const protocolVersion = MODERN_REVISIONS[MODERN_REVISIONS.length - 1] ?? '';
  return {
    kind: 'modern',
    protocolVersion,
    roundTripMs: 0,
    lastId,
    discovered: { supportedVersions: [protocolVersion], capabilities: { tools: {} }, info, freshness: undefined },
  };
}
