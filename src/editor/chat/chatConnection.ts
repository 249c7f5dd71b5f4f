import * as vscode from 'vscode';
import { type Clock, type Disposable, DisposableStore, type Logger, messageOf } from '../../core/index.ts';
import { EXTENSION_ID } from '../shared/ids.ts';

/** Retry delays, because the editor processes new definitions asynchronously without notice. */
const TRIES_MS = [50, 300, 1_000, 3_000, 8_000] as const;

/**
 * Asks the editor's MCP client to connect to a newly offered server. On its own it connects with the next chat message,
 * and until then the tools are missing from its list. The command is not part of the API, so nothing depends on it. It
 * has no effect on connected servers.
 */
export class ChatConnection implements Disposable {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #asked = new Map<string, { readonly version: string; readonly tries: DisposableStore }>();

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Sets the offered servers. A server with a new version is requested again, because the editor disconnects it and
   * would reconnect only with the next chat message.
   */
  offer(servers: readonly { readonly label: string; readonly version: string }[]): void {
    const wanted = new Map(servers.map(({ label, version }) => [label, version]));
    for (const [label, { version, tries }] of [...this.#asked]) {
      if (wanted.get(label) === version) continue;
      tries.dispose();
      this.#asked.delete(label);
    }
    if (vscode.workspace.getConfiguration('chat.mcp').get('autostart') === 'never') return;
    for (const [label, version] of wanted) if (!this.#asked.has(label)) this.#connect(label, version);
  }

  dispose(): void {
    this.offer([]);
  }

  #connect(label: string, version: string): void {
    const tries = new DisposableStore();
    this.#asked.set(label, { version, tries });
    for (const ms of TRIES_MS) tries.add(this.#clock.delay(ms, () => this.#ask(label)));
  }

  #ask(label: string): void {
    const options = { promptType: 'never' };
    const asked = vscode.commands.executeCommand('workbench.mcp.startServer', `${EXTENSION_ID}/${label}`, options);
    asked.then(undefined, (error: unknown) => {
      this.#log.log('debug', `The editor connects to "${label}" with the next chat message: ${messageOf(error)}`);
    });
  }
}
