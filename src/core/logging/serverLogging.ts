import { cleanLine, cleanText } from '../base/cleanText.ts';
import type { Clock } from '../base/clock.ts';
import { type Disposable, DisposableStore, toDisposable } from '../base/disposable.ts';
import { messageOf } from '../base/errors.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Logger, LogLevel } from '../base/log.ts';
import { LOG_LEVELS, type LogLevelName } from '../model/catalog.ts';
import { LogLimiter } from '../rpc/logLimiter.ts';
import type { Session, SessionFeature } from '../session/session.ts';
import { decodeLogMessage } from '../wire/logging.ts';
import { offering } from '../offer/offering.ts';
import { RateLimit } from '../base/rateLimit.ts';

interface ServerLoggingOptions {
  readonly clock: Clock;
  /** The server's channel. */
  readonly log: Logger;
  /** Removes secrets before a text is truncated: servers log their configuration. */
  redact(text: string): string;
  requestTimeoutMs(): number;
  /** The level to request at the start. Absent: the server decides. */
  readonly level?: LogLevelName | undefined;
  /** Receive every entry at any level. During floods, the first ones of each second. */
  readonly listeners?: LogListeners | undefined;
}

export interface LogListeners {
  readonly hasListeners: boolean;
  fire(entry: LogEntry): void;
}

/** A log entry without secrets. */
export interface LogEntry {
  readonly level: LogLevelName;
  readonly logger: string | undefined;
  readonly data: Json;
}

/** The same limit as for stderr. */
const LIMITS = { lines: 200, perMs: 1_000 };
const MAX_MESSAGE = 4_000;
const MAX_NAME = 100;
/** Maximum characters of an entry as JSON. Longer ones are truncated. */
const MAX_DATA = 64_000;

const OURS: { readonly [L in LogLevelName]: LogLevel } = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warn',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
};

/** The line names these levels, because the host's log has no equivalent. */
const NAMED: readonly LogLevelName[] = ['notice', 'critical', 'alert', 'emergency'];

/**
 * The log of a server (MCP "Logging") and its level. Listeners, such as clients of the gateway, may request a level.
 * The server gets the most detailed requested level, so that no listener loses lines. The user's choice overrides all
 * requests.
 */
export class ServerLogging implements SessionFeature {
  readonly #options: ServerLoggingOptions;
  #level: LogLevelName | undefined;
  #session: Session | undefined;
  readonly #limiter: LogLimiter;
  readonly #handedOn: RateLimit;
  readonly #wanted = new Set<{ readonly level: LogLevelName }>();
  /** The level that the server got last. */
  #sentLevel: LogLevelName | undefined;
  /** The level of the message that is being written. */
  #current: LogLevel = 'info';

  readonly notifications = {
    'notifications/message': (params: JsonObject): void => this.#message(params),
  };

  constructor(options: ServerLoggingOptions) {
    this.#options = options;
    this.#level = options.level;
    this.#limiter = new LogLimiter(options.clock, LIMITS, (line) => options.log.log(this.#current, line));
    this.#handedOn = new RateLimit(LIMITS.lines, LIMITS.perMs);
  }

  /** The user's choice. Absent: the server or its clients decide. */
  get level(): LogLevelName | undefined {
    return this.#level;
  }

  started(session: Session): Disposable {
    this.#session = session;
    this.#sentLevel = undefined;
    const store = new DisposableStore();
    store.add(
      session.onRenewed(() => {
        this.#sentLevel = undefined;
        this.#settle(session);
      }),
    );
    store.add(
      toDisposable(() => {
        if (this.#session === session) this.#session = undefined;
        // Reports the number of omitted lines. The next connection reuses the limiter.
        this.#limiter.dispose();
      }),
    );
    this.#settle(session);
    return store;
  }

  /** Requests a level until disposed. The server keeps its last level, because MCP has no request to reset it. */
  wanted(level: LogLevelName): Disposable {
    const wanted = { level };
    this.#wanted.add(wanted);
    if (this.#session !== undefined) this.#settle(this.#session);
    return toDisposable(() => {
      this.#wanted.delete(wanted);
      if (this.#session !== undefined && this.#wanted.size > 0) this.#settle(this.#session);
    });
  }

  /** Requests the level now and after each start. Rejects with a `HostError` if the server does not support levels. */
  async setLevel(level: LogLevelName): Promise<void> {
    if (this.#session === undefined) {
      this.#level = level;
      return;
    }
    const session = offering(this.#session, 'logging');
    await this.#send(session, level);
    this.#level = level;
    this.#sentLevel = level;
  }

  #send(session: Session, level: LogLevelName): Promise<void> {
    return session.setLogLevel(level, { timeoutMs: this.#options.requestTimeoutMs() });
  }

  /** Sends the level again to a server that just started, or lost it. */
  #settle(session: Session): void {
    const level = this.#level ?? mostOf(this.#wanted);
    if (level === undefined || level === this.#sentLevel || !isJsonObject(session.handshake.capabilities['logging']))
      return;
    this.#sentLevel = level;
    this.#send(session, level).catch((error: unknown) => {
      if (this.#session !== session) return;
      this.#options.log.log('warn', `The level of the server’s log could not be set: ${messageOf(error)}`);
    });
  }

  #message(params: JsonObject): void {
    const decoded = decodeLogMessage(params);
    if (decoded.kind !== 'ok') return;
    const { level, logger, data } = decoded.value;
    const from = logger === undefined || logger === '' ? '' : `[${cleanLine(this.#options.redact(logger), MAX_NAME)}] `;
    const named = NAMED.includes(level) ? `${level}: ` : '';
    this.#handOn(decoded.value);
    this.#current = OURS[level];
    this.#limiter.line(`${from}${named}${cleanText(this.#options.redact(textOf(data)), MAX_MESSAGE)}`);
  }

  #handOn({ level, logger, data }: LogEntry): void {
    const { clock, listeners } = this.#options;
    if (listeners?.hasListeners !== true || this.#handedOn.take(clock.now()) > 0) return;
    const redact = (text: string): string => this.#options.redact(text);
    const name = logger === undefined || logger === '' ? undefined : cleanLine(redact(logger), MAX_NAME);
    listeners.fire({ level, logger: name, data: withoutSecrets(data, redact) });
  }
}

/** The most detailed level. */
function mostOf(wanted: Iterable<{ readonly level: LogLevelName }>): LogLevelName | undefined {
  const requested = new Set([...wanted].map(({ level }) => level));
  return LOG_LEVELS.find((level) => requested.has(level));
}

/** Removes secrets, and truncates large values. */
function withoutSecrets(data: Json, redact: (text: string) => string): Json {
  const text = textOf(data);
  if (text.length > MAX_DATA) return cleanText(redact(text), MAX_MESSAGE);
  return mapTexts(data, redact);
}

function mapTexts(data: Json, change: (text: string) => string): Json {
  if (typeof data === 'string') return change(data);
  if (isJsonArray(data)) return data.map((item) => mapTexts(item, change));
  if (!isJsonObject(data)) return data;
  const entries = Object.entries(data).flatMap(([key, value]): readonly (readonly [string, Json])[] =>
    value === undefined ? [] : [[change(key), mapTexts(value, change)]],
  );
  return Object.fromEntries(entries);
}

function textOf(data: Json): string {
  return typeof data === 'string' ? data : JSON.stringify(data);
}
