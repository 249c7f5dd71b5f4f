import { cleanLine, cleanText } from '../base/cleanText.ts';
import type { Clock } from '../base/clock.ts';
import { type Disposable, DisposableStore, toDisposable } from '../base/disposable.ts';
import { messageOf } from '../base/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Logger, LogLevel } from '../base/log.ts';
import type { LogLevelName } from '../model/catalog.ts';
import { LogLimiter } from '../rpc/logLimiter.ts';
import type { Session, SessionFeature } from '../session/session.ts';
import { decodeLogMessage } from '../wire/logging.ts';
import { offering } from './offering.ts';

export interface ServerLoggingOptions {
  readonly clock: Clock;
  /** The server's channel. */
  readonly log: Logger;
  /** Takes secrets out of a text that is going to be cut short: servers log what they were configured with. */
  redact(text: string): string;
  requestTimeoutMs(): number;
  /** How much to ask for at the start; absent leaves it to the server. */
  readonly level?: LogLevelName | undefined;
}

/** As for what a server writes to stderr: nobody reads more. */
const LIMITS = { lines: 200, perMs: 1_000 };
const LONGEST_MESSAGE = 4_000;
const LONGEST_NAME = 100;

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

/** Levels that we have no own for are named. */
const NAMED: readonly LogLevelName[] = ['notice', 'critical', 'alert', 'emergency'];

/** What a server wants to have logged (MCP "Logging"), and how much of it. */
export class ServerLogging implements SessionFeature {
  readonly #options: ServerLoggingOptions;
  #level: LogLevelName | undefined;
  #session: Session | undefined;
  readonly #limiter: LogLimiter;
  /** Of the message that is being written. */
  #current: LogLevel = 'info';

  readonly notifications = {
    'notifications/message': (params: JsonObject): void => this.#message(params),
  };

  constructor(options: ServerLoggingOptions) {
    this.#options = options;
    this.#level = options.level;
    this.#limiter = new LogLimiter(options.clock, LIMITS, (line) => options.log.log(this.#current, line));
  }

  /** How much the server was last asked to log; absent while that is left to it. */
  get level(): LogLevelName | undefined {
    return this.#level;
  }

  started(session: Session): Disposable {
    this.#session = session;
    const store = new DisposableStore();
    store.add(session.onRenewed(() => this.#again(session)));
    store.add(
      toDisposable(() => {
        if (this.#session === session) this.#session = undefined;
        // Says how much was left out; the next connection goes on with it.
        this.#limiter.dispose();
      }),
    );
    this.#again(session);
    return store;
  }

  /**
   * Has the server log from this level on, now and after each start. Rejects with a `HostError` where the server has no
   * say in it, or does not do it.
   */
  async setLevel(level: LogLevelName): Promise<void> {
    if (this.#session === undefined) {
      this.#level = level;
      return;
    }
    const session = offering(this.#session, 'logging');
    await this.#send(session, level);
    this.#level = level;
  }

  #send(session: Session, level: LogLevelName): Promise<void> {
    return session.setLogLevel(level, { timeoutMs: this.#options.requestTimeoutMs() });
  }

  /** A server that just started, or forgot, is told again. */
  #again(session: Session): void {
    const level = this.#level;
    if (level === undefined || !isJsonObject(session.handshake.capabilities['logging'])) return;
    this.#send(session, level).catch((error: unknown) => {
      if (this.#session !== session) return;
      this.#options.log.log('warn', `The level of the server’s log could not be set: ${messageOf(error)}`);
    });
  }

  #message(params: JsonObject): void {
    const decoded = decodeLogMessage(params);
    if (decoded.kind !== 'ok') return;
    const { level, logger, data } = decoded.value;
    const from =
      logger === undefined || logger === '' ? '' : `[${cleanLine(this.#options.redact(logger), LONGEST_NAME)}] `;
    const named = NAMED.includes(level) ? `${level}: ` : '';
    this.#current = OURS[level];
    this.#limiter.line(`${from}${named}${cleanText(this.#options.redact(textOf(data)), LONGEST_MESSAGE)}`);
  }
}

function textOf(data: Json): string {
  return typeof data === 'string' ? data : JSON.stringify(data);
}
