import * as vscode from 'vscode';
import {
  type Clock,
  type Disposable,
  type Host,
  type Logger,
  type LogLevel,
  type Logs,
  type Redact,
} from '../../core/index.ts';
import { BoundedLog } from '../shared/boundedLog.ts';
import { EXTENSION_NAME } from '../shared/ids.ts';
import { plainText } from '../shared/plainText.ts';
import type { LogChannels } from '../shared/services.ts';

/**
 * Delay before a channel is closed. A channel that is closed while the editor creates it stays closed under its name,
 * and removed servers often return at once.
 */
const CLOSE_MS = 2_000;

interface Channel extends Disposable {
  readonly output: vscode.LogOutputChannel;
  readonly bounded: BoundedLog;
}

/** Output channels of the host and of each server, created on first use. */
export class OutputChannels implements Logs, LogChannels, Disposable {
  readonly host: Logger = { log: (level, message) => this.#host().bounded.log(level, message) };
  readonly #clock: Clock;
  /** Removes secrets from every line, once a host exists. */
  redact: Redact = (text) => text;
  readonly #servers = new Map<string, Channel>();
  /** Validates loggers by id, so that loggers of a removed server are muted. */
  readonly #lives = new Map<string, object>();
  /** Channels of removed servers until they are closed. */
  readonly #closing = new Map<string, { readonly channel: Channel; readonly delay: Disposable }>();
  #hostChannel: Channel | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  server(id: string): Logger {
    const life = this.#lives.get(id) ?? {};
    this.#lives.set(id, life);
    return {
      log: (level, message) => {
        if (this.#lives.get(id) === life) this.#of(id).bounded.log(level, message);
      },
    };
  }

  showServer(server: string): void {
    this.#of(server).output.show(true);
  }

  showHost(): void {
    this.#host().output.show(true);
  }

  /** Closes the channels of removed servers. */
  follow(host: Host): Disposable {
    return host.onDidChangeServer(({ server, what }) => {
      if (what !== 'removed') return;
      this.#closeSoon(server);
      // The server is still stopping, and its messages would reopen the channel.
      this.#lives.delete(server);
    });
  }

  dispose(): void {
    for (const channel of this.#servers.values()) channel.dispose();
    this.#servers.clear();
    for (const { channel, delay } of this.#closing.values()) {
      delay.dispose();
      channel.dispose();
    }
    this.#closing.clear();
    this.#lives.clear();
    this.#hostChannel?.dispose();
    this.#hostChannel = undefined;
  }

  #host(): Channel {
    this.#hostChannel ??= this.#create(EXTENSION_NAME);
    return this.#hostChannel;
  }

  #of(server: string): Channel {
    const known = this.#servers.get(server);
    if (known !== undefined) return known;
    const channel = this.#reopen(server) ?? this.#create(`${EXTENSION_NAME}: ${plainText(server, 64)}`);
    this.#servers.set(server, channel);
    return channel;
  }

  #closeSoon(server: string): void {
    const channel = this.#servers.get(server);
    if (channel === undefined) return;
    this.#servers.delete(server);
    const delay = this.#clock.delay(CLOSE_MS, () => {
      this.#closing.delete(server);
      channel.dispose();
    });
    this.#closing.set(server, { channel, delay });
  }

  #reopen(server: string): Channel | undefined {
    const closing = this.#closing.get(server);
    closing?.delay.dispose();
    this.#closing.delete(server);
    closing?.channel.output.clear();
    return closing?.channel;
  }

  #create(name: string): Channel {
    const output = vscode.window.createOutputChannel(name, { log: true });
    const bounded = new BoundedLog(
      { log: (level, message) => write(output, level, this.redact(message)) },
      this.#clock,
    );
    const dispose = (): void => {
      bounded.dispose();
      output.dispose();
    };
    return { output, bounded, dispose };
  }
}

function write(output: vscode.LogOutputChannel, level: LogLevel, message: string): void {
  try {
    output[level](message);
  } catch {
    // The editor throws for a closed channel, which must not affect the caller.
  }
}
