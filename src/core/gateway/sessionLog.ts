import type { Disposable } from '../base/disposable.ts';
import { RPC, WireError } from '../base/errors.ts';
import { showHidden, withoutHidden } from '../base/hiddenText.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { mapTexts } from '../base/jsonTexts.ts';
import type { Host, ServerLog } from '../hostTypes.ts';
import { LOG_LEVELS, type LogLevelName } from '../model/catalog.ts';
import { notificationMessage } from './gatewayMessages.ts';

/**
 * A server's log for one client (MCP "Logging"): from the requested level on, and nothing before a request. The host
 * sets the server's level, so that no client loses messages because of another.
 */
export class SessionLog implements Disposable {
  readonly #host: Pick<Host, 'onDidLog' | 'wishLogLevel'>;
  readonly #server: string;
  readonly #send: (message: JsonObject) => void;
  #wish: Disposable | undefined;
  #listening: Disposable | undefined;
  #least: number = LOG_LEVELS.length;
  #isDisposed = false;

  constructor(host: Pick<Host, 'onDidLog' | 'wishLogLevel'>, server: string, send: (message: JsonObject) => void) {
    this.#host = host;
    this.#server = server;
    this.#send = send;
  }

  setLevel(level: Json | undefined): void {
    const known = levelOf(level);
    if (this.#isDisposed) return;
    this.#least = LOG_LEVELS.indexOf(known);
    this.#listening ??= this.#host.onDidLog((log) => this.#hear(log));
    const before = this.#wish;
    this.#wish = this.#host.wishLogLevel(this.#server, known);
    before?.dispose();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#listening?.dispose();
    this.#wish?.dispose();
  }

  #hear({ server, level, logger, data }: ServerLog): void {
    if (server !== this.#server || LOG_LEVELS.indexOf(level) < this.#least) return;
    const named = logger === undefined ? {} : { logger: withoutHidden(logger) };
    this.#send(notificationMessage('notifications/message', { level, ...named, data: mapTexts(data, showHidden) }));
  }
}

function levelOf(level: Json | undefined): LogLevelName {
  const known = LOG_LEVELS.find((name) => name === level);
  if (known === undefined) throw new WireError(RPC.invalidParams, `\`level\` is one of ${LOG_LEVELS.join(', ')}.`);
  return known;
}
